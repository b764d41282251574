import { ClusterIps, type Family } from './cluster-ip.ts';
import { NodePorts } from './node-port.ts';
import type { NumberPool } from './number-pool.ts';
import type { RangeAllocation } from './range-allocation.ts';

/** The ranges from which services get addresses and ports. */
export interface ServiceRanges {
  /** One CIDR, or two of different families; the first is the default for services that name no family. */
  readonly clusterIps: readonly string[];
  readonly nodePorts: readonly [first: number, last: number];
}

/** The ranges of a server without settings. */
export const DEFAULT_RANGES: ServiceRanges = { clusterIps: ['10.0.0.0/16'], nodePorts: [30_000, 32_767] };

/** Names of the records of allocated values, as Kubernetes stores them: those of the first and of the second block of addresses, and of ports. */
export type RecordName = 'serviceips' | 'secondaryserviceips' | 'servicenodeports';

/** What the records hold; a record that is not there is absent. */
export type StoredRanges = Readonly<Partial<Record<RecordName, RangeAllocation>>>;

/** The values of one record. */
export interface RecordedPool {
  readonly name: RecordName;
  readonly range: string;
  readonly pool: NumberPool;
}

/** The allocators of addresses and ports, in the state of their records. */
export class Pools {
  readonly clusterIps: readonly ClusterIps[];
  readonly nodePorts: NodePorts;

  /** Throws an `Error` that says what is wrong with the ranges. */
  constructor({ clusterIps, nodePorts: [first, last] }: ServiceRanges, stored: StoredRanges = {}) {
    this.clusterIps = clusterIps.map((range, at) => new ClusterIps(range, stored[addressesName(at)]));
    this.nodePorts = new NodePorts(first, last, stored.servicenodeports);
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

  get recorded(): readonly RecordedPool[] {
    return [...this.clusterIps.map(({ range, pool }, at) => ({ name: addressesName(at), range, pool })), { name: 'servicenodeports', range: this.nodePorts.range, pool: this.nodePorts.pool }];
  }
}

const addressesName = (at: number): RecordName => (at === 0 ? 'serviceips' : 'secondaryserviceips');
