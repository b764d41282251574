import type { ApiObject } from '#api';
import type { ObjectStore } from '#storage';
import { inApiTerms } from '../failures.ts';
import { DEFAULT_RANGES, isAbout, Pools, type ServiceRanges, type TakenRanges } from './pools.ts';
import { addressesOf, nodePortsOf, type AllocatedService } from './service-needs.ts';

type Stored = ApiObject & TakenRanges;

export interface RangeRecordOptions {
  readonly ranges?: ServiceRanges;
  /** Where the record is stored. */
  readonly store: ObjectStore;
  readonly key: string;
  readonly services: ObjectStore;
  readonly servicesPrefix: string;
}

/** A value without a service is freed only when so many repairs in a row have found it: a write may be in progress between allocating and storing. */
const ROUNDS_UNTIL_FREE = 3;

/**
 * The record of allocated addresses and ports, in the store: servers on one store share it, with optimistic concurrency. When there is no record, or
 * one of other ranges, it is built from the stored services.
 */
export class RangeRecord {
  readonly #options: RangeRecordOptions;
  readonly #ranges: ServiceRanges;
  /** Allocated values without a service, with the number of repairs that have found them. */
  #leaks = new Map<string, number>();
  /** Changes of this process run one after the other, so that they do not conflict. */
  #turn: Promise<unknown> = Promise.resolve();

  /** Families of addresses, the default first. */
  readonly families: readonly string[];

  /** Throws an `Error` that says what is wrong with the ranges. */
  constructor(options: RangeRecordOptions) {
    this.#options = options;
    this.#ranges = options.ranges ?? DEFAULT_RANGES;
    this.families = new Pools(this.#ranges).families;
  }

  /** Runs `allocate` on the current pools and stores their new state; again after a write conflict. Throws what `allocate` throws, and `ApiError`. */
  update<T>(allocate: (pools: Pools) => T): Promise<T> {
    const { store, key } = this.#options;
    const run = async (): Promise<T> => {
      let result: { readonly value: T } | undefined;
      await store.write(key, async (live) => {
        const pools = await this.#pools(live as Stored | undefined);
        result = { value: allocate(pools) };
        return { put: recordOf(pools) };
      });
      return (result as { readonly value: T }).value;
    };
    const done = inApiTerms(() => this.#turn.then(run, run));
    this.#turn = done.catch(() => {});
    return done;
  }

  /** Runs `ask` on the current pools without storing anything. Throws what `ask` throws, and `ApiError`. */
  read<T>(ask: (pools: Pools) => T): Promise<T> {
    const { store, key } = this.#options;
    return inApiTerms(async () => {
      const stored = await store.get(key, 'latest');
      return ask(await this.#pools(stored?.object as Stored | undefined));
    });
  }

  /**
   * Allocates values that services have but the record lacks, and frees values that no service has had for `ROUNDS_UNTIL_FREE` repairs. Resolves with the
   * number of corrections.
   */
  async repair(): Promise<number> {
    const inUse = await this.#inUse();
    const leaks = new Map<string, number>();
    const repaired = await this.update((pools) => {
      leaks.clear();
      return fill(pools, inUse) + this.#sweep(pools, inUse, leaks);
    });
    this.#leaks = leaks;
    return repaired;
  }

  #sweep(pools: Pools, inUse: InUse, leaks: Map<string, number>): number {
    let freed = 0;
    const check = (name: string, free: () => void): void => {
      const rounds = (this.#leaks.get(name) ?? 0) + 1;
      if (rounds < ROUNDS_UNTIL_FREE) return void leaks.set(name, rounds);
      free();
      freed++;
    };
    for (const pool of pools.clusterIps) for (const ip of [...pool.allocated()]) if (!inUse.ips.has(ip)) check(ip, () => pool.release(ip));
    for (const port of [...pools.nodePorts.allocated()]) if (!inUse.ports.has(port)) check(String(port), () => pools.nodePorts.release(port));
    return freed;
  }

  async #pools(stored: Stored | undefined): Promise<Pools> {
    if (stored !== undefined && isAbout(this.#ranges, stored)) return new Pools(this.#ranges, stored);
    const pools = new Pools(this.#ranges);
    fill(pools, await this.#inUse());
    return pools;
  }

  async #inUse(): Promise<InUse> {
    const { items } = await this.#options.services.list({ prefix: this.#options.servicesPrefix, freshness: 'latest' });
    const inUse: InUse = { ips: new Set(), ports: new Set() };
    for (const { object } of items) {
      const { spec } = object as AllocatedService;
      for (const ip of addressesOf(spec)) inUse.ips.add(ip);
      for (const port of nodePortsOf(spec)) inUse.ports.add(port);
    }
    return inUse;
  }
}

interface InUse {
  readonly ips: Set<string>;
  readonly ports: Set<number>;
}

/** Allocates these values; returns how many were not allocated before. */
function fill(pools: Pools, { ips, ports }: InUse): number {
  const missing = [...ips].filter((ip) => pools.poolOf(ip)?.allocate(ip) === true).length;
  return missing + [...ports].filter((port) => pools.nodePorts.allocate(port)).length;
}

const recordOf = (pools: Pools): Stored => ({ kind: 'RangeAllocation', apiVersion: 'v1', metadata: { name: 'services' }, ...pools.stored });
