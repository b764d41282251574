import type { Brand } from '#api';
import type { Key } from './engine.ts';
import { FLAT, FOLDERS } from './key-folders.table.ts';
import { component, folderOfNamespace, keyOf, prefixOf, type CollectionPlace, type ObjectPlace } from './keys.ts';

/** How places become keys. Both throw `RangeError` for a name that would lead out of its folder. */
export interface KeySpace {
  keyOf(place: ObjectPlace): Key;
  /** Ends in `/`. */
  prefixOf(place: CollectionPlace): Key;
}

/** The root of the keys of a server, unless it is told otherwise. */
const DEFAULT_ROOT = '/registry';

/**
 * The keys of a dialect, under a root that begins with `/`. Those of `kubernetes` are the ones Kubernetes uses, so that either can open
 * what the other has written.
 */
export function createKeySpace(brand: Brand, root: Key = DEFAULT_ROOT): KeySpace {
  if (brand.dialect === 'orch' && root === DEFAULT_ROOT) return { keyOf, prefixOf };
  const folderOf = brand.dialect === 'orch' ? groupedFolder : kubernetesFolders(brand);
  const prefix = (place: CollectionPlace): Key => folderOfNamespace(`${root}/${folderOf(place)}/`, place.namespace);
  return { prefixOf: prefix, keyOf: (place) => prefix(place) + component(place.name) };
}

/**
 * The key that clients of either dialect read in a conflict, wherever the object lies: as Kubernetes lays them out, under the usual root.
 * Throws `RangeError` for a name that would lead out of its folder.
 */
export function publicKeyOf(brand: Brand, place: ObjectPlace): Key {
  return folderOfNamespace(`${DEFAULT_ROOT}/${kubernetesFolders(brand)(place)}/`, place.namespace) + component(place.name);
}

const groupedFolder = ({ group, resource }: CollectionPlace): string =>
  group === '' ? component(resource) : `${component(group)}/${component(resource)}`;

function kubernetesFolders(brand: Brand): (place: CollectionPlace) => string {
  const flat = Object.entries(FLAT).flatMap(([group, resources]) => resources.map((resource) => ({ group, resource, folder: resource })));
  const named = new Map([...flat, ...FOLDERS].map(({ group, resource, folder }) => [`${brand.group(group)}/${resource}`, folder]));
  return (place) => named.get(`${place.group}/${place.resource}`) ?? groupedFolder(place);
}
