import { isDeepEqual } from '#base';
import type { MessageType } from '#schema';
import { EMPTY_SET, type FieldSet } from './fieldpath/set.ts';
import { PathElementFailure } from './fieldpath/element.ts';
import { capUpdateManagers } from './managers/cap.ts';
import { asksForReset, ManagedFieldsFailure, NOBODY, readManaged, writeManaged, type Managed } from './managed-fields.ts';
import { emptyOf, managedFieldsOf, withManagedFields, withoutManagedFields, withoutOwners } from './owned-object.ts';
import { moveOwnership } from './ownership.ts';
import { reconcile, withoutUnserved } from './reconcile.ts';
import { hiddenMisfitOf } from './typed/misfit.ts';
import { StructureFailure } from './typed/structure-failure.ts';
import { oneForm, VersionFailure, type VersionForms } from './versions.ts';

/** One create, update or patch whose field ownership is tracked. */
export interface TrackRequest {
  /** The whole object in the storage version. */
  readonly type: MessageType;
  /** The stored object, in normal form; undefined on create. */
  readonly live: object | undefined;
  /** The object to store, in normal form with defaults, with the `managedFields` the client sent. */
  readonly next: object;
  /** See `managerName`. */
  readonly manager: string;
  /** The version of the request. */
  readonly apiVersion: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly nowMs: number;
  /** See `resetFieldsOf`. */
  readonly resetFields?: FieldSet;
  /** The request resets all `managedFields`, other than by an empty entry in it. */
  readonly forgetsOwners?: boolean;
  /** Converts between versions. Absent: all versions have the same form. */
  readonly forms?: VersionForms;
}

/**
 * `next` with `metadata.managedFields` after a create, update or patch: the manager owns what it changed and added. Neither object is changed; parts
 * are shared. An object is not tracked where list items have the same key or none, where it does not fit its type, or where it cannot be converted to
 * the version of a manager.
 * @spec 4.9
 */
export function track<T extends object>(request: TrackRequest & { readonly next: T }): T {
  const { live, next, type } = request;
  const isReset = request.subresource === '' && (request.forgetsOwners === true || asksForReset(managedFieldsOf(next)));
  const noted = isReset ? NOBODY : sentOrLive(request);
  // Tracking begins when an object is created or first applied.
  if (noted.size === 0 && live !== undefined && !isReset) return withoutOwners(next);
  const forms = request.forms ?? oneForm(type);
  const change = {
    before: live === undefined ? emptyOf(type) : withoutManagedFields(live),
    after: withoutManagedFields(next),
    apiVersion: request.apiVersion,
    forms,
    resetFields: request.resetFields ?? EMPTY_SET,
  };
  if ([change.before, change.after].some((object) => hiddenMisfitOf(type, object) !== undefined)) return withoutOwners(next);
  try {
    const managed = reconcile(type.open === undefined ? withoutUnserved(noted, forms) : noted, forms);
    return withManagedFields(next, writeManaged(capUpdateManagers(moveOwnership(managed, change, request, noted))));
  } catch (error) {
    if (error instanceof StructureFailure || error instanceof VersionFailure) return withoutOwners(next);
    throw error;
  }
}

/** The `managedFields` that the client sent count where they can be read and are not empty; through subresources never. */
function sentOrLive({ live, next, subresource }: TrackRequest): Managed {
  if (live === undefined) return subresource === '' ? readOrNothing(next) : NOBODY;
  // Most clients send what they have read. That list was read before, and all that was made of it since is at hand.
  if (subresource !== '' || isDeepEqual(managedFieldsOf(next), managedFieldsOf(live))) return readOrNothing(live);
  const sent = readOrNothing(next);
  return sent.size > 0 ? sent : readOrNothing(live);
}

function readOrNothing(object: object): Managed {
  const read = tryRead(managedFieldsOf(object));
  return read instanceof Error ? NOBODY : read;
}

/** Why nobody could read this `managedFields` list; undefined where it can be read. */
export function unreadableOwners(list: unknown): string | undefined {
  const read = tryRead(list);
  return read instanceof Error ? read.message : undefined;
}

function tryRead(list: unknown): Managed | Error {
  try {
    return readManaged(list);
  } catch (error) {
    if (error instanceof ManagedFieldsFailure || error instanceof PathElementFailure) return error;
    throw error;
  }
}
