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
  /** The name of one object in messages. Absent: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
}

/** The resource of a declared kind, in the version that its type describes. */
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

/** The path of a collection. Undefined or empty namespace: of all namespaces. */
export function collectionPath(resource: ApiResource, namespace: string | undefined): string {
  const inside = resource.isNamespaced && namespace ? `/namespaces/${step(namespace)}` : '';
  return `${rootPathOf(resource)}${inside}/${resource.plural}`;
}

/** The path of one object, or of a subresource of it. */
export const objectPath = (resource: ApiResource, namespace: string, name: string, subresource?: string): string =>
  `${collectionPath(resource, namespace)}/${step(name)}${subresource === undefined ? '' : `/${subresource}`}`;

/** One path segment. Throws for a name that would change the path, such as `..`. */
function step(name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) throw new Error(`${JSON.stringify(name)} cannot be the name of an object`);
  return encodeURIComponent(name);
}

/** The query string of the defined parameters; empty when there are none. */
export function queryOf(parameters: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined && value !== '' && value !== false);
  return given.length === 0 ? '' : `?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)])).toString()}`;
}
