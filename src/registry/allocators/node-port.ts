import { NumberPool } from './number-pool.ts';

/** Ports that every node lends to services. */
export class NodePorts {
  readonly first: number;
  readonly last: number;
  readonly #pool: NumberPool;

  /** `bits`: what was taken. */
  constructor(first: number, last: number, bits?: Uint8Array) {
    this.first = first;
    this.last = last;
    this.#pool = new NumberPool(last - first + 1, bits);
  }

  get bits(): Uint8Array {
    return this.#pool.bits;
  }

  /** What a dry-run shows in place of a port that would be chosen: a free one that it does not show already. */
  placeholder(shown: ReadonlySet<number>): number | undefined {
    for (let port = this.first; port <= this.last; port++) if (!this.#pool.isTaken(port - this.first) && !shown.has(port)) return port;
    return undefined;
  }

  has(port: number): boolean {
    return this.#pool.includes(port - this.first);
  }

  /** Why the port cannot be had; undefined: it can. */
  refusal(port: number): string | undefined {
    if (!this.has(port)) return `provided port is not in the valid range. The range of valid ports is ${this.first}-${this.last}`;
    return this.#pool.isTaken(port - this.first) ? 'provided port is already allocated' : undefined;
  }

  take(port: number): boolean {
    return this.#pool.take(port - this.first);
  }

  /** undefined when all are taken. */
  takeAny(): number | undefined {
    const offset = this.#pool.takeAny();
    return offset === undefined ? undefined : this.first + offset;
  }

  giveBack(port: number): void {
    this.#pool.giveBack(port - this.first);
  }

  *taken(): Iterable<number> {
    for (const offset of this.#pool.taken()) yield this.first + offset;
  }
}
