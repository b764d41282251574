import type { Brand } from '#api';
import type { Key } from './entry.ts';
import { FLAT, FOLDERS } from './key-folders.table.ts';
import { component } from './keys.ts';

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

/** Maps objects and collections to keys. Both methods throw `RangeError` for a name that cannot be a component of a key; names that passed validation always can. */
export interface KeySpace {
  /** The key of an object: root, folder of the resource, namespace, name, without the parts that are empty. */
  keyOf(place: ObjectPlace): Key;
  /** The prefix of the keys of a collection; ends in `/`. */
  prefixOf(place: CollectionPlace): Key;
}

/** The default first component of all keys. */
const DEFAULT_ROOT = '/registry';

/**
 * The keys of a dialect, under a root that begins with `/`. Those of the dialect `kubernetes` are the keys of kube-apiserver, so that either
 * server can open a store that the other has written; in that of `orch` each resource has the folder `<group>/<resource>`.
 */
export function createKeySpace(brand: Brand, root: Key = DEFAULT_ROOT): KeySpace {
  const folderOf = brand.dialect === 'orch' ? groupedFolder : kubernetesFolders(brand);
  const prefixOf = (place: CollectionPlace): Key => folderOfNamespace(`${root}/${folderOf(place)}/`, place.namespace);
  return { prefixOf, keyOf: (place) => prefixOf(place) + component(place.name) };
}

/**
 * The key that messages about conflicts show to clients, in either dialect: the one kube-apiserver would use under its default root, whatever the
 * real key is. Throws `RangeError` for a name that cannot be a component of a key.
 */
export function publicKeyOf(brand: Brand, place: ObjectPlace): Key {
  return folderOfNamespace(`${DEFAULT_ROOT}/${kubernetesFolders(brand)(place)}/`, place.namespace) + component(place.name);
}

/** The key prefix of a namespace below the prefix of a resource. */
const folderOfNamespace = (folder: Key, namespace: string | undefined): Key =>
  namespace === undefined || namespace === '' ? folder : `${folder}${component(namespace)}/`;

const groupedFolder = ({ group, resource }: CollectionPlace): string =>
  group === '' ? component(resource) : `${component(group)}/${component(resource)}`;

function kubernetesFolders(brand: Brand): (place: CollectionPlace) => string {
  const flat = Object.entries(FLAT).flatMap(([group, resources]) => resources.map((resource) => ({ group, resource, folder: resource })));
  const named = new Map([...flat, ...FOLDERS].map(({ group, resource, folder }) => [`${brand.group(group)}/${resource}`, folder]));
  return (place) => named.get(`${place.group}/${place.resource}`) ?? groupedFolder(place);
}
