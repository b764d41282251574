import type { NumberPool } from './number-pool.ts';
import { poolFrom, type RangeAllocation } from './range-allocation.ts';

/** The node ports of services: one range of ports, the same on every node. */
export class NodePorts {
  readonly first: number;
  readonly last: number;
  readonly range: string;
  readonly pool: NumberPool;

  /** `stored`: the allocated ports. */
  constructor(first: number, last: number, stored?: RangeAllocation) {
    this.first = first;
    this.last = last;
    this.range = `${first}-${last}`;
    this.pool = poolFrom(last - first + 1, this.range, stored);
  }

  /** The port that a dry-run shows in place of one that would be allocated: a free one that is neither in `shown` nor in `reserved`. */
  placeholder(shown: ReadonlySet<number>, reserved: ReadonlySet<number>): number | undefined {
    for (let port = this.first; port <= this.last; port++) if (!this.pool.isAllocated(port - this.first) && !shown.has(port) && !reserved.has(port)) return port;
    return undefined;
  }

  has(port: number): boolean {
    return this.pool.includes(port - this.first);
  }

  /** Why the port cannot be allocated; undefined: it can. */
  refusal(port: number): string | undefined {
    if (!this.has(port)) return `provided port is not in the valid range. The range of valid ports is ${this.range}`;
    return this.pool.isAllocated(port - this.first) ? 'provided port is already allocated' : undefined;
  }

  allocate(port: number): boolean {
    return this.pool.allocate(port - this.first);
  }

  /** Allocates any free port that is not in `reserved`; undefined: there is none. */
  allocateNext(reserved: ReadonlySet<number>): number | undefined {
    const offset = this.pool.allocateNext(new Set([...reserved].map((port) => port - this.first)));
    return offset === undefined ? undefined : this.first + offset;
  }

  release(port: number): void {
    this.pool.release(port - this.first);
  }

  *allocated(): Iterable<number> {
    for (const offset of this.pool.allocated()) yield this.first + offset;
  }
}
