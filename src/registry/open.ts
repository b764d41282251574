import type { Clock } from '#base';
import { notFound } from '#errors';
import { areStoredTogether, groupResourceOf, objectTypeOf, type ApiObject, type Catalog, type KindName, type Resource } from '#api';
import { createKeySpace, createObjectStore, isKeyComponent, type Engine, type Key, type KeySpace, type KindCodec } from '#storage';
import { openWatchCaches, type WatchCaches } from '#watchcache';
import { Allocator } from './allocators/allocator.ts';
import type { ServiceRanges } from './allocators/pools.ts';
import { RANGE_RECORDS, RangeRecords, type RangeRecordsOptions } from './allocators/range-records.ts';
import { createConvertingStore } from './converting-store.ts';
import { declarationPrerequisite } from './declaration.ts';
import { createFollowedStore, type FollowedStore } from './followed-store.ts';
import { isObjectName, noObjectName } from './object-name.ts';
import { encodeForStorage, encoderForStorage } from './stored-form.ts';
import { storedPlace } from './stored-place.ts';
import type { Registry } from './registry.ts';

/** The registries of a server, one per resource, opened on first use. */
export interface Registries {
  of(resource: Resource): Registry;
}

/** Settings of all registries of a server. */
export interface RegistriesOptions {
  /** Maps objects to keys. Default: the keys of the dialect. */
  readonly keys?: KeySpace;
  /** The address and port ranges of services. */
  readonly ranges?: ServiceRanges;
  /**
   * How many objects of a collection are admitted for deletion concurrently, and also written concurrently where the engine does not keep the order of
   * writes: with more than one, their order is undefined. Default 1.
   */
  readonly deletionWorkers?: number;
  /** Whether containers may be privileged. Default false. */
  readonly allowsPrivileged?: boolean;
}

/** With an engine that keeps the order of writes, so many deletions run concurrently: enough to share commits, few enough not to starve other requests. */
const DELETIONS_IN_ORDER = 16;

/** The registries of a server over its store. Neither reads nor writes until they are used. */
export function openRegistries(catalog: Catalog, engine: Engine, clock: Clock, { keys = createKeySpace(catalog.brand), ranges, deletionWorkers = 1, allowsPrivileged = false }: RegistriesOptions = {}): Registries {
  // Weak, because each change of a CustomResourceDefinition makes a new `Resource`.
  const open = new WeakMap<Resource, Registry>();
  const stores = new Map<Key, FollowedStore>();
  const caches = openWatchCaches({ engine, clock });
  const deletionsAtOnce = engine.keepsOrder ? Math.max(DELETIONS_IN_ORDER, deletionWorkers) : deletionWorkers;
  const registries: Registries = {
    of(resource) {
      let registry = open.get(resource);
      if (registry === undefined) {
        registry = createRegistry(resource, { registries, catalog, engine, clock, keys, caches, stores, ranges, deletionWorkers, deletionsAtOnce, allowsPrivileged });
        open.set(resource, registry);
      }
      return registry;
    },
  };
  return registries;
}

/** What all registries share. */
interface RegistryEnvironment {
  readonly registries: Registries;
  readonly catalog: Catalog;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly keys: KeySpace;
  readonly caches: WatchCaches;
  /**
   * By key prefix: all groups and versions that serve the same objects share a store, which outlives changes of a CustomResourceDefinition. There are never
   * more of them than served resources, and one.
   */
  readonly stores: Map<Key, FollowedStore>;
  /** The address and port ranges of services; undefined: the default. */
  readonly ranges: ServiceRanges | undefined;
  readonly deletionWorkers: number;
  readonly deletionsAtOnce: number;
  readonly allowsPrivileged: boolean;
}

