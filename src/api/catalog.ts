import type { GroupResource } from '#errors';
import type { Brand } from './brand.ts';
import { apiVersionOf } from './group-version.ts';
import type { KindDefinition, Version } from './kind.ts';
import type { ApiObject } from './object.ts';

/** A served kind: its declaration with names spelled in the server's dialect. */
export interface Resource {
  readonly kind: KindDefinition;
  /** As on the wire. */
  readonly group: string;
  readonly plural: string;
  /** Served versions in order of preference. */
  readonly versions: readonly ServedVersion[];
  readonly storage: ServedVersion;
  /** Versions that are no longer served, in which objects may still be stored. */
  readonly retired: readonly ServedVersion[];
  /** Aborts when this resource is no longer served, or served differently: its watches end then. Absent: it is always served. */
  readonly gone?: AbortSignal;
}

/** Whether a resource is that of namespaces. Custom resources of other groups may have the same plural. */
export const isOfNamespaces = ({ group, plural }: Pick<Resource, 'group' | 'plural'>): boolean => group === '' && plural === 'namespaces';

/** A resource as errors about requests to it name it. */
export const groupResourceOf = ({ group, plural }: Pick<Resource, 'group' | 'plural'>): GroupResource => ({ group, resource: plural });

/** One version of a resource, with how it is spelled. */
export interface ServedVersion extends Omit<Version, 'up' | 'down'> {
  readonly up?: (object: ApiObject) => ApiObject;
  readonly down?: (object: ApiObject) => ApiObject;
  readonly version: string;
  /** `v1` or `group/version`, as on the wire. */
  readonly apiVersion: string;
}

/** The served resources, looked up by the parts of a path. Custom resources are added and removed at run time. */
export interface Catalog {
  readonly brand: Brand;
  /** undefined: no such group, version or resource. */
  find(group: string, version: string, plural: string): ServedResource | undefined;
  findKind(group: string, kind: string): Resource | undefined;
  /** By group, then in order of declaration. A new array after every change: caches of derived values compare its identity. */
  readonly resources: readonly Resource[];
  hasGroupVersion(group: string, version: string): boolean;
  /** Whether a group is built in, even if custom resources were added to it. */
  isBuiltIn(group: string): boolean;
  /** Whether a built-in resource has this name, in any version. */
  hasBuiltIn(group: string, plural: string): boolean;
}

/** A resource, and the version it was looked up in. */
interface ServedResource {
  readonly resource: Resource;
  readonly served: ServedVersion;
}

/** A catalog that can change. Built-in kinds always stay. */
export interface OpenCatalog extends Catalog {
  /**
   * Serves these kinds instead of those that the same owner added before. `findKind` finds the first of several with one name. `isSameToWatchers`:
   * watchers would notice no difference, so that watches go on. Default false.
   */
  join(owner: string, kinds: readonly KindDefinition[], isSameToWatchers?: boolean): readonly Resource[];
  /** Removes the kinds of an owner. */
  leave(owner: string): void;
}

/** Spells the declarations in a dialect and indexes them. */
export function createCatalog(kinds: readonly KindDefinition[], brand: Brand): OpenCatalog {
  return new IndexedCatalog(
    kinds.map((kind) => createResource(kind, brand)),
    brand,
  );
}

/** The kinds of one owner. */
interface Party {
  readonly owner: string;
  readonly resources: readonly Resource[];
  readonly end: AbortController;
}

/** What is found in one group. Nested maps, because every request looks up here and must not concatenate a key. */
interface GroupIndex {
  /** By version and plural. */
  readonly served: Map<string, Map<string, ServedResource>>;
  readonly kinds: Map<string, Resource>;
}

class IndexedCatalog implements OpenCatalog {
  readonly brand: Brand;
  resources: readonly Resource[];
  readonly #builtIn: readonly Resource[];
  /** Sorted by owner. There may be thousands: a change touches the index of its groups only. */
  #parties: readonly Party[] = [];
  readonly #groups = new Map<string, GroupIndex>();
  readonly #builtInGroups: ReadonlySet<string>;

