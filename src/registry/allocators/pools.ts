import { ClusterIps, type Family } from './cluster-ip.ts';
import { NodePorts } from './node-port.ts';

/** The ranges from which services get addresses and ports. */
export interface ServiceRanges {
  /** One CIDR, or two of different families; the first is the default for services that name no family. */
  readonly clusterIps: readonly string[];
  readonly nodePorts: readonly [first: number, last: number];
}

/** The ranges of a server without settings. */
export const DEFAULT_RANGES: ServiceRanges = { clusterIps: ['10.0.0.0/16'], nodePorts: [30_000, 32_767] };

/** The allocated addresses and ports, as they are stored. */
export interface TakenRanges {
  /** The bitmaps in base64, by CIDR or port range. */
  readonly taken: Readonly<Record<string, string>>;
}

/** The allocators of addresses and ports, in the state of one record. */
export class Pools {
  readonly clusterIps: readonly ClusterIps[];
  readonly nodePorts: NodePorts;

  /** Throws an `Error` that says what is wrong with the ranges. */
  constructor({ clusterIps, nodePorts: [first, last] }: ServiceRanges, { taken }: TakenRanges = { taken: {} }) {
    this.clusterIps = clusterIps.map((range) => new ClusterIps(range, bitsOf(taken, range)));
    this.nodePorts = new NodePorts(first, last, bitsOf(taken, portsKey(first, last)));
    const families = new Set(this.families);
    if (clusterIps.length === 0 || clusterIps.length > 2 || families.size !== clusterIps.length) {
      throw new Error(`services have one block of addresses, or one of each family, not ${clusterIps.join(',')}`);
    }
  }

  get families(): readonly Family[] {
    return this.clusterIps.map(({ family }) => family);
  }

  /** The pool to which an address belongs. */
  poolOf(ip: string): ClusterIps | undefined {
    return this.clusterIps.find((pool) => pool.has(ip));
  }

  get stored(): TakenRanges {
    const { first, last, bits } = this.nodePorts;
    const rows = [...this.clusterIps.map((pool) => [pool.range, pool.bits] as const), [portsKey(first, last), bits] as const];
    return { taken: Object.fromEntries(rows.map(([key, value]) => [key, Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')])) };
  }
}

/** Whether a stored record covers these ranges. */
export const isAbout = ({ clusterIps, nodePorts }: ServiceRanges, { taken }: TakenRanges): boolean =>
  [...clusterIps, portsKey(...nodePorts)].every((key) => Object.hasOwn(taken, key));

const portsKey = (first: number, last: number): string => `${first}-${last}`;

function bitsOf(taken: TakenRanges['taken'], key: string): Uint8Array | undefined {
  const text = Object.hasOwn(taken, key) ? taken[key] : undefined;
  return text === undefined ? undefined : Buffer.from(text, 'base64');
}
