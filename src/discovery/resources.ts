import { createHash } from 'node:crypto';
import { addToList } from '#base';
import { ALL_VERBS, apiVersionOf, brandOf, type Catalog, type KindDefinition, type Resource, type ServedVersion, type Subresource, type Verb } from '#api';

/** One entry of an APIResourceList. */
export interface ResourceEntry {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

/** An APIResourceList. */
export interface ResourceList {
  readonly kind: 'APIResourceList';
  readonly apiVersion?: 'v1';
  readonly groupVersion: string;
  readonly resources: readonly ResourceEntry[];
}

/** The resource list of `/api/v1` or `/apis/<group>/<version>`. That of the core group has no `apiVersion`. */
export function resourceListDocument(catalog: Catalog, group: string, version: string): ResourceList {
  const resources = servedIn(catalog, group, version).flatMap(([resource, served]) => describeResource(catalog, resource, served));
  return {
    kind: 'APIResourceList',
    ...(group === '' ? {} : { apiVersion: 'v1' }),
    groupVersion: apiVersionOf({ group, version }),
    resources: catalog.isBuiltIn(group) ? resources.sort((a, b) => (a.name < b.name ? -1 : 1)) : resources,
  };
}

type Served = readonly (readonly [Resource, ServedVersion])[];

/** The resources of a group and version. */
const servedIn = ({ resources }: Catalog, group: string, version: string): Served => placesOf(resources).get(placeOf(group, version)) ?? [];

const placeOf = (group: string, version: string): string => `${group}/${version}`;

/**
 * Cached by the identity of the catalog's array, which changes with every change. Discovery of all versions would otherwise scan the array as often.
 */
const known = new WeakMap<readonly Resource[], ReadonlyMap<string, Served>>();

function placesOf(resources: readonly Resource[]): ReadonlyMap<string, Served> {
  const before = known.get(resources);
  if (before !== undefined) return before;
  const places = new Map<string, (readonly [Resource, ServedVersion])[]>();
  for (const resource of resources) {
    for (const served of resource.versions) addToList(places, placeOf(resource.group, served.version), [resource, served]);
  }
  known.set(resources, places);
  return places;
}

/** Verbs of resources whose definition is being deleted. */
const LAST_VERBS: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'watch'];

function describeResource(catalog: Catalog, resource: Resource, served: ServedVersion): ResourceEntry[] {
  const { kind, plural } = resource;
  const main: ResourceEntry = {
    name: plural,
    singularName: kind.singular ?? '',
    namespaced: kind.scope === 'Namespaced',
    kind: kind.kind,
    verbs: kind.isLeaving === true ? LAST_VERBS : (kind.verbs ?? ALL_VERBS),
    ...(kind.shortNames === undefined ? {} : { shortNames: kind.shortNames }),
    ...(kind.categories === undefined ? {} : { categories: kind.categories }),
    ...storageHash(resource),
  };
  const parts = Object.entries(kind.subresources ?? {}).map(([name, part]) => describePart(catalog, resource, served, name, part));
  return [main, ...parts];
}

function describePart(catalog: Catalog, { kind, plural }: Resource, served: ServedVersion, name: string, part: Subresource): ResourceEntry {
  return {
    name: `${plural}/${name}`,
    singularName: '',
    namespaced: kind.scope === 'Namespaced',
    ...carriedKind(catalog, kind.kind, served, part),
    verbs: part.verbs,
  };
}

/** Group and version are listed only where they differ from the list's. */
function carriedKind(
  { brand }: Catalog,
  kind: string,
  served: ServedVersion,
  { carries }: Subresource,
): { readonly group?: string; readonly version?: string; readonly kind: string } {
  if (carries === undefined) return { kind };
  const group = brand.group(carries.group);
  const { version } = carries;
  return apiVersionOf({ group, version }) === served.apiVersion ? { kind: carries.kind } : { group, version, kind: carries.kind };
}

/** Reviews and bindings can only be created, and are not stored. */
const isStored = (kind: KindDefinition): boolean => (kind.verbs ?? ALL_VERBS).includes('update');

/**
 * A hash that changes with the storage version: clients that migrate storage compare it. It has no other meaning, so it is the same in every dialect.
 */
function storageHash({ storage, kind }: Resource): Pick<ResourceEntry, 'storageVersionHash'> {
  const { knownStorage = storage.version } = kind;
  if (knownStorage === null || !isStored(kind)) return {};
  const group = brandOf('kubernetes').group(kind.storedAs?.group ?? kind.group);
  return { storageVersionHash: createHash('sha256').update(`${group}/${knownStorage}/${kind.kind}`).digest().subarray(0, 8).toString('base64') };
}
