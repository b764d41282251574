import { cloneJson, pausingAfter, when } from '#base';
import { conflict, FieldErrors, invalid, isRefusal, noNumber, withoutReason } from '#errors';
import { nullEmptyLists } from '#schema';
import { groupResourceOf, objectTypeOf, type ApiObject, type ObjectKey } from '#api';
import { parseRevision, type Decision, type Key, type Written } from '#storage';
import { admittedOnce } from './admitted-once.ts';
import { completeNew, forgettingOwners, ifTooLarge, prepareNew } from './create.ts';
import { removeCompanion } from './delete.ts';
import { mayBeRemoved } from './deletion-plan.ts';
import { inApiTerms } from './failures.ts';
import { raiseGeneration } from './generation.ts';
import type { Guard, Registry } from './registry.ts';
import { withAllocation, type Allocate } from './with-allocation.ts';
import { hookContext } from './hook-context.ts';
import { notThatObject } from './not-that-object.ts';
import { isObjectName, noStorableName } from './object-name.ts';
import { keepServerOwned } from './server-owned.ts';
import { carrySystemFields } from './system-fields.ts';
import { writeHints } from './write-hints.ts';
import { validate } from './validate.ts';

/** Makes the next object from the live one, which it must not change. Throws `NotFound` when the object is absent and may not be created. */
export type ChangeObject = (live: ApiObject | undefined) => Promise<ApiObject> | ApiObject;

/**
 * The guarded write behind update, patch and apply: after a write conflict everything is decided again from the newer object.
 * Throws `Conflict` when the request names a resourceVersion or uid that is not the live one, `Invalid`, and what `change` and the guard throw.
 * @spec 4.3
 */
export function update(of: Registry, key: ObjectKey, change: ChangeObject, guard: Guard): Promise<Written> {
  const writing = withAllocation(of, guard, (allocate) => {
    const course = { of, guard, allocate };
    let at: Key;
    try {
      at = of.keyOf(key);
    } catch (cause) {
      return refuseKey(of, key, change, cause);
    }
    const put = (changed: ChangeObject): Promise<Written> =>
      of.objects.write(
        at,
        admittedOnce((before) => {
          checkIdentity(of, key, guard, before);
          return when(changed(before), (made) => decide(course, made, before));
        }),
        writeHints(of, guard),
      );
    return inApiTerms(() => put(change), ifTooLarge(guard, () => put((live) => when(change(live), forgettingOwners))));
  });
  if (of.resource.kind.takesAlong === undefined || guard.dryRun) return writing;
  return writing.then((written) => (written.did === 'remove' ? removeCompanion(of, key).then(() => written) : written));
}

/** An object that cannot be stored for its name is absent: whoever would make it is told why not. Throws what `change` throws, too. */
async function refuseKey(of: Registry, { name }: ObjectKey, change: ChangeObject, cause: unknown): Promise<never> {
  if (isObjectName(name) || !isRefusal(cause, 'NotFound')) throw cause;
  await change(undefined);
  throw noStorableName(of.resource, name);
}

/** The constant inputs of an update. */
interface Course {
  readonly of: Registry;
  readonly guard: Guard;
  readonly allocate: Allocate | undefined;
}

/** Decides one attempt. Returns no promise when nothing has to be awaited. */
function decide(course: Course, made: ApiObject, before: ApiObject | undefined): Promise<Decision<ApiObject>> | Decision<ApiObject> {
  const { allocate } = course;
  const next = ownCopy(made, before);
  const prepared = pausingAfter(() => prepare(course, next, before));
  return when(prepared, () => (allocate === undefined ? admit(course, next, before) : allocate(next, before).then(() => admit(course, next, before))));
}

function prepare({ of, guard }: Course, next: ApiObject, before: ApiObject | undefined): void {
  if (before === undefined) {
    versionOf(next);
    prepareNew(of, next, guard);
    completeNew(of, next);
  } else {
    checkPreconditions(of, next, before);
    prepareNext(of, next, before, guard);
  }
}

function admit({ of, guard }: Course, next: ApiObject, before: ApiObject | undefined): Promise<Decision<ApiObject>> | Decision<ApiObject> {
  const checked = when(
    pausingAfter(() => validate(of, next, before, guard)),
    () => guard.check(next, before),
  );
  return when(checked, (): Decision<ApiObject> =>
    before !== undefined && mayBeRemoved(of, next) ? { remove: true, last: next } : { put: next },
  );
}

/** `next` may share parts with the live object; what is completed in place is copied. */
function ownCopy(next: ApiObject, live: ApiObject | undefined): ApiObject {
  if (next === live) return cloneJson(next);
  return next.metadata === live?.metadata ? { ...next, metadata: { ...next.metadata } } : next;
}

function prepareNext(of: Registry, next: ApiObject, live: ApiObject, guard: Guard): void {
  const { resource } = of;
  nullEmptyLists(objectTypeOf(resource.storage.schema), next);
  carrySystemFields(next, live, guard);
  keepServerOwned(resource, guard.subresource, next, live);
  resource.kind.prepare?.(next, live, hookContext(of, guard));
  raiseGeneration(resource, guard.subresource, next, live);
}

/** Throws `Conflict` when the request names a uid and the live object has another one, or is absent. Checked before anything else. */
function checkIdentity(of: Registry, key: ObjectKey, { uid }: Guard, live: ApiObject | undefined): void {
  const { brand } = of;
  const found = live?.metadata.uid ?? '';
  if (uid === undefined || uid === found) return;
  // In this dialect an absent object is simply not found (R4.2-09).
  if (live === undefined && brand.deviations.putCreates) return;
  throw notThatObject(of, key, 'UID', uid, found);
}

function checkPreconditions(of: Registry, next: ApiObject, live: ApiObject): void {
  const { resource } = of;
  const version = versionOf(next);
  if (version === 0) {
    if (resource.kind.unconditionalUpdate === false) throw versionMissing(of, next);
    return;
  }
  if (version !== versionOf(live)) throw conflict(groupResourceOf(resource), live.metadata.name ?? '', MODIFIED);
}

/** The resourceVersion of the object as a number, 0 when it has none. Throws an `ApiError` (500) for a text that cannot be one. */
function versionOf({ metadata: { resourceVersion = '' } }: ApiObject): number {
  const version = resourceVersion === '' ? 0 : parseRevision(resourceVersion);
  if (version === undefined) throw withoutReason(noNumber('ParseUint', resourceVersion));
  return version;
}

/** Clients match on these words to read again and retry. */
const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

function versionMissing(of: Registry, next: ApiObject): Error {
  const at = new FieldErrors();
  // kube-apiserver writes the value as `0x0`.
  at.causes.push({ reason: 'FieldValueInvalid', message: 'Invalid value: 0x0: must be specified for an update', field: 'metadata.resourceVersion' });
  return invalid({ group: of.resource.group, kind: of.resource.plural }, next.metadata.name ?? '', at.causes);
}