function createRegistry(resource: Resource, environment: RegistryEnvironment): Registry {
  const { catalog, clock, keys, deletionWorkers, deletionsAtOnce, allowsPrivileged } = environment;
  const place = groupResourceOf(resource);
  const stored = storedPlace(resource, catalog.brand);
  const prefix = keys.prefixOf(stored);
  const objects = openStore(resource, prefix, environment);
  const { allocating, declaredBy } = resource.kind;
  return {
    resource,
    brand: catalog.brand,
    clock,
    objects,
    deletionWorkers,
    deletionsAtOnce,
    allowsPrivileged,
    ...(allocating === undefined ? {} : { allocator: new Allocator(openRecords({ holders: objects, holdersPrefix: prefix, held: (object) => allocating.held(object) }, environment), resource, allocating) }),
    prerequisites: declaredBy === undefined ? [] : [declarationPrerequisite(resource, declaredBy)],
    registryOf: (kind) => registryOf(kind, environment),
    keyOf({ namespace, name }) {
      if (!isObjectName(name)) throw noObjectName(place, name);
      if (namespace !== '' && !isKeyComponent(namespace)) throw notFound(place, name);
      return namespace === '' ? `${prefix}${name}` : `${prefix}${namespace}/${name}`;
    },
    prefixOf(namespace) {
      if (namespace !== '' && !isKeyComponent(namespace)) throw notFound({ group: '', resource: 'namespaces' }, namespace);
      return keys.prefixOf({ ...stored, namespace });
    },
  };
}

/** The registry of a kind; undefined: the kind is not served. Looked up on each use, as the served kinds may change. */
export function registryOf({ group, kind }: KindName, { catalog, registries }: Pick<RegistryEnvironment, 'catalog' | 'registries'>): Registry | undefined {
  const resource = catalog.findKind(catalog.brand.group(group), kind);
  return resource === undefined ? undefined : registries.of(resource);
}

function openStore(resource: Resource, prefix: Key, { catalog, engine, clock, keys, caches, stores }: RegistryEnvironment): FollowedStore {
  const { storedForms, scope } = resource.kind;
  let objects = stores.get(prefix);
  if (objects === undefined) {
    const kindCodec: KindCodec = { encode: encoderForStorage(objectTypeOf(resource.storage.schema)), select: selectForAll(resource, catalog) };
    const store = createObjectStore<ApiObject>({ engine, clock, prefix, kindCodec });
    const cached = caches.createCache({ store, prefix, kindCodec });
    objects = createFollowedStore({ objects: cached, prefix, isNamespaced: scope === 'Namespaced', clock });
    if (stores.size > catalog.resources.length) forgetUnserved(stores, catalog, keys);
    stores.set(prefix, objects);
  }
  return storedForms === undefined ? objects : createConvertingStore(objects, storedForms);
}

/** Forgets the stores of resources whose definitions are gone; watches and requests that still need one go on with it. */
function forgetUnserved(stores: Map<Key, FollowedStore>, { resources, brand }: Catalog, keys: KeySpace): void {
  const served = new Set(resources.map((resource) => keys.prefixOf(storedPlace(resource, brand))));
  for (const prefix of stores.keys()) if (!served.has(prefix)) stores.delete(prefix);
}

/** The fields for field selectors of all groups that serve these objects, since each group may have names of its own. */
function selectForAll({ kind }: Resource, { resources }: Catalog): KindCodec['select'] {
  const sharing = resources.map((one) => one.kind).filter((one) => areStoredTogether(one, kind));
  const selects = [...new Set([kind, ...sharing])].flatMap(({ select }) => select ?? []);
  if (selects.length === 1) return selects[0] as KindCodec['select'];
  return (object) => Object.assign({}, ...selects.map((select) => select(object))) as Readonly<Record<string, string>>;
}

/** The records of what these objects have allocated. */
function openRecords(holding: Pick<RangeRecordsOptions, 'holders' | 'holdersPrefix' | 'held'>, { engine, clock, keys, ranges }: RegistryEnvironment): RangeRecords {
  const kindCodec: KindCodec = { encode: encodeForStorage, select: () => ({}) };
  const store = createObjectStore<ApiObject>({ engine, clock, prefix: keys.prefixOf(RANGE_RECORDS), kindCodec });
  const keyOf = (name: string): Key => keys.keyOf({ ...RANGE_RECORDS, namespace: '', name });
  return new RangeRecords({ store, keyOf, ...holding, ...(ranges === undefined ? {} : { ranges }) });
}
