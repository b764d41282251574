import type { Cluster } from './cluster.ts';
import { LEASE_EXTRA, LEASE_EXTRA_SECONDS, LEASE_KEYS, LONGEST_LEASE_SECONDS } from './limits.ts';
import { grantLease } from './methods.ts';

interface Shared {
  readonly id: Promise<bigint>;
  /** Until this time, by `performance.now`, entries attached to the lease live long enough. */
  readonly untilMs: number;
  keys: number;
}

/**
 * Leases for times to live. Keys written shortly after one another with the same time to live share a lease, which lives a little longer: a key never
 * expires too early, and at most 5 % (at most one minute) late.
 */
export class Leases {
  readonly #cluster: Cluster;
  readonly #shared = new Map<number, Shared>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  /** The ID of a lease that lives for at least `ttlSeconds` from now, or as long as etcd lets a lease live. Throws as `Cluster.write`, whose deadline it takes. */
  async for(ttlSeconds: number, deadlineMs: number): Promise<bigint> {
    const seconds = wholeSeconds(ttlSeconds);
    const known = this.#shared.get(seconds);
    if (known !== undefined && known.keys < LEASE_KEYS && performance.now() < known.untilMs) {
      known.keys++;
      return known.id;
    }
    const extraSeconds = Math.min(LEASE_EXTRA_SECONDS, Math.ceil(seconds * LEASE_EXTRA));
    const id = this.#cluster.write(grantLease, { ttlSeconds: seconds + extraSeconds }, deadlineMs);
    // Half of the extra time is left for the write itself.
    this.#shared.set(seconds, { id, untilMs: performance.now() + extraSeconds * 500, keys: 1 });
    id.catch(() => this.#shared.delete(seconds));
    return id;
  }

  /** Makes the next write with this time to live get a new lease. */
  forget(ttlSeconds: number): void {
    this.#shared.delete(wholeSeconds(ttlSeconds));
  }
}

const wholeSeconds = (ttlSeconds: number): number => Math.min(Math.max(1, Math.ceil(ttlSeconds)), LONGEST_LEASE_SECONDS - LEASE_EXTRA_SECONDS);
