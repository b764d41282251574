import type { Family } from './cluster-ip.ts';
import type { Pools } from './pools.ts';

/** What one write takes. A dry-run asks and takes nothing. */
export class Holding {
  readonly #pools: Pools;
  readonly #isDryRun: boolean;
  readonly addresses = new Set<string>();
  readonly ports = new Set<number>();

  constructor(pools: Pools, isDryRun: boolean) {
    this.#pools = pools;
    this.#isDryRun = isDryRun;
  }

  /** Of services that ask for none. */
  get defaultFamily(): Family {
    return this.#pools.families[0] ?? 'IPv4';
  }

  gives(family: string): boolean {
    return this.#pools.families.some((one) => one === family);
  }

  /** Why not; undefined: it is held. */
  takeAddress(ip: string): string | undefined {
    const family: Family = ip.includes(':') ? 'IPv6' : 'IPv4';
    const pool = this.#pools.poolOf(ip) ?? this.#pools.clusterIps.find((one) => one.family === family) ?? this.#pools.clusterIps[0];
    // A dry-run asks all that the real request would, unlike 1.23: its answer resembles that of the real one (R4.8-10).
    const refusal = pool?.refusal(ip);
    if (refusal === undefined && !this.#isDryRun && pool?.take(ip) === true) this.addresses.add(ip);
    return refusal;
  }

  takeAnyAddress(family: string): string | undefined {
    const pool = this.#pools.clusterIps.find((one) => one.family === family);
    if (this.#isDryRun) return pool?.placeholder;
    const ip = pool?.takeAny();
    if (ip !== undefined) this.addresses.add(ip);
    return ip;
  }

  /** Why not; undefined: it is held. */
  takePort(port: number): string | undefined {
    const { nodePorts } = this.#pools;
    // A dry-run asks only whether somebody else has the port, as in 1.23.
    const isOpen = this.#isDryRun && !nodePorts.has(port);
    const refusal = this.ports.has(port) ? 'provided port is already allocated' : isOpen ? undefined : nodePorts.refusal(port);
    if (refusal === undefined && (this.#isDryRun || nodePorts.take(port))) this.ports.add(port);
    return refusal;
  }

  takeAnyPort(): number | undefined {
    const port = this.#isDryRun ? this.#pools.nodePorts.placeholder(this.ports) : this.#pools.nodePorts.takeAny();
    if (port !== undefined) this.ports.add(port);
    return port;
  }
}
