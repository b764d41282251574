import { FieldErrors, invalid } from '#errors';
import type { ApiObject } from '#api';
import type { ObjectStore } from '#storage';
import { Holding, type Pools } from './holding.ts';
import { addressesOf, nodePortsOf, type ScarceService, type ScarceSpec } from './service-needs.ts';
import { takeForService } from './take-for-service.ts';

/** A stored object whose kind reserves scarce values. */
type Holder = ApiObject | undefined;

/**
 * Scarce values of services: taken before a write, given back when it fails. Who has what is read from the stored objects before the
 * first is given out, so that nothing else has to be stored and nothing can disagree with them.
 */
export class Reserve {
  readonly #pools: Pools;
  readonly #objects: ObjectStore;
  readonly #prefix: string;
  #ready: Promise<void> | undefined;

  constructor(pools: Pools, objects: ObjectStore, prefix: string) {
    this.#pools = pools;
    this.#objects = objects;
    this.#prefix = prefix;
  }

  /** Takes what `next` needs beyond what `live` has and writes it into `next`. Throws `Invalid` where something cannot be had. */
  async take(next: ApiObject, live: Holder, isDryRun: boolean): Promise<Holding> {
    await this.#load();
    const holding = new Holding(this.#pools, isDryRun);
    const at = new FieldErrors();
    takeForService((next as ScarceService).spec, specOf(live), holding, at.child('spec'));
    if (at.isEmpty) return holding;
    holding.giveBack();
    throw invalid({ group: '', kind: 'Service' }, next.metadata.name ?? '', at.causes);
  }

  /** What `before` had and `after` has not is free again. */
  async release(before: Holder, after: Holder): Promise<void> {
    if (this.#ready === undefined) return;
    await this.#ready;
    const kept = specOf(after);
    for (const ip of addressesOf(specOf(before))) if (!addressesOf(kept).includes(ip)) this.#pools.clusterIps.giveBack(ip);
    for (const port of nodePortsOf(specOf(before))) if (!nodePortsOf(kept).includes(port)) this.#pools.nodePorts.giveBack(port);
  }

  /** Once; again after a failure. */
  #load(): Promise<void> {
    return (this.#ready ??= this.#read().catch((cause: unknown) => {
      this.#ready = undefined;
      throw cause;
    }));
  }

  async #read(): Promise<void> {
    const { items } = await this.#objects.list({ prefix: this.#prefix, freshness: 'latest' });
    for (const { object } of items) {
      for (const ip of addressesOf(specOf(object))) this.#pools.clusterIps.take(ip);
      for (const port of nodePortsOf(specOf(object))) this.#pools.nodePorts.take(port);
    }
  }
}

const specOf = (object: Holder): ScarceSpec | undefined => (object as ScarceService | undefined)?.spec;
