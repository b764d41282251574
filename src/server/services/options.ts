import { isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { DEFAULT_RANGES, Pools, type ServiceRanges } from '#registry';
import { isLocalAddress } from '#transport';

/** Addresses and ports of services, and how the API itself is found among them. */
export interface ServiceOptions {
  /** One block of addresses, or one of each family; the first is that of services which ask for none. Default `10.0.0.0/16`. */
  readonly clusterIps?: readonly string[];
  /** Ports that nodes lend to services. Default 30000 to 32767. */
  readonly nodePorts?: readonly [first: number, last: number];
  /** Where others reach this server. Default: where it listens, or the first address of this machine; none where it listens on loopback. */
  readonly advertiseAddress?: string;
  /** Name or address, and port if it is another one, with which clients on other machines reach this server. Default: the address above. */
  readonly externalHost?: string;
}

/** Throws an `Error` that says what is wrong. */
export function rangesOf({ clusterIps = DEFAULT_RANGES.clusterIps, nodePorts = DEFAULT_RANGES.nodePorts }: ServiceOptions): ServiceRanges {
  const [first, last] = nodePorts;
  if (!(first >= 1 && last <= 65_535 && first <= last)) throw new Error(`node ports are a range within 1 and 65535, not ${first}-${last}`);
  const ranges = { clusterIps, nodePorts };
  void new Pools(ranges);
  return ranges;
}

/** Where others reach a server that listens there; undefined: nowhere. */
export function advertisedAddress({ advertiseAddress }: ServiceOptions, host = '127.0.0.1'): string | undefined {
  if (advertiseAddress !== undefined) return advertiseAddress;
  if (host !== '0.0.0.0' && host !== '::') return isLocalAddress(host) ? undefined : host;
  const own = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return own.find(({ family, address }) => family === 'IPv4' && !isLocalAddress(address))?.address;
}

/**
 * With what host and port clients on other machines reach a server that listens there; undefined: they do not, or the port is only known
 * once it listens. An external host without a port has that of the server.
 */
export function externalAddress({ externalHost, ...services }: ServiceOptions, { host, port = 0 }: Place): string | undefined {
  const reached = externalHost ?? advertisedAddress(services, host);
  if (reached === undefined || HAS_PORT.test(reached)) return reached;
  return port === 0 ? undefined : `${isIPv6(reached) ? `[${reached}]` : reached}:${port}`;
}

interface Place {
  readonly host?: string;
  readonly port?: number;
}

const HAS_PORT = /^(?:\[.*\]|[^:]*):\d+$/;
