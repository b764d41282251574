import { NumberPool } from './number-pool.ts';

/** Ports that every node lends to services. */
export class NodePorts {
  readonly #pool: NumberPool;

  constructor(first: number, last: number) {
    this.#pool = new NumberPool(first, last);
  }

  /** What a dry-run shows in place of a port that would be chosen: a free one that it does not show already. */
  placeholder(shown: ReadonlySet<number>): number | undefined {
    const { first, last } = this.#pool;
    for (let port = first; port <= last; port++) if (!this.#pool.isTaken(port) && !shown.has(port)) return port;
    return undefined;
  }

  /** Why the port cannot be had; undefined: it can. */
  refusal(port: number): string | undefined {
    const { first, last } = this.#pool;
    if (!this.#pool.includes(port)) return `provided port is not in the valid range. The range of valid ports is ${first}-${last}`;
    return this.#pool.isTaken(port) ? 'provided port is already allocated' : undefined;
  }

  take(port: number): boolean {
    return this.#pool.take(port);
  }

  /** undefined when all are taken. */
  takeAny(): number | undefined {
    return this.#pool.takeAny();
  }

  giveBack(port: number): void {
    this.#pool.giveBack(port);
  }
}
