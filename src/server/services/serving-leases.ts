import { encodeForStorage } from '#registry';
import type { Clock } from '#base';
import { createObjectStore, type Engine, type ObjectStore } from '#storage';

/** Three times as long as renewals are apart, less one: a server may miss one renewal. */
const LEASE_SECONDS = 15;

/** Which of several servers on one store are alive: each renews an entry that vanishes when it does not. */
export class ServingLeases {
  readonly #store: ObjectStore;
  readonly #prefix: string;
  #beat = 0;

  /** `prefix`: where the entries lie, with a slash at its end. */
  constructor(engine: Engine, clock: Clock, prefix: string) {
    this.#prefix = prefix;
    this.#store = createObjectStore({ engine, clock, prefix, kindCodec: { encode: encodeForStorage, select: () => ({}) } });
  }

  /** This server serves there. */
  async renew(ip: string): Promise<void> {
    // An entry that did not change would not be written, and its time not begin anew.
    const renewal = String((this.#beat += 1));
    const entry = { kind: 'ServingLease', apiVersion: 'v1', metadata: { name: ip, annotations: { renewal, by: IDENTITY } } };
    await this.#store.write(this.#keyOf(ip), async () => ({ put: entry }), { ttlSeconds: LEASE_SECONDS });
  }

  async giveUp(ip: string): Promise<void> {
    const key = this.#keyOf(ip);
    if ((await this.#store.get(key, 'latest')) !== undefined) await this.#store.write(key, async () => ({ remove: true }));
  }

  /** Addresses of all servers that are alive. */
  async serving(): Promise<readonly string[]> {
    const { items } = await this.#store.list({ prefix: this.#prefix, freshness: 'latest' });
    return items.map(({ object }) => object.metadata.name ?? '');
  }

  #keyOf(ip: string): string {
    return `${this.#prefix}${ip}`;
  }
}

const IDENTITY = crypto.randomUUID();
