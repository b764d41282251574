import { when } from '#base';
import { alreadyExists, ApiError } from '#errors';
import { nullEmptyLists } from '#schema';
import { generateName, objectTypeOf, type ApiObject } from '#api';
import type { Written } from '#storage';
import { inApiTerms } from './failures.ts';
import type { Guard, Registry } from './registry.ts';
import { hookContext } from './hook-context.ts';
import { keepServerOwned } from './server-owned.ts';
import { reserving } from './reserving.ts';
import { setNewSystemFields } from './system-fields.ts';
import { lifetimeOf } from './lifetime.ts';
import { validate } from './validate.ts';

/**
 * Stores a new object. `object` becomes the registry's: it is completed in place.
 * Throws `Invalid`, `AlreadyExists`, and what the guard throws.
 * @spec 4.3
 */
export function create(of: Registry, object: ApiObject, guard: Guard): Promise<Written> {
  const isNameGenerated = !object.metadata.name && Boolean(object.metadata.generateName);
  const hasVersion = Boolean(object.metadata.resourceVersion);
  prepareNew(of, object, guard);
  const { name = '', namespace = '' } = object.metadata;
  const store = (): Promise<Written> => {
    validate(of, object, undefined, guard);
    if (hasVersion) throw new ApiError('', 'resourceVersion should not be set on objects to be created');
    return inApiTerms(() =>
      of.objects.write(
        of.keyOf({ namespace, name }),
        (live) => {
          if (live !== undefined) throw nameTaken(of, live, isNameGenerated);
          return when(guard.check(object, undefined), () => ({ put: object }));
        },
        { assume: 'absent', dryRun: guard.dryRun, ...lifetimeOf(of) },
      ),
    );
  };
  return reserving(of, guard, (take) => (take === undefined ? store() : take(object, undefined).then(store)));
}

/** Completes a new object: system fields, what the server owns, the kind's own preparation, a name. */
export function prepareNew(of: Registry, object: ApiObject, guard: Guard): void {
  const { resource } = of;
  nullEmptyLists(objectTypeOf(resource.storage.schema), object);
  setNewSystemFields(of, object);
  keepServerOwned(resource, '', object, undefined);
  if (!object.metadata.name && object.metadata.generateName) object.metadata.name = generateName(object.metadata.generateName);
  resource.kind.prepare?.(object, undefined, hookContext(of, guard));
}

function nameTaken(of: Registry, live: ApiObject, isNameGenerated: boolean): ApiError {
  const name = { group: of.resource.group, resource: of.resource.plural };
  const taken = alreadyExists(name, live.metadata.name ?? '');
  if (isNameGenerated) {
    return new ApiError('AlreadyExists', `${taken.message}, the server was not able to generate a unique name for the object`, {
      ...taken.details,
      retryAfterSeconds: 1,
    });
  }
  if (live.metadata.deletionTimestamp) return new ApiError('AlreadyExists', `object is being deleted: ${taken.message}`, taken.details);
  return taken;
}
