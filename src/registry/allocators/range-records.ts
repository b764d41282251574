import type { Allocating, ApiObject } from '#api';
import { StorageFailure, type CollectionPlace, type Decision, type Key, type ObjectStore, type Stored } from '#storage';
import { inApiTerms } from '../failures.ts';
import { holdingFaults, type Holding, type HoldingFault } from './holding-faults.ts';
import { DEFAULT_RANGES, Pools, type RecordName, type RecordedPool, type ServiceRanges } from './pools.ts';
import { poolFrom, toStored, type RangeAllocation } from './range-allocation.ts';

/** The collection of the records; no resource has its name. */
export const RANGE_RECORDS: CollectionPlace = { group: '', resource: 'ranges' };

export interface RangeRecordsOptions {
  readonly ranges?: ServiceRanges;
  /** Where the records are stored. */
  readonly store: ObjectStore;
  readonly keyOf: (name: RecordName) => Key;
  /** Where the objects are that hold the values, and what each of them holds. */
  readonly holders: ObjectStore;
  readonly holdersPrefix: string;
  readonly held: Allocating<ApiObject>['held'];
}

/** A value that no object holds is freed only when so many repairs in a row have found it: a write may be in progress between allocating and storing. */
const ROUNDS_UNTIL_FREE = 3;
/** How often in a row somebody else may take a value that was about to be allocated. */
const MAX_ATTEMPTS = 100;

type StoredRecord = Stored<RangeAllocation>;
type Records = ReadonlyMap<RecordName, StoredRecord>;

/**
 * The records of allocated addresses and ports, in the store: servers on one store share them, with optimistic concurrency, and so do Kubernetes' own
 * servers, whose form they have. A record that is missing, or is about another range, is built from the stored objects.
 */
export class RangeRecords {
  readonly #options: RangeRecordsOptions;
  readonly #ranges: ServiceRanges;
  /** Allocated values that no object holds, with the number of repairs that have found them. */
  #leaks = new Map<string, number>();
  /** Changes of this process run one after the other, so that they do not conflict. */
  #turn: Promise<unknown> = Promise.resolve();

  readonly #names: readonly RecordName[];

  /** Families of addresses, the default first. */
  readonly families: readonly string[];

