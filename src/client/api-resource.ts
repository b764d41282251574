import { rootPathOf, type Brand, type KindDefinition } from '#api';

/** A resource as its server names it, from discovery or from a declaration. */
export interface ApiResource {
  /** As on the wire; empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  readonly verbs: readonly string[];
  /** As messages name one of its objects. Absent: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
}

/** Where a kind is served, in the version whose shape its type describes. */
export const resourceOf = (kind: KindDefinition, brand: Brand): ApiResource => ({
  group: brand.group(kind.group),
  version: kind.storage,
  plural: kind.plural,
  kind: kind.kind,
  isNamespaced: kind.scope === 'Namespaced',
  verbs: kind.verbs ?? [],
  ...(kind.singular === undefined ? {} : { singular: kind.singular }),
  ...(kind.shortNames === undefined ? {} : { shortNames: kind.shortNames }),
});

/** `undefined` or empty namespace: all objects, whatever their namespace. */
export function collectionPath(resource: ApiResource, namespace: string | undefined): string {
  const inside = resource.isNamespaced && namespace ? `/namespaces/${step(namespace)}` : '';
  return `${rootPathOf(resource)}${inside}/${resource.plural}`;
}

export const objectPath = (resource: ApiResource, namespace: string, name: string, subresource?: string): string =>
  `${collectionPath(resource, namespace)}/${step(name)}${subresource === undefined ? '' : `/${subresource}`}`;

/** One step of a path. A name that none can hold would reach another object. */
function step(name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) throw new Error(`${JSON.stringify(name)} cannot be the name of an object`);
  return encodeURIComponent(name);
}

/** A query from what is given; empty when nothing is. */
export function queryOf(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '' && value !== false);
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()}`;
}
