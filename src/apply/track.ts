import { isJsonObject, type JsonObject, memberOf } from '#base';
import { zeroOf, type MessageType } from '#schema';
import { EMPTY_SET, type FieldSet } from './fieldpath/set.ts';
import { PathElementFailure } from './fieldpath/element.ts';
import { capUpdateManagers } from './managers/cap.ts';
import { asksForReset, ManagedFieldsFailure, NOBODY, readManaged, writeManaged, type Managed } from './managed-fields.ts';
import { moveOwnership } from './ownership.ts';
import { reconcile, withoutUnserved } from './reconcile.ts';
import { storedMisfitOf } from './typed/misfit.ts';
import { StructureFailure } from './typed/structure-failure.ts';
import { oneForm, VersionFailure, type VersionForms } from './versions.ts';

/** One create, update or patch, whose owners are to be noted. */
export interface TrackRequest {
  /** The whole object in the storage version. */
  readonly type: MessageType;
  /** What is stored, in normal form; undefined on create. */
  readonly live: object | undefined;
  /** What would be stored, in normal form with defaults, with the `managedFields` the client sent. */
  readonly next: object;
  /** See `managerName`. */
  readonly manager: string;
  /** The version the request speaks. */
  readonly apiVersion: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly nowMs: number;
  /** See `resetFieldsOf`. */
  readonly resetFields?: FieldSet;
  /** The request says in its own way that all owners are to be forgotten. */
  readonly forgetsOwners?: boolean;
  /** Absent: whatever version is named is of the same form. */
  readonly forms?: VersionForms;
}

/**
 * `next` with `metadata.managedFields` as a create, update or patch leaves them: the manager owns what it changed and added.
 * Neither object is changed; parts are shared. An object whose lists have items that cannot be told apart is not tracked,
 * and no more is one that is none of its type, or of a version in which somebody owns something.
 * @spec 4.9
 */
export function track<T extends object>(request: TrackRequest & { readonly next: T }): T {
  const { live, next, type } = request;
  const isReset = request.subresource === '' && (request.forgetsOwners === true || asksForReset(managedFieldsOf(next)));
  const noted = isReset ? NOBODY : sentOrLive(request);
  // Tracking starts with the object or with the first apply, never in between.
  if (noted.size === 0 && live !== undefined && !isReset) return withoutOwners(next);
  const forms = request.forms ?? oneForm(type);
  const change = {
    before: live === undefined ? emptyOf(type) : withoutManagedFields(live),
    after: withoutManagedFields(next),
    apiVersion: request.apiVersion,
    forms,
    resetFields: request.resetFields ?? EMPTY_SET,
  };
  if ([change.before, change.after].some((object) => storedMisfitOf(type, object) !== undefined)) return withoutOwners(next);
  try {
    // Only schemas that are made at run time become other ones under their objects.
    const managed = type.open === undefined ? withoutUnserved(noted, forms) : reconcile(noted, forms);
    return withManagedFields(next, writeManaged(capUpdateManagers(moveOwnership(managed, change, request))));
  } catch (error) {
    if (error instanceof StructureFailure || error instanceof VersionFailure) return withoutOwners(next);
    throw error;
  }
}

/** What the client sent counts when it can be read and is not empty; through subresources it never counts. */
function sentOrLive({ live, next, subresource }: TrackRequest): Managed {
  const sent = subresource === '' ? readOrNothing(next) : NOBODY;
  if (sent.size > 0 || live === undefined) return sent;
  return readOrNothing(live);
}

function readOrNothing(object: object): Managed {
  try {
    return readManaged(managedFieldsOf(object));
  } catch (error) {
    if (error instanceof ManagedFieldsFailure || error instanceof PathElementFailure) return NOBODY;
    throw error;
  }
}

const empties = new WeakMap<MessageType, JsonObject>();

/** What an object is compared with when there was none: the members that are always written are already there. */
export function emptyOf(type: MessageType): JsonObject {
  let empty = empties.get(type);
  if (empty === undefined) {
    empty = zeroOf(type);
    empties.set(type, empty);
  }
  return empty;
}

/** `metadata.managedFields` of an object, whatever stands there; undefined: nothing does. */
export function managedFieldsOf(object: object): unknown {
  const metadata = memberOf(object as JsonObject, 'metadata');
  return isJsonObject(metadata) ? memberOf(metadata, 'managedFields') : undefined;
}

/** The object without its owners: itself where it has none, else a copy. */
export function withoutManagedFields(object: object): JsonObject {
  return managedFieldsOf(object) === undefined ? (object as JsonObject) : withManagedFields(object as JsonObject, undefined);
}

/** The same without `metadata.managedFields`. */
export const withoutOwners = <T extends object>(object: T): T => withManagedFields(object, undefined);

/** A copy with these entries; undefined: none. */
export function withManagedFields<T extends object>(object: T, entries: readonly JsonObject[] | undefined): T {
  const { metadata } = object as { metadata?: unknown };
  if (!isJsonObject(metadata)) return object;
  if (entries !== undefined) return { ...object, metadata: { ...metadata, managedFields: entries } };
  const { managedFields: _before, ...kept } = metadata;
  return { ...object, metadata: kept };
}
