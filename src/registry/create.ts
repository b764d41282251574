import { when } from '#base';
import { alreadyExists, ApiError, withoutReason } from '#errors';
import { inOrder, nullEmptyLists } from '#schema';
import { generateName, ObjectMeta, objectTypeOf, type ApiObject } from '#api';
import { parseRevision, type Written } from '#storage';
import { underConditions } from './conditions.ts';
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
  prepareNew(of, object, guard);
  const { name = '', namespace = '' } = object.metadata;
  const store = (): Promise<Written> => {
    validate(of, object, undefined, guard);
    if (!guard.dryRun && namesVersion(object)) throw withoutReason('resourceVersion should not be set on objects to be created');
    return inApiTerms(() =>
      of.objects.write(
        of.keyOf({ namespace, name }),
        (live) => {
          if (live !== undefined) throw nameTaken(of, live, Boolean(object.metadata.generateName));
          return when(guard.check(object, undefined), () => ({ put: object }));
        },
        { assume: 'absent', dryRun: guard.dryRun, ...lifetimeOf(of), ...underConditions(of, guard) },
      ),
    );
  };
  return reserving(of, guard, (take) => (take === undefined ? store() : take(object, undefined).then(store)));
}

/** What can be no version names none; 1.23 drops it without a word. */
const namesVersion = ({ metadata: { resourceVersion = '' } }: ApiObject): boolean => (parseRevision(resourceVersion) ?? 0) > 0;

/** Completes a new object: system fields, what the server owns, the kind's own preparation, a name. */
export function prepareNew(of: Registry, object: ApiObject, guard: Guard): void {
  const { resource } = of;
  nullEmptyLists(objectTypeOf(resource.storage.schema), object);
  setNewSystemFields(of, object);
  keepServerOwned(resource, '', object, undefined);
  if (!object.metadata.name && object.metadata.generateName) object.metadata.name = generateName(object.metadata.generateName);
  // What was set just now stands behind what was sent.
  object.metadata = inOrder(ObjectMeta.type, object.metadata);
  resource.kind.prepare?.(object, undefined, hookContext(of, guard));
}

/** Whoever gives a prefix is told to try again, even if a name came with it. */
function nameTaken(of: Registry, live: ApiObject, hasPrefix: boolean): ApiError {
  const taken = alreadyExists({ group: of.resource.group, resource: of.resource.plural }, live.metadata.name ?? '');
  const why = hasPrefix ? `${taken.message}, the server was not able to generate a unique name for the object` : taken.message;
  return new ApiError('AlreadyExists', live.metadata.deletionTimestamp ? `object is being deleted: ${why}` : why, {
    ...taken.details,
    ...(hasPrefix ? { retryAfterSeconds: 1 } : {}),
  });
}