  constructor(builtIn: readonly Resource[], brand: Brand) {
    this.brand = brand;
    this.resources = builtIn;
    this.#builtIn = builtIn;
    this.#builtInGroups = new Set(builtIn.map(({ group }) => group));
    for (const group of this.#builtInGroups) this.#index(group);
  }

  readonly find: Catalog['find'] = (group, version, plural) => this.#groups.get(group)?.served.get(version)?.get(plural);
  readonly findKind: Catalog['findKind'] = (group, kind) => this.#groups.get(group)?.kinds.get(kind);
  readonly hasGroupVersion: Catalog['hasGroupVersion'] = (group, version) => this.#groups.get(group)?.served.has(version) === true;
  readonly isBuiltIn: Catalog['isBuiltIn'] = (group) => this.#builtInGroups.has(group);
  readonly hasBuiltIn: Catalog['hasBuiltIn'] = (group, plural) => this.#builtIn.some((one) => one.group === group && one.plural === plural);

  join(owner: string, kinds: readonly KindDefinition[], isSameToWatchers = false): readonly Resource[] {
    const before = this.#partyOf(owner);
    const end = (isSameToWatchers ? before?.end : undefined) ?? new AbortController();
    const resources = kinds.map((kind) => ({ ...createResource(kind, this.brand), gone: end.signal }));
    this.#replace(owner, before, { owner, resources, end });
    if (before?.end !== end) before?.end.abort();
    return resources;
  }

  leave(owner: string): void {
    const before = this.#partyOf(owner);
    if (before === undefined) return;
    this.#replace(owner, before, undefined);
    before.end.abort();
  }

  #partyOf(owner: string): Party | undefined {
    return this.#parties.find((party) => party.owner === owner);
  }

  #replace(owner: string, before: Party | undefined, next: Party | undefined): void {
    const at = this.#parties.findIndex((party) => party.owner >= owner);
    const place = at < 0 ? this.#parties.length : at;
    this.#parties = this.#parties.toSpliced(place, before === undefined ? 0 : 1, ...(next === undefined ? [] : [next]));
    this.resources = [...this.#builtIn, ...this.#parties.flatMap(({ resources }) => resources)];
    const changed = [...(before?.resources ?? []), ...(next?.resources ?? [])];
    for (const group of new Set(changed.map((resource) => resource.group))) this.#index(group);
  }

  /** Of several resources of one name, or of one kind, the first is found. */
  #index(group: string): void {
    const index: GroupIndex = { served: new Map(), kinds: new Map() };
    for (const resource of this.resources) {
      if (resource.group !== group) continue;
      for (const served of resource.versions) addNew(inner(index.served, served.version), resource.plural, { resource, served });
      addNew(index.kinds, resource.kind.kind, resource);
    }
    if (index.kinds.size > 0) this.#groups.set(group, index);
    else this.#groups.delete(group);
  }
}

function addNew<V>(map: Map<string, V>, key: string, value: V): void {
  if (!map.has(key)) map.set(key, value);
}

/** The map at a key of a map of maps; a new one where there is none. */
function inner<V>(maps: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let map = maps.get(key);
  if (map === undefined) maps.set(key, (map = new Map()));
  return map;
}

/** Spells one declaration. */
export function createResource(kind: KindDefinition, brand: Brand): Resource {
  const group = brand.group(kind.group);
  const declared = Object.entries(kind.versions).map(([version, facts]) => createVersion(facts, version, group, brand));
  const versions = declared.filter(({ isOff }) => isOff !== true);
  const storage = kind.storedAs === undefined ? declared.find((one) => one.version === kind.storage) : createResource(kind.storedAs, brand).storage;
  if (storage === undefined) throw new Error(`${kind.kind}: storage version ${kind.storage} is not declared`);
  const retired = Object.entries(kind.retired ?? {}).map(([name, facts]) => {
    const [version = '', neutral = kind.group] = name.split('/').reverse();
    return createVersion(facts, version, brand.group(neutral), brand);
  });
  return { kind, group, plural: kind.plural, versions, storage, retired };
}

function createVersion({ up, down, ...declared }: Version, version: string, group: string, brand: Brand): ServedVersion {
  return {
    ...declared,
    ...(up === undefined ? {} : { up: (object: ApiObject) => up(object, brand) }),
    ...(down === undefined ? {} : { down: (object: ApiObject) => down(object, brand) }),
    version,
    apiVersion: apiVersionOf({ group, version }),
  };
}
