import type { Engine } from '#storage';
import { DefaultService } from './default-service.ts';
import { isSharedStore } from '../leader-election-options.ts';
import type { Loopback } from '../loopback.ts';
import { keySpaceOf } from '../store/open-store.ts';
import type { Settings } from '../options.ts';
import { advertisedAddress } from './options.ts';
import { ServingLeases } from './serving-leases.ts';
import { apiServiceIp } from './serving-names.ts';
import type { BuiltServer } from '../build-server.ts';

/** The key prefix of the leases of servers that share a store: a resource name that no kind has. */
const LEASES = { group: '', resource: 'masterleases' } as const;

/** The keeper of the API's own Service. `port`: where this server listens; undefined: nowhere. */
export function keepDefaultService(settings: Settings, { catalog }: BuiltServer, engine: Engine, loopback: Loopback, port: number | undefined): DefaultService {
  const { clock, log, services, listen, leaderElection, store } = settings;
  const ip = listen === false ? undefined : advertisedAddress(services, listen.host);
  const isReached = ip !== undefined && port !== undefined;
  return new DefaultService({
    loopback,
    brand: catalog.brand,
    clock,
    log,
    clusterIp: apiServiceIp(services),
    ...(isReached ? { address: { ip, port } } : {}),
    // Stores that only one server can open need no leases.
    ...(isReached && (leaderElection || isSharedStore(store)) ? { leases: new ServingLeases(engine, clock, keySpaceOf(settings).prefixOf(LEASES)) } : {}),
  });
}
