import { isJsonObject, type JsonObject, memberOf } from '#base';
import { zeroOf, type MessageType } from '#schema';

/** The value of `metadata.managedFields`, of any type; undefined: it is absent. */
export function managedFieldsOf(object: object): unknown {
  const metadata = memberOf(object as JsonObject, 'metadata');
  return isJsonObject(metadata) ? memberOf(metadata, 'managedFields') : undefined;
}

/** The object without `metadata.managedFields`: itself where it has none, else a copy. */
export function withoutManagedFields(object: object): JsonObject {
  return managedFieldsOf(object) === undefined ? (object as JsonObject) : withManagedFields(object as JsonObject, undefined);
}

/** A copy without `metadata.managedFields`. */
export const withoutOwners = <T extends object>(object: T): T => withManagedFields(object, undefined);

/** A copy with these `metadata.managedFields`, or without any for undefined. An object without metadata is returned as it is. */
export function withManagedFields<T extends object>(object: T, entries: readonly JsonObject[] | undefined): T {
  const { metadata } = object as { metadata?: unknown };
  if (!isJsonObject(metadata)) return object;
  const { managedFields: _before, ...kept } = metadata;
  if (entries !== undefined) kept['managedFields'] = entries;
  // Assigned, not named after the spread: to define a member is several times slower where objects have many shapes.
  const copy: T & { metadata?: unknown } = { ...object };
  copy.metadata = kept;
  return copy;
}

const empties = new WeakMap<MessageType, JsonObject>();

/** What a new object is compared with: members that are always written are in it. */
export function emptyOf(type: MessageType): JsonObject {
  let empty = empties.get(type);
  if (empty === undefined) {
    empty = zeroOf(type);
    empties.set(type, empty);
  }
  return empty;
}
