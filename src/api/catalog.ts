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
  find(group: string, version: string, plural: string): Route | undefined;
  findKind(group: string, kind: string): Resource | undefined;
  /** By group, then in order of declaration. A new array after every change: caches of derived values compare its identity. */
  readonly resources: readonly Resource[];
  hasGroupVersion(group: string, version: string): boolean;
  /** Whether a group is built in, even if custom resources were added to it. */
  isBuiltIn(group: string): boolean;
  /** Whether a built-in resource has this name, in any version. */
  hasBuiltIn(group: string, plural: string): boolean;
}

interface Route {
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
  readonly resources: readonly Resource[];
  readonly end: AbortController;
}

class IndexedCatalog implements OpenCatalog {
  readonly brand: Brand;
  resources: readonly Resource[];
  readonly #builtIn: readonly Resource[];
  readonly #parties = new Map<string, Party>();
  readonly #builtInGroups: ReadonlySet<string>;
  /** By group, version and plural. Nested maps, because every request looks up here and must not concatenate a key. */
  #byPath = new Map<string, Map<string, Map<string, Route>>>();
  #byKind = new Map<string, Resource>();

  constructor(builtIn: readonly Resource[], brand: Brand) {
    this.brand = brand;
    this.resources = builtIn;
    this.#builtIn = builtIn;
    this.#builtInGroups = new Set(builtIn.map(({ group }) => group));
    this.#index();
  }

  readonly find: Catalog['find'] = (group, version, plural) => this.#byPath.get(group)?.get(version)?.get(plural);
  readonly findKind: Catalog['findKind'] = (group, kind) => this.#byKind.get(`${group}/${kind}`);
  readonly hasGroupVersion: Catalog['hasGroupVersion'] = (group, version) => this.#byPath.get(group)?.has(version) === true;
  readonly isBuiltIn: Catalog['isBuiltIn'] = (group) => this.#builtInGroups.has(group);
  readonly hasBuiltIn: Catalog['hasBuiltIn'] = (group, plural) => this.#builtIn.some((one) => one.group === group && one.plural === plural);

  join(owner: string, kinds: readonly KindDefinition[], isSameToWatchers = false): readonly Resource[] {
    const before = this.#parties.get(owner);
    const end = (isSameToWatchers ? before?.end : undefined) ?? new AbortController();
    const resources = kinds.map((kind) => ({ ...createResource(kind, this.brand), gone: end.signal }));
    this.#parties.set(owner, { resources, end });
    this.#index();
    if (before?.end !== end) before?.end.abort();
    return resources;
  }

  leave(owner: string): void {
    const before = this.#parties.get(owner);
    if (before === undefined) return;
    this.#parties.delete(owner);
    this.#index();
    before.end.abort();
  }

  #index(): void {
    const parties = [...this.#parties].sort(([a], [b]) => (a < b ? -1 : 1));
    this.resources = [...this.#builtIn, ...parties.flatMap(([, { resources }]) => resources)];
    this.#byPath = new Map();
    this.#byKind = new Map();
    for (const resource of this.resources) this.#add(resource);
  }

  /** Adds a resource; an existing one of the same name stays. */
  #add(resource: Resource): void {
    const { group, plural, kind, versions } = resource;
    for (const served of versions) {
      const here = inner(inner(this.#byPath, group), served.version);
      if (!here.has(plural)) here.set(plural, { resource, served });
    }
    const name = `${group}/${kind.kind}`;
    if (!this.#byKind.has(name)) this.#byKind.set(name, resource);
  }
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
