import { isLongerThan } from '#base';
import type { Key } from './engine.ts';

const ROOT = '/registry/';
/** In UTF-8. Most kinds have names of at most 253; others, such as roles, set no bound, and what leads to them must fit into a key as well. */
const MAX_COMPONENT_BYTES = 1024;

/** Where the objects of a resource lie. The core group is ''. */
export interface CollectionPlace {
  readonly group: string;
  readonly resource: string;
  /** Absent or empty: the resource has no namespaces, or all of them are meant. */
  readonly namespace?: string | undefined;
}

/** Where one object lies. */
export interface ObjectPlace extends CollectionPlace {
  readonly name: string;
}

/**
 * The key of one object: `/registry/<group>/<resource>/<namespace>/<name>`, without the parts that are empty.
 * Throws `RangeError` for a name that would lead out of its folder; names that passed validation never do.
 */
export function keyOf(place: ObjectPlace): Key {
  return prefixOf(place) + component(place.name);
}

/** The folder of a namespace in a resource, or of the whole resource; ends in `/`. Throws `RangeError` as `keyOf` does. */
export function prefixOf({ group, resource, namespace }: CollectionPlace): Key {
  const folder = group === '' ? `${ROOT}${component(resource)}/` : `${ROOT}${component(group)}/${component(resource)}/`;
  return folderOfNamespace(folder, namespace);
}

/** The folder of a namespace in the folder of a resource. Throws `RangeError` as `keyOf` does. */
export const folderOfNamespace = (folder: Key, namespace: string | undefined): Key =>
  namespace === undefined || namespace === '' ? folder : `${folder}${component(namespace)}/`;

/** Whether text may be one component of a key: not empty, no `/`, no `.` or `..`, nothing unprintable. */
export function isKeyComponent(text: string): boolean {
  if (text === '' || text === '.' || text === '..' || isLongerThan(text, MAX_COMPONENT_BYTES)) return false;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // Below the space; '/'; delete.
    if (unit < 0x20 || unit === 0x2f || unit === 0x7f) return false;
    if ((unit & 0xf800) !== 0xd800) continue;
    // One half of a pair is no character.
    if (unit >= 0xdc00 || (text.charCodeAt(++i) & 0xfc00) !== 0xdc00) return false;
  }
  return true;
}

/** First key after everything that begins with `prefix` (which ends in `/`), or after exactly one key. */
export function endOf(prefix: Key): Key {
  // '0' comes right after '/', and no character that a key may have comes before the space.
  return prefix.endsWith('/') ? `${prefix.slice(0, -1)}0` : `${prefix} `;
}

/** Where a list of a collection begins. `from` comes from clients: it must not lead out of the collection. Throws `RangeError`. */
export function startOf({ prefix, from }: { readonly prefix: Key; readonly from?: Key }): Key {
  if (from === undefined) return prefix;
  if (!from.startsWith(prefix)) throw new RangeError(`${from} is not under ${prefix}`);
  return from;
}

/** Whether a key stands under a prefix (which ends in `/`), or is the one key that is meant. */
export const isUnder = (key: Key, prefix: Key): boolean => key === prefix || (prefix.endsWith('/') && key.startsWith(prefix));

/** Text that may be one component of a key, as it is. Throws `RangeError` for others. */
export function component(text: string): string {
  if (isKeyComponent(text)) return text;
  throw new RangeError(`${JSON.stringify(text.slice(0, MAX_COMPONENT_BYTES))} cannot be part of a key`);
}
