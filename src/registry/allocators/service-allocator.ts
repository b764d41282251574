import { cloneJson } from '#base';
import { FieldErrors, invalid } from '#errors';
import type { ApiObject } from '#api';
import { Allocation } from './allocation.ts';
import type { Pools } from './pools.ts';
import type { RangeRecords } from './range-records.ts';
import { addressesOf, nodePortsOf, type AllocatedService, type AllocatedSpec } from './service-needs.ts';
import { allocateForService } from './allocate-for-service.ts';

/** A stored object that holds addresses or ports. */
type Holder = ApiObject | undefined;

/** Releases what a write has allocated. */
export type Release = () => Promise<void>;

/** Allocates addresses and ports of services before a write, and releases them when it fails. */
export class ServiceAllocator {
  readonly #records: RangeRecords;

  constructor(records: RangeRecords) {
    this.#records = records;
  }

  /** Families of addresses, the default first. */
  get families(): readonly string[] {
    return this.#records.families;
  }

  /** Allocates what `next` needs beyond what `live` has, and writes it into `next`. Throws `Invalid` when a value cannot be allocated. */
  async allocate(next: ApiObject, live: Holder, isDryRun: boolean): Promise<Release> {
    const service = next as AllocatedService;
    const wanted = service.spec;
    const attempt = (pools: Pools): Allocation => {
      // After a write conflict this is called again: each attempt starts from the spec as it was sent.
      service.spec = cloneJson(wanted);
      const allocation = new Allocation(pools, isDryRun);
      const at = new FieldErrors();
      allocateForService(service.spec, specOf(live), allocation, at.child('spec'));
      if (!at.isEmpty) throw invalid({ group: '', kind: 'Service' }, next.metadata.name ?? '', at.causes);
      return allocation;
    };
    if (isDryRun) {
      await this.#records.read(attempt);
      return async () => {};
    }
    const { addresses, ports } = await this.#records.update(attempt);
    return () => this.#release([...addresses], [...ports]);
  }

  /** Releases what `before` had and `after` does not have. */
  release(before: Holder, after: Holder): Promise<void> {
    const kept = specOf(after);
    const had = specOf(before);
    const addresses = addressesOf(had).filter((ip) => !addressesOf(kept).includes(ip));
    return this.#release(addresses, nodePortsOf(had).filter((port) => !nodePortsOf(kept).includes(port)));
  }

  /** See `RangeRecords.repair`. */
  repair(): Promise<number> {
    return this.#records.repair();
  }

  async #release(addresses: readonly string[], ports: readonly number[]): Promise<void> {
    if (addresses.length === 0 && ports.length === 0) return;
    await this.#records.update((pools) => {
      for (const ip of addresses) pools.poolOf(ip)?.release(ip);
      for (const port of ports) pools.nodePorts.release(port);
    });
  }
}

const specOf = (object: Holder): AllocatedSpec | undefined => (object as AllocatedService | undefined)?.spec;
