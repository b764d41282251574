import type { Brand } from './brand.ts';
import type { KindDefinition, Subresource, Version } from './kind.ts';
import type { ApiObject } from './object.ts';

/** A kind as served: its declaration with names spelled in the server's dialect. */
export interface Resource {
  readonly kind: KindDefinition;
  /** As on the wire. */
  readonly group: string;
  readonly plural: string;
  /** Served versions in order of preference. */
  readonly versions: readonly ServedVersion[];
  readonly storage: ServedVersion;
}

export interface ServedVersion extends Omit<Version, 'up' | 'down'> {
  readonly up?: (object: ApiObject) => ApiObject;
  readonly down?: (object: ApiObject) => ApiObject;
  readonly version: string;
  /** `v1` or `group/version`, as on the wire. */
  readonly apiVersion: string;
}

/** What is served, looked up by what stands in a path. Custom resources join and leave at run time. */
export interface Catalog {
  readonly brand: Brand;
  /** undefined: no such group, version or resource. */
  find(group: string, version: string, plural: string): { readonly resource: Resource; readonly served: ServedVersion } | undefined;
  findKind(group: string, kind: string): Resource | undefined;
  /** In order of group, then as declared. */
  readonly resources: readonly Resource[];
  hasGroupVersion(group: string, version: string): boolean;
}

export type { Subresource };

/** Spells the declarations in a dialect and indexes them. */
export function createCatalog(kinds: readonly KindDefinition[], brand: Brand): Catalog {
  const resources = kinds.map((kind) => createResource(kind, brand));
  const byPath = new Map<string, { readonly resource: Resource; readonly served: ServedVersion }>();
  const groupVersions = new Set<string>();
  for (const resource of resources) {
    for (const served of resource.versions) {
      byPath.set(`${resource.group}/${served.version}/${resource.plural}`, { resource, served });
      groupVersions.add(`${resource.group}/${served.version}`);
    }
  }
  const byKind = new Map(resources.map((resource) => [`${resource.group}/${resource.kind.kind}`, resource]));
  return {
    brand,
    resources,
    find: (group, version, plural) => byPath.get(`${group}/${version}/${plural}`),
    findKind: (group, kind) => byKind.get(`${group}/${kind}`),
    hasGroupVersion: (group, version) => groupVersions.has(`${group}/${version}`),
  };
}

function createResource(kind: KindDefinition, brand: Brand): Resource {
  const group = brand.group(kind.group);
  const versions = Object.entries(kind.versions).map(([version, declared]) => createVersion(declared, version, group, brand));
  const storage = kind.storedAs === undefined ? versions.find((one) => one.version === kind.storage) : createResource(kind.storedAs, brand).storage;
  if (storage === undefined) throw new Error(`${kind.kind}: storage version ${kind.storage} is not declared`);
  return { kind, group, plural: kind.plural, versions, storage };
}

function createVersion({ up, down, ...declared }: Version, version: string, group: string, brand: Brand): ServedVersion {
  return {
    ...declared,
    ...(up === undefined ? {} : { up: (object: ApiObject) => up(object, brand) }),
    ...(down === undefined ? {} : { down: (object: ApiObject) => down(object, brand) }),
    version,
    apiVersion: group === '' ? version : `${group}/${version}`,
  };
}
