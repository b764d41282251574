import type { Brand } from './brand.ts';
import { apiVersionOf } from './group-version.ts';
import type { KindDefinition, Version } from './kind.ts';
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
  /** Versions that are served no longer, in which objects may still be stored. */
  readonly retired: readonly ServedVersion[];
  /** Aborts when this resource is served no longer, or otherwise than before: then watches end. Absent: it is always served. */
  readonly gone?: AbortSignal;
}

/** One version of a resource, with how it is spelled. */
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
  find(group: string, version: string, plural: string): Route | undefined;
  findKind(group: string, kind: string): Resource | undefined;
  /** In order of group, then as declared. Another list after every change: who keeps what was made of it compares the list. */
  readonly resources: readonly Resource[];
  hasGroupVersion(group: string, version: string): boolean;
  /** Whether a group is the server's own, whatever joined it. */
  isBuiltIn(group: string): boolean;
  /** Whether the server has a resource of this name of its own, in whatever version. */
  hasBuiltIn(group: string, plural: string): boolean;
}

interface Route {
  readonly resource: Resource;
  readonly served: ServedVersion;
}

/** A catalog that changes. What is built in stays, whatever joins. */
export interface OpenCatalog extends Catalog {
  /**
   * Serves these kinds in place of what the same owner brought before. `findKind` finds the first of those with one name.
   * `isSameToWatchers`: who watches would see no difference, so that watches go on. Default false.
   */
  join(owner: string, kinds: readonly KindDefinition[], isSameToWatchers?: boolean): readonly Resource[];
  /** Serves no longer what the owner brought. */
  leave(owner: string): void;
}

/** Spells the declarations in a dialect and indexes them. */
export function createCatalog(kinds: readonly KindDefinition[], brand: Brand): OpenCatalog {
  return new IndexedCatalog(
    kinds.map((kind) => createResource(kind, brand)),
    brand,
  );
}

/** What one owner brought. */
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
  /** By group, version and plural. Every request looks here: no key is put together for that. */
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

  /** Who was there first stays. */
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
