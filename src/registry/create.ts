import { isPromised, pausingAfter, when } from '#base';
import { alreadyExists, ApiError, withoutReason } from '#errors';
import { inOrder, nullEmptyLists } from '#schema';
import { generateName, groupResourceOf, ObjectMeta, objectTypeOf, type ApiObject } from '#api';
import { parseRevision, StorageFailure, type Key, type Written } from '#storage';
import { admittedOnce } from './admitted-once.ts';
import { inApiTerms, type Remedy } from './failures.ts';
import type { Guard, Registry } from './registry.ts';
import { hookContext } from './hook-context.ts';
import { isObjectName, noStorableName } from './object-name.ts';
import { keepServerOwned } from './server-owned.ts';
import { withAllocation } from './with-allocation.ts';
import { setNewSystemFields } from './system-fields.ts';
import { writeHints } from './write-hints.ts';
import { validate } from './validate.ts';

/**
 * Stores a new object. `object` is completed in place, and must not be used by the caller afterwards.
 * Throws `Invalid`, `AlreadyExists`, and what the guard throws.
 * @spec 4.3
 */
export function create(of: Registry, object: ApiObject, guard: Guard): Promise<Written> {
  const write = (): Promise<Written> => {
    if (!guard.dryRun && namesVersion(object)) throw withoutReason('resourceVersion should not be set on objects to be created');
    const key = keyOfNew(of, object);
    const put = (made: ApiObject): Promise<Written> =>
      of.objects.write(
        key,
        admittedOnce((live) => {
          if (live !== undefined) throw nameTaken(of, made, Boolean(live.metadata.deletionTimestamp));
          return when(guard.check(made, undefined), () => ({ put: made }));
        }),
        writeHints(of, guard, 'absent'),
      );
    const putSmaller = ifTooLarge(guard, () => put(forgettingOwners(object)));
    return inApiTerms(() => put(object), (failure) => (failure.code === 'corrupt' ? () => refuseUnreadable(of, key, object, failure) : putSmaller?.(failure)));
  };
  const store = (): Promise<Written> => {
    completeNew(of, object);
    const checked = pausingAfter(() => validate(of, object, undefined, guard));
    return isPromised(checked) ? checked.then(write) : write();
  };
  const begin = (): Promise<Written> => withAllocation(of, guard, (allocate) => (allocate === undefined ? store() : allocate(object, undefined).then(store)));
  const prepared = pausingAfter(() => prepareNew(of, object, guard));
  return isPromised(prepared) ? prepared.then(begin) : begin();
}

/** The key of an object with a name that its kind takes. Throws `Invalid` where the store does not. */
function keyOfNew(of: Registry, { metadata: { namespace = '', name = '' } }: ApiObject): Key {
  try {
    return of.keyOf({ namespace, name });
  } catch (cause) {
    throw isObjectName(name) ? cause : noStorableName(of.resource, name);
  }
}

/** Whether the object has a resourceVersion. As in 1.23 a text that cannot be one is ignored. */
const namesVersion = ({ metadata: { resourceVersion = '' } }: ApiObject): boolean => (parseRevision(resourceVersion) ?? 0) > 0;

/** Completes a new object in place: system fields, members that only subresources write, the kind's own preparation. */
export function prepareNew(of: Registry, object: ApiObject, guard: Guard): void {
  const { resource } = of;
  nullEmptyLists(objectTypeOf(resource.storage.schema), object);
  setNewSystemFields(of, object);
  keepServerOwned(resource, '', object, undefined);
  resource.kind.prepare?.(object, undefined, hookContext(of, guard));
}

/** Gives a prepared new object the name it has to be given, and what it has from that. What cannot be allocated for it is refused before, and does not show that name. */
export function completeNew({ resource: { kind } }: Registry, object: ApiObject): void {
  const { metadata } = object;
  if (!metadata.name && metadata.generateName) metadata.name = generateName(metadata.generateName);
  // Members that the server sets come after those that were sent, so the order of the declaration is restored.
  object.metadata = inOrder(ObjectMeta.type, metadata);
  kind.completeNamed?.(object);
}

/** A copy that nobody owns fields of: `managedFields` can be as large as all the rest, and no data of a client is lost with them. */
export function forgettingOwners(object: ApiObject): ApiObject {
  const { managedFields: _before, ...kept } = object.metadata;
  return { ...object, metadata: kept };
}

/** What is tried where the store refuses a write for its size. */
export const ifTooLarge = (guard: Guard, putSmaller: () => Promise<Written>): Remedy<Written> | undefined =>
  guard.mayForgetOwners === true ? ({ code }) => (code === 'tooLarge' ? putSmaller : undefined) : undefined;

/** An entry that cannot be read has its name all the same. Throws `AlreadyExists` where one has the name of the object, else the failure. */
async function refuseUnreadable(of: Registry, key: Key, object: ApiObject, failure: StorageFailure): Promise<never> {
  try {
    void (await of.objects.get(key, 'latest'))?.object;
  } catch (cause) {
    if (cause instanceof StorageFailure && cause.code === 'corrupt') throw nameTaken(of, object, false);
  }
  throw failure;
}

/** A request with `generateName` is told to try again, even if it also has a name. `isGoing`: the object that has the name is being deleted. */
function nameTaken(of: Registry, { metadata }: ApiObject, isGoing: boolean): ApiError {
  const hasPrefix = Boolean(metadata.generateName);
  const taken = alreadyExists(groupResourceOf(of.resource), metadata.name ?? '');
  const why = hasPrefix ? `${taken.message}, the server was not able to generate a unique name for the object` : taken.message;
  return new ApiError('AlreadyExists', isGoing ? `object is being deleted: ${why}` : why, {
    ...taken.details,
    ...(hasPrefix ? { retryAfterSeconds: 1 } : {}),
  });
}
