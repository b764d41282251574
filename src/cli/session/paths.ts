import { UsageError } from '../usage-error.ts';
import { groupVersionOf, type ApiResource } from './resources.ts';

/** Where the objects of a resource are. `namespace` undefined: those of all namespaces. */
export function collectionPath(resource: ApiResource, namespace: string | undefined): string {
  const root = `${resource.group === '' ? '/api' : '/apis'}/${groupVersionOf(resource)}`;
  const inside = resource.isNamespaced && namespace !== undefined ? `/namespaces/${segment(namespace)}` : '';
  return `${root}${inside}/${resource.plural}`;
}

export const objectPath = (resource: ApiResource, namespace: string, name: string): string =>
  `${collectionPath(resource, namespace)}/${segment(name)}`;

/** One step of a path. Throws `UsageError` for names that no path can hold. */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..' || name.includes('/')) throw new UsageError(`${JSON.stringify(name)} cannot be a name`);
  return encodeURIComponent(name);
}

/** A query from what is there; empty when nothing is. */
export function queryOf(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
}
