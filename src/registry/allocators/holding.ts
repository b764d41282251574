import type { ClusterIps } from './cluster-ip.ts';
import type { NodePorts } from './node-port.ts';

/** The pools that services share. */
export interface Pools {
  readonly clusterIps: ClusterIps;
  readonly nodePorts: NodePorts;
}

/** What one write has taken. A dry-run asks and takes nothing. */
export class Holding {
  readonly #pools: Pools;
  readonly #isDryRun: boolean;
  readonly #addresses = new Set<string>();
  readonly #ports = new Set<number>();

  constructor(pools: Pools, isDryRun: boolean) {
    this.#pools = pools;
    this.#isDryRun = isDryRun;
  }

  /** Why not; undefined: it is held. */
  takeAddress(ip: string): string | undefined {
    const refusal = this.#pools.clusterIps.refusal(ip);
    if (refusal === undefined && !this.#isDryRun && this.#pools.clusterIps.take(ip)) this.#addresses.add(ip);
    return refusal;
  }

  takeAnyAddress(): string | undefined {
    if (this.#isDryRun) return this.#pools.clusterIps.placeholder;
    const ip = this.#pools.clusterIps.takeAny();
    if (ip !== undefined) this.#addresses.add(ip);
    return ip;
  }

  /** Why not; undefined: it is held. */
  takePort(port: number): string | undefined {
    const refusal = this.#pools.nodePorts.refusal(port);
    if (refusal === undefined && (this.#isDryRun || this.#pools.nodePorts.take(port))) this.#ports.add(port);
    return refusal;
  }

  takeAnyPort(): number | undefined {
    const port = this.#isDryRun ? this.#pools.nodePorts.placeholder(this.#ports) : this.#pools.nodePorts.takeAny();
    if (port !== undefined) this.#ports.add(port);
    return port;
  }

  giveBack(): void {
    if (this.#isDryRun) return;
    for (const ip of this.#addresses) this.#pools.clusterIps.giveBack(ip);
    for (const port of this.#ports) this.#pools.nodePorts.giveBack(port);
    this.#addresses.clear();
    this.#ports.clear();
  }
}
