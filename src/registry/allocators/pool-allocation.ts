import { familyOf, type Allocation, type HeldValues } from '#api';
import type { Family } from './cluster-ip.ts';
import type { Pools } from './pools.ts';

/** Allocates from the pools, and keeps what it has allocated. */
export class PoolAllocation implements Allocation {
  readonly #pools: Pools;
  readonly #isDryRun: boolean;
  readonly #addresses = new Set<string>();
  readonly #ports = new Set<number>();

  constructor(pools: Pools, isDryRun: boolean) {
    this.#pools = pools;
    this.#isDryRun = isDryRun;
  }

  /** What the write has allocated; of a dry-run the ports alone, which it may not name twice. */
  get allocated(): HeldValues {
    return { addresses: [...this.#addresses], ports: [...this.#ports] };
  }

  get defaultFamily(): Family {
    return this.#pools.families[0] ?? 'IPv4';
  }

  hasFamily(family: string | undefined): boolean {
    return this.#pools.families.some((one) => one === family);
  }

  allocateAddress(ip: string): string | undefined {
    const family = familyOf(ip);
    const pool = this.#pools.poolOf(ip) ?? this.#pools.clusterIps.find((one) => one.family === family) ?? this.#pools.clusterIps[0];
    // Unlike in 1.23, a dry-run makes the same checks as the real request, so that its response is the same (R4.8-10).
    const refusal = pool?.refusal(ip);
    if (refusal === undefined && !this.#isDryRun && pool?.allocate(ip) === true) this.#addresses.add(ip);
    return refusal;
  }

  allocateNextAddress(family: string): string | undefined {
    const pool = this.#pools.clusterIps.find((one) => one.family === family);
    if (this.#isDryRun) return pool?.placeholder;
    const ip = pool?.allocateNext();
    if (ip !== undefined) this.#addresses.add(ip);
    return ip;
  }

  allocatePort(port: number): string | undefined {
    const { nodePorts } = this.#pools;
    // As in 1.23, a dry-run checks only whether the port is allocated, not whether it is in the range.
    const isOpen = this.#isDryRun && !nodePorts.has(port);
    const refusal = this.#ports.has(port) ? 'provided port is already allocated' : isOpen ? undefined : nodePorts.refusal(port);
    if (refusal === undefined && (this.#isDryRun || nodePorts.allocate(port))) this.#ports.add(port);
    return refusal;
  }

  allocateNextPort(reserved: ReadonlySet<number>): number | undefined {
    const { nodePorts } = this.#pools;
    const port = this.#isDryRun ? nodePorts.placeholder(this.#ports, reserved) : nodePorts.allocateNext(reserved);
    if (port !== undefined) this.#ports.add(port);
    return port;
  }
}
