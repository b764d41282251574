import { ClusterIps, type Family } from './cluster-ip.ts';
import { NodePorts } from './node-port.ts';

/** From which addresses and ports services are served. */
export interface ServiceRanges {
  /** One block, or two of different families; the first is that of services which ask for none. */
  readonly clusterIps: readonly string[];
  readonly nodePorts: readonly [first: number, last: number];
}

export const DEFAULT_RANGES: ServiceRanges = { clusterIps: ['10.0.0.0/16'], nodePorts: [30_000, 32_767] };

/** What is taken, as it is stored. */
export interface TakenRanges {
  /** By block or range: bits in base64. */
  readonly taken: Readonly<Record<string, string>>;
}

/** The pools that services share, as they were at one moment. */
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

  /** The pool that an address is of. */
  poolOf(ip: string): ClusterIps | undefined {
    return this.clusterIps.find((pool) => pool.has(ip));
  }

  get stored(): TakenRanges {
    const { first, last, bits } = this.nodePorts;
    const rows = [...this.clusterIps.map((pool) => [pool.range, pool.bits] as const), [portsKey(first, last), bits] as const];
    return { taken: Object.fromEntries(rows.map(([key, value]) => [key, Buffer.from(value.buffer, value.byteOffset, value.length).toString('base64')])) };
  }
}

/** Whether what is stored is about these ranges. */
export const isAbout = ({ clusterIps, nodePorts }: ServiceRanges, { taken }: TakenRanges): boolean =>
  [...clusterIps, portsKey(...nodePorts)].every((key) => Object.hasOwn(taken, key));

const portsKey = (first: number, last: number): string => `${first}-${last}`;

function bitsOf(taken: TakenRanges['taken'], key: string): Uint8Array | undefined {
  const text = Object.hasOwn(taken, key) ? taken[key] : undefined;
  return text === undefined ? undefined : Buffer.from(text, 'base64');
}
