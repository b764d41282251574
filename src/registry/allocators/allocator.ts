import { FieldErrors } from '#errors';
import type { Allocating, ApiObject, HeldValues, Resource } from '#api';
import { invalidObject } from '../invalid-object.ts';
import type { HoldingFault } from './holding-faults.ts';
import { PoolAllocation } from './pool-allocation.ts';
import type { Pools } from './pools.ts';
import type { RangeRecords } from './range-records.ts';

/** A stored object that holds addresses or ports. */
type Holder = ApiObject | undefined;

/** Releases what a write has allocated. */
export type Release = () => Promise<void>;

/** Allocates addresses and ports of objects before a write, and releases them when it fails. */
export class Allocator {
  readonly #records: RangeRecords;
  readonly #resource: Pick<Resource, 'group' | 'kind'>;
  readonly #allocating: Allocating<ApiObject>;

  constructor(records: RangeRecords, resource: Pick<Resource, 'group' | 'kind'>, allocating: Allocating<ApiObject>) {
    this.#records = records;
    this.#resource = resource;
    this.#allocating = allocating;
  }

  /** Families of addresses, the default first. */
  get families(): readonly string[] {
    return this.#records.families;
  }

  /** Allocates what `next` needs beyond what `live` has, and writes it into `next`. Throws `Invalid` when a value cannot be allocated. */
  async allocate(next: ApiObject, live: Holder, isDryRun: boolean): Promise<Release> {
    const sent = { ...next };
    const attempt = (pools: Pools): HeldValues => {
      // After a write conflict this is called again: each attempt starts from the object as it was sent.
      Object.assign(next, sent);
      const allocation = new PoolAllocation(pools, isDryRun);
      const at = new FieldErrors();
      this.#allocating.allocate(next, live, allocation, at);
      if (!at.isEmpty) throw invalidObject(this.#resource, next.metadata.name ?? '', at.causes);
      return allocation.allocated;
    };
    if (isDryRun) {
      await this.#records.read(attempt);
      return async () => {};
    }
    const allocated = await this.#records.update(attempt);
    return () => this.#release(allocated);
  }

  /** Releases what `before` had and `after` does not have. */
  release(before: Holder, after: Holder): Promise<void> {
    const [had, kept] = [this.#held(before), this.#held(after)];
    return this.#release({
      addresses: had.addresses.filter((ip) => !kept.addresses.includes(ip)),
      ports: had.ports.filter((port) => !kept.ports.includes(port)),
    });
  }

  /** See `RangeRecords.repair`. */
  repair(tell?: (fault: HoldingFault) => void): Promise<number> {
    return this.#records.repair(tell);
  }

  #held(object: Holder): HeldValues {
    return object === undefined ? NOTHING : this.#allocating.held(object);
  }

  async #release({ addresses, ports }: HeldValues): Promise<void> {
    if (addresses.length === 0 && ports.length === 0) return;
    await this.#records.update((pools) => {
      for (const ip of addresses) pools.poolOf(ip)?.release(ip);
      for (const port of ports) pools.nodePorts.release(port);
    });
  }
}

const NOTHING: HeldValues = { addresses: [], ports: [] };
