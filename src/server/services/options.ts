import { isIP, isIPv6 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { failureText } from '#base';
import { DEFAULT_RANGES, Pools, type ServiceRanges } from '#registry';
import { isLocalAddress } from '#transport';
import { machineAddresses } from '../machine-addresses.ts';

/** Address and port ranges of services, and the address of the API server among them. */
export interface ServiceOptions {
  /** One CIDR block, or one per IP family; the first is used for services without a preference. Default `10.0.0.0/16`. */
  readonly clusterIps?: readonly string[];
  /** The range of node ports. Default 30000 to 32767. */
  readonly nodePorts?: readonly [first: number, last: number];
  /**
   * The IP address by which clients on other machines reach this server; one of loopback means that they do not. Default, also for `0.0.0.0` and `::`:
   * where it listens, or the first address of this machine; none where it listens on loopback.
   */
  readonly advertiseAddress?: string;
  /** Host name or address, with a port where it differs, for clients on other machines. Default: the address above. */
  readonly externalHost?: string;
}

/** The options with the defaults of all ranges. */
export type SettledServices = ServiceOptions & ServiceRanges;

/** Throws an `Error` that names the flag, or says what is wrong. */
export function settleServices(services: ServiceOptions = {}): SettledServices {
  const { advertiseAddress } = services;
  if (advertiseAddress !== undefined && (isIP(advertiseAddress) === 0 || advertiseAddress.includes('%'))) {
    throw new Error(`advertise-address: ${JSON.stringify(advertiseAddress)} is no IP address such as 192.0.2.7 or 2001:db8::7; names go to --external-hostname`);
  }
  return { ...services, ...rangesOf(services) };
}

/** Throws an `Error` that names the flag, or says what is wrong. */
function rangesOf({ clusterIps = DEFAULT_RANGES.clusterIps, nodePorts = DEFAULT_RANGES.nodePorts }: ServiceOptions): ServiceRanges {
  const [first, last] = nodePorts;
  if (!(first >= 1 && last <= 65_535 && first <= last)) throw new Error(`node ports are a range within 1 and 65535, not ${first}-${last}`);
  const ranges = { clusterIps, nodePorts };
  try {
    void new Pools(ranges);
  } catch (cause) {
    throw new Error(`service-cluster-ip-range: ${failureText(cause)}`, { cause });
  }
  return ranges;
}

/** Addresses that stand for all of a machine. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** The address by which clients on other machines reach a server that listens there; undefined: none. Of those of the machine one of IPv4, where it has any. */
export function advertisedAddress({ advertiseAddress }: ServiceOptions, host = '127.0.0.1', ask = networkInterfaces): string | undefined {
  const told = advertiseAddress === undefined || EVERYWHERE.has(advertiseAddress) ? host : advertiseAddress;
  if (!EVERYWHERE.has(told)) return isLocalAddress(told) ? undefined : told;
  const reached = machineAddresses(ask).filter(({ address }) => !isLocalAddress(address));
  return (reached.find(({ family }) => family === 'IPv4') ?? reached[0])?.address;
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

/** The host of what `externalHost` says, without a port and brackets. */
export const hostIn = (externalHost: string): string =>
  (HAS_PORT.test(externalHost) ? externalHost.slice(0, externalHost.lastIndexOf(':')) : externalHost).replace(/^\[(.*)\]$/, '$1');
