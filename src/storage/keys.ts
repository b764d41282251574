import { isLongerThan } from '#base';
import type { Key } from './engine.ts';

const ROOT = '/registry/';
/** In UTF-8. Most kinds limit names to 253 characters; others, such as roles, do not, and the whole key must still fit into an engine. */
export const MAX_COMPONENT_BYTES = 1024;

/** A collection of objects. The core group is ''. */
export interface CollectionPlace {
  readonly group: string;
  readonly resource: string;
  /** Absent or empty: the resource is cluster-scoped, or the collection spans all namespaces. */
  readonly namespace?: string | undefined;
}

/** One object of a collection. */
export interface ObjectPlace extends CollectionPlace {
  readonly name: string;
}

/**
 * The key of one object: `/registry/<group>/<resource>/<namespace>/<name>`, without the parts that are empty.
 * Throws `RangeError` for a name that cannot be a component of a key; names that passed validation always can.
 */
export function keyOf(place: ObjectPlace): Key {
  return prefixOf(place) + component(place.name);
}

/** The key prefix of a namespace's objects of a resource, or of all its objects; ends in `/`. Throws `RangeError` as `keyOf` does. */
export function prefixOf({ group, resource, namespace }: CollectionPlace): Key {
  const folder = group === '' ? `${ROOT}${component(resource)}/` : `${ROOT}${component(group)}/${component(resource)}/`;
  return folderOfNamespace(folder, namespace);
}

/** The key prefix of a namespace below the prefix of a resource. Throws `RangeError` as `keyOf` does. */
export const folderOfNamespace = (folder: Key, namespace: string | undefined): Key =>
  namespace === undefined || namespace === '' ? folder : `${folder}${component(namespace)}/`;

/** Whether a text may be one component of a key: not empty, not too long, not `.` or `..`, no `/`, no control characters, no lone surrogates. */
export function isKeyComponent(text: string): boolean {
  if (text === '' || text === '.' || text === '..' || isLongerThan(text, MAX_COMPONENT_BYTES)) return false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // Control characters, '/', DEL.
    if (unit < 0x20 || unit === 0x2f || unit === 0x7f) return false;
    if ((unit & 0xf800) !== 0xd800) continue;
    // A lone surrogate is not a character.
    if (unit >= 0xdc00 || (text.charCodeAt(++i) & 0xfc00) !== 0xdc00) return false;
  }
  return true;
}

/** The exclusive end of the range of all keys under `prefix` (which ends in `/`), or of the range that holds just one key. */
export function endOf(prefix: Key): Key {
  // '0' is the character after '/', and no character of a key sorts before the space.
  return prefix.endsWith('/') ? `${prefix.slice(0, -1)}0` : `${prefix} `;
}

/** The first key of a list. `from` may come from a client's continue token: throws `RangeError` when it is not under `prefix`. */
export function startOf({ prefix, from }: { readonly prefix: Key; readonly from?: Key | undefined }): Key {
  if (from === undefined) return prefix;
  if (!from.startsWith(prefix)) throw new RangeError(`${from} is not under ${prefix}`);
  return from;
}

/** Whether `key` is under `prefix` (which ends in `/`), or equal to it where `prefix` is one whole key. */
export const isUnder = (key: Key, prefix: Key): boolean => key === prefix || (prefix.endsWith('/') && key.startsWith(prefix));

/** Returns `text` unchanged; throws `RangeError` when it cannot be one component of a key. */
export function component(text: string): string {
  if (isKeyComponent(text)) return text;
  throw new RangeError(`${JSON.stringify(text.slice(0, MAX_COMPONENT_BYTES))} cannot be part of a key`);
}
