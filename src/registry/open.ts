import type { Clock } from '#base';
import { notFound } from '#errors';
import type { ApiObject, Catalog, KindName, Resource } from '#api';
import { createKeySpace, createObjectStore, isKeyComponent, type CollectionPlace, type Engine, type Key, type KeySpace, type KindCodec, type ObjectStore } from '#storage';
import { openWatchCaches, type WatchCaches } from '#watchcache';
import type { ServiceRanges } from './allocators/pools.ts';
import { RangeRecord } from './allocators/range-record.ts';
import { Reserve } from './allocators/reserve.ts';
import { createConvertingStore } from './converting-store.ts';
import { declarationStands } from './declaration.ts';
import { createFollowedStore, type FollowedStore } from './followed-store.ts';
import { isObjectName, noObjectName } from './object-name.ts';
import { encodeForStorage } from './stored-form.ts';
import type { Registry } from './registry.ts';

/** The registries of a server, one per resource, opened on first use. */
export interface Registries {
  of(resource: Resource): Registry;
}

/** What the stored objects of a server have in common. */
export interface RegistriesOptions {
  /** Where objects lie in the store. Default: where those of the dialect do. */
  readonly keys?: KeySpace;
  /** Addresses and ports of services. */
  readonly ranges?: ServiceRanges;
  /** Objects of a collection that are deleted at the same time where the store keeps no order among writes: more than one are deleted in any order. Default 1. */
  readonly deletionWorkers?: number;
  /** Whether containers may ask for all rights on their node. Default false. */
  readonly allowsPrivileged?: boolean;
}

/** Where the store keeps order, deletions share commits: enough of them to be worth it, few enough not to starve other requests. */
const DELETIONS_IN_ORDER = 16;

/** The registries of a server over its store. Reads and writes nothing yet. */
export function openRegistries(catalog: Catalog, engine: Engine, clock: Clock, { keys = createKeySpace(catalog.brand), ranges, deletionWorkers = 1, allowsPrivileged = false }: RegistriesOptions = {}): Registries {
  // Custom resources come and go, and are another resource after every change of their definition.
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
interface Ground {
  readonly registries: Registries;
  readonly catalog: Catalog;
  readonly engine: Engine;
  readonly clock: Clock;
  readonly keys: KeySpace;
  readonly caches: WatchCaches;
  /** By the place of the objects: all groups and versions that serve them share a store, and it outlives the declaration of a custom resource. */
  readonly stores: Map<Key, FollowedStore>;
  /** What services may have; undefined: the default. */
  readonly ranges: ServiceRanges | undefined;
  readonly deletionWorkers: number;
  readonly deletionsAtOnce: number;
  readonly allowsPrivileged: boolean;
}

function createRegistry(resource: Resource, ground: Ground): Registry {
  const { catalog, clock, keys, deletionWorkers, deletionsAtOnce, allowsPrivileged } = ground;
  const place = { group: resource.group, resource: resource.plural };
  const stored = storedPlace(resource, catalog);
  const prefix = keys.prefixOf(stored);
  const objects = openStore(resource, prefix, ground);
  const { declaredBy } = resource.kind;
  return {
    resource,
    brand: catalog.brand,
    clock,
    objects,
    deletionWorkers,
    deletionsAtOnce,
    allowsPrivileged,
    ...((resource.kind.reserves ?? []).length === 0 ? {} : { reserve: new Reserve(openRecord(objects, prefix, ground)) }),
    conditions: declaredBy === undefined ? [] : [declarationStands(resource, declaredBy)],
    registryOf: (kind) => registryOf(kind, ground),
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

/** undefined: nobody serves the kind. Looked up when needed: what is served may change. */
export function registryOf({ group, kind }: KindName, { catalog, registries }: Pick<Ground, 'catalog' | 'registries'>): Registry | undefined {
  const resource = catalog.findKind(catalog.brand.group(group), kind);
  return resource === undefined ? undefined : registries.of(resource);
}

function openStore(resource: Resource, prefix: Key, { catalog, engine, clock, caches, stores }: Ground): FollowedStore {
  const { storedForms, scope } = resource.kind;
  let objects = stores.get(prefix);
  if (objects === undefined) {
    const kindCodec: KindCodec = { encode: encodeForStorage, select: selectForAll(resource, catalog) };
    const store = createObjectStore<ApiObject>({ engine, clock, prefix, kindCodec });
    const cached = caches.createCache({ store, prefix, kindCodec });
    objects = createFollowedStore({ objects: cached, prefix, isNamespaced: scope === 'Namespaced', clock });
    stores.set(prefix, objects);
  }
  return storedForms === undefined ? objects : createConvertingStore(objects, storedForms);
}

/** What selectors can ask for through any of the groups that serve these objects: each has its own names. */
function selectForAll({ kind }: Resource, { resources }: Catalog): KindCodec['select'] {
  const declared = kind.storedAs ?? kind;
  const sharing = resources.filter((one) => (one.kind.storedAs ?? one.kind) === declared).map((one) => one.kind);
  const selects = [...new Set([kind, ...sharing])].flatMap(({ select }) => select ?? []);
  if (selects.length === 1) return selects[0] as KindCodec['select'];
  return (object) => Object.assign({}, ...selects.map((select) => select(object))) as Readonly<Record<string, string>>;
}

/** Where the objects lie: a kind that another group serves too has one place for both. */
function storedPlace({ group, plural, kind: { storedAs } }: Resource, { brand }: Catalog): CollectionPlace {
  return storedAs === undefined ? { group, resource: plural } : { group: brand.group(storedAs.group), resource: storedAs.plural };
}

/** What is taken lies beside the objects, under a name that no resource has. */
function openRecord(services: ObjectStore, servicesPrefix: string, { engine, clock, keys, ranges }: Ground): RangeRecord {
  const place = { group: '', resource: 'ranges' };
  const kindCodec: KindCodec = { encode: encodeForStorage, select: () => ({}) };
  const store = createObjectStore<ApiObject>({ engine, clock, prefix: keys.prefixOf(place), kindCodec });
  const key = keys.keyOf({ ...place, namespace: '', name: 'services' });
  return new RangeRecord({ store, key, services, servicesPrefix, ...(ranges === undefined ? {} : { ranges }) });
}