  /** Throws an `Error` that says what is wrong with the ranges. */
  constructor(options: RangeRecordsOptions) {
    this.#options = options;
    this.#ranges = options.ranges ?? DEFAULT_RANGES;
    const { families, recorded } = new Pools(this.#ranges);
    this.families = families;
    this.#names = recorded.map(({ name }) => name);
  }

  /** Runs `allocate` on the current pools and stores what it changed; again when somebody else was faster. Throws what `allocate` throws, and `ApiError`. */
  update<T>(allocate: (pools: Pools) => T): Promise<T> {
    const run = async (): Promise<T> => {
      for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        const records = await this.#records();
        const pools = await this.#pools(records);
        const value = allocate(pools);
        if (await this.#store(pools, records)) return value;
      }
      throw new StorageFailure('contended', `gave up allocating for a service: somebody else was faster ${MAX_ATTEMPTS} times in a row`);
    };
    const done = inApiTerms(() => this.#turn.then(run, run));
    this.#turn = done.catch(() => {});
    return done;
  }

  /** Runs `ask` on the current pools without storing anything. Throws what `ask` throws, and `ApiError`. */
  read<T>(ask: (pools: Pools) => T): Promise<T> {
    return inApiTerms(async () => ask(await this.#pools(await this.#records())));
  }

  /**
   * Allocates values that objects hold but the records lack, and frees values that no object has held for `ROUNDS_UNTIL_FREE` repairs. A record that
   * somebody changes meanwhile is left to the next repair. Calls `tell` with what it cannot set right. Resolves with the number of corrections.
   */
  async repair(tell: (fault: HoldingFault) => void = () => {}): Promise<number> {
    // Makes the records that are missing.
    await this.update(() => {});
    const seen = await this.#records();
    const holdings = await this.#holdings();
    const inUse = inUseBy(holdings);
    const pools = this.#poolsAsIn(seen);
    for (const fault of holdingFaults(holdings, pools)) tell(fault);
    fill(pools, inUse);
    this.#sweep(pools, inUse);
    let repaired = 0;
    for (const recorded of pools.recorded) {
      const { taken, released } = recorded.pool.changes;
      if (taken.size + released.size > 0 && (await this.#storeUnchanged(recorded, seen.get(recorded.name)))) repaired += taken.size + released.size;
    }
    return repaired;
  }

  #sweep(pools: Pools, inUse: InUse): void {
    const leaks = new Map<string, number>();
    const check = (name: string, free: () => void): void => {
      const rounds = (this.#leaks.get(name) ?? 0) + 1;
      if (rounds < ROUNDS_UNTIL_FREE) leaks.set(name, rounds);
      else free();
    };
    // An object keeps its address as it was sent, such as `10.0.0.007`.
    const ips = new Set([...inUse.ips].map((ip) => pools.poolOf(ip)?.canonical(ip)));
    for (const pool of pools.clusterIps) for (const ip of [...pool.allocated()]) if (!ips.has(ip)) check(ip, () => pool.release(ip));
    for (const port of [...pools.nodePorts.allocated()]) if (!inUse.ports.has(port)) check(String(port), () => pools.nodePorts.release(port));
    this.#leaks = leaks;
  }

  /**
   * Stores a pool whose record nobody has changed since: another server may have freed a value meanwhile, and given it to an object that was not there
   * to be seen. Resolves with whether it did.
   */
  async #storeUnchanged({ name, range, pool }: RecordedPool, seen: StoredRecord | undefined): Promise<boolean> {
    const { store, keyOf } = this.#options;
    if (seen === undefined) return false;
    const { did } = await store.write(keyOf(name), (live) => (live === seen.object ? { put: toStored(name, range, pool) } : { keep: true }), { seen });
    return did === 'replace';
  }

  async #records(): Promise<Records> {
    const { store, keyOf } = this.#options;
    const found = await Promise.all(this.#names.map(async (name) => [name, (await store.get(keyOf(name), 'latest')) as StoredRecord | undefined] as const));
    return new Map(found.filter((row): row is [RecordName, StoredRecord] => row[1] !== undefined));
  }

  async #pools(records: Records): Promise<Pools> {
    const pools = this.#poolsAsIn(records);
    if (!pools.recorded.every((recorded) => isThere(recorded, records))) fill(pools, inUseBy(await this.#holdings()));
    return pools;
  }

  #poolsAsIn(records: Records): Pools {
    return new Pools(this.#ranges, Object.fromEntries([...records].map(([name, { object }]) => [name, object])));
  }

  /**
   * Stores what was changed in the pools, and every record that is not there yet: as long as one is missing, all objects are looked at. false: somebody
   * else has taken one of the values meanwhile, and nothing is changed.
   */
  async #store(pools: Pools, records: Records): Promise<boolean> {
    const stored: RecordedPool[] = [];
    for (const recorded of pools.recorded) {
      const { taken, released } = recorded.pool.changes;
      if (taken.size + released.size === 0 && isThere(recorded, records)) continue;
      if (!(await this.#apply(recorded, taken, released, records.get(recorded.name)))) {
        // What was released stays so, as the next attempt would release it too.
        for (const before of stored) await this.#apply(before, [], before.pool.changes.taken);
        return false;
      }
      stored.push(recorded);
    }
    return true;
  }

  /** Takes and releases numbers in one record, as it is now; false: one that is to be taken is no longer free, and nothing is changed. */
  async #apply({ name, range, pool: { size } }: RecordedPool, taken: Iterable<number>, released: Iterable<number>, seen?: StoredRecord): Promise<boolean> {
    const { store, keyOf } = this.#options;
    let areFree = true;
    const decide = (live: ApiObject | undefined): Decision<ApiObject> => {
      const pool = poolFrom(size, range, live as RangeAllocation | undefined);
      areFree = [...taken].every((number) => pool.allocate(number));
      if (!areFree) return { keep: true };
      for (const number of released) pool.release(number);
      return { put: toStored(name, range, pool) };
    };
    await store.write(keyOf(name), decide, seen === undefined ? {} : { seen });
    return areFree;
  }

  async #holdings(): Promise<readonly Holding[]> {
    const { holders, holdersPrefix, held } = this.#options;
    const { items } = await holders.list({ prefix: holdersPrefix, freshness: 'latest' });
    return items.map(({ object }) => ({ holder: `${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}`, ...held(object) }));
  }
}

/** Whether the record of these values is there, and is about this range. */
const isThere = ({ name, range }: RecordedPool, records: Records): boolean => records.get(name)?.object.range === range;

interface InUse {
  readonly ips: Set<string>;
  readonly ports: Set<number>;
}

const inUseBy = (holdings: readonly Holding[]): InUse => ({
  ips: new Set(holdings.flatMap(({ addresses }) => addresses)),
  ports: new Set(holdings.flatMap(({ ports }) => ports)),
});

/** Allocates those of these values that are not allocated yet. */
function fill(pools: Pools, { ips, ports }: InUse): void {
  for (const ip of ips) pools.poolOf(ip)?.allocate(ip);
  for (const port of ports) pools.nodePorts.allocate(port);
}
