import type { Clock } from '#base';
import { notFound } from '#errors';
import type { ApiObject, Catalog, Resource } from '#api';
import { createObjectStore, isKeyComponent, keyOf, prefixOf, type CollectionPlace, type Engine } from '#storage';
import { ClusterIps } from './allocators/cluster-ip.ts';
import type { Pools } from './allocators/holding.ts';
import { NodePorts } from './allocators/node-port.ts';
import { Reserve } from './allocators/reserve.ts';
import { createFollowedStore } from './followed-store.ts';
import { encodeForStorage } from './stored-form.ts';
import type { Registry } from './registry.ts';

/** The registries of a server, one per resource, opened on first use. */
export interface Registries {
  of(resource: Resource): Registry;
}

export function openRegistries(catalog: Catalog, engine: Engine, clock: Clock): Registries {
  const open = new Map<Resource, Registry>();
  return {
    of(resource) {
      let registry = open.get(resource);
      if (registry === undefined) {
        registry = createRegistry(resource, catalog, engine, clock);
        open.set(resource, registry);
      }
      return registry;
    },
  };
}

function createRegistry(resource: Resource, catalog: Catalog, engine: Engine, clock: Clock): Registry {
  const place = { group: resource.group, resource: resource.plural };
  const stored = storedPlace(resource, catalog);
  const select = resource.kind.select;
  const prefix = prefixOf(stored);
  const store = createObjectStore<ApiObject>({
    engine,
    clock,
    prefix,
    kindCodec: { encode: encodeForStorage, select: (object) => select?.(object) ?? {} },
  });
  const objects = createFollowedStore({ objects: store, prefix, isNamespaced: resource.kind.scope === 'Namespaced', clock });
  return {
    resource,
    brand: catalog.brand,
    clock,
    objects,
    ...((resource.kind.reserves ?? []).length === 0 ? {} : { reserve: new Reserve(createPools(), objects, prefix) }),
    keyOf({ namespace, name }) {
      if (!isKeyComponent(name) || (namespace !== '' && !isKeyComponent(namespace))) throw notFound(place, name);
      return keyOf({ ...stored, namespace, name });
    },
    prefixOf(namespace) {
      if (namespace !== '' && !isKeyComponent(namespace)) throw notFound({ group: '', resource: 'namespaces' }, namespace);
      return prefixOf({ ...stored, namespace });
    },
  };
}

/** Where the objects lie: a kind that another group serves too has one place for both. */
function storedPlace({ group, plural, kind: { storedAs } }: Resource, { brand }: Catalog): CollectionPlace {
  return storedAs === undefined ? { group, resource: plural } : { group: brand.group(storedAs.group), resource: storedAs.plural };
}

const SERVICE_RANGE = '10.0.0.0/16';
const FIRST_NODE_PORT = 30_000;
const LAST_NODE_PORT = 32_767;

const createPools = (): Pools => ({ clusterIps: new ClusterIps(SERVICE_RANGE), nodePorts: new NodePorts(FIRST_NODE_PORT, LAST_NODE_PORT) });
