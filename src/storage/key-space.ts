import type { Brand } from '#api';
import type { Key } from './engine.ts';
import { FLAT, FOLDERS } from './key-folders.table.ts';
import { component, folderOfNamespace, keyOf, prefixOf, type CollectionPlace, type ObjectPlace } from './keys.ts';

/** Maps objects and collections to keys. Both methods throw `RangeError` for a name that cannot be a component of a key. */
export interface KeySpace {
  keyOf(place: ObjectPlace): Key;
  /** The prefix of the keys of a collection; ends in `/`. */
  prefixOf(place: CollectionPlace): Key;
}

/** The default first component of all keys. */
const DEFAULT_ROOT = '/registry';

/**
 * The keys of a dialect, under a root that begins with `/`. Those of the dialect `kubernetes` are the keys of kube-apiserver, so that either
 * server can open a store that the other has written.
 */
export function createKeySpace(brand: Brand, root: Key = DEFAULT_ROOT): KeySpace {
  if (brand.dialect === 'orch' && root === DEFAULT_ROOT) return { keyOf, prefixOf };
  const folderOf = brand.dialect === 'orch' ? groupedFolder : kubernetesFolders(brand);
  const prefix = (place: CollectionPlace): Key => folderOfNamespace(`${root}/${folderOf(place)}/`, place.namespace);
  return { prefixOf: prefix, keyOf: (place) => prefix(place) + component(place.name) };
}

/**
 * The key that messages about conflicts show to clients, in either dialect: the one kube-apiserver would use under its default root, whatever the
 * real key is. Throws `RangeError` for a name that cannot be a component of a key.
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
