import { FieldErrors, invalid } from '#errors';
import type { ApiObject } from '#api';
import { Holding } from './holding.ts';
import type { Pools } from './pools.ts';
import type { RangeRecord } from './range-record.ts';
import { addressesOf, nodePortsOf, type ScarceService, type ScarceSpec } from './service-needs.ts';
import { takeForService } from './take-for-service.ts';

/** A stored object that holds addresses or ports. */
type Holder = ApiObject | undefined;

/** Releases what a write has allocated. */
export type GiveBack = () => Promise<void>;

/** Allocates addresses and ports of services before a write, and releases them when it fails. */
export class Reserve {
  readonly #record: RangeRecord;

  constructor(record: RangeRecord) {
    this.#record = record;
  }

  /** Families of addresses, the default first. */
  get families(): readonly string[] {
    return this.#record.families;
  }

  /** Allocates what `next` needs beyond what `live` has, and writes it into `next`. Throws `Invalid` when a value cannot be allocated. */
  async take(next: ApiObject, live: Holder, isDryRun: boolean): Promise<GiveBack> {
    const service = next as ScarceService;
    const wanted = structuredClone(service.spec);
    const attempt = (pools: Pools): Holding => {
      // After a write conflict this is called again: each attempt starts from the spec as it was sent.
      service.spec = structuredClone(wanted);
      const holding = new Holding(pools, isDryRun);
      const at = new FieldErrors();
      takeForService(service.spec, specOf(live), holding, at.child('spec'));
      if (!at.isEmpty) throw invalid({ group: '', kind: 'Service' }, next.metadata.name ?? '', at.causes);
      return holding;
    };
    if (isDryRun) {
      await this.#record.look(attempt);
      return async () => {};
    }
    const { addresses, ports } = await this.#record.change(attempt);
    return () => this.#giveBack([...addresses], [...ports]);
  }

  /** Releases what `before` had and `after` does not have. */
  release(before: Holder, after: Holder): Promise<void> {
    const kept = specOf(after);
    const had = specOf(before);
    const addresses = addressesOf(had).filter((ip) => !addressesOf(kept).includes(ip));
    return this.#giveBack(addresses, nodePortsOf(had).filter((port) => !nodePortsOf(kept).includes(port)));
  }

  /** See `RangeRecord.repair`. */
  repair(): Promise<number> {
    return this.#record.repair();
  }

  async #giveBack(addresses: readonly string[], ports: readonly number[]): Promise<void> {
    if (addresses.length === 0 && ports.length === 0) return;
    await this.#record.change((pools) => {
      for (const ip of addresses) pools.poolOf(ip)?.giveBack(ip);
      for (const port of ports) pools.nodePorts.giveBack(port);
    });
  }
}

const specOf = (object: Holder): ScarceSpec | undefined => (object as ScarceService | undefined)?.spec;
