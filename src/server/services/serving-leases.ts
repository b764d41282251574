import { encodeForStorage } from '#registry';
import { randomUUID, type Clock } from '#base';
import { createObjectStore, type Engine, type ObjectStore } from '#storage';

/** Time to live of an entry: one and a half renewal intervals (10 s), so that a late renewal does not remove a running server. */
const LEASE_SECONDS = 15;

/**
 * Which servers on one store are alive: each renews an entry with a time to live, under its address. An entry is an Endpoints object, as kube-apiserver
 * keeps them: it may serve the same etcd.
 */
export class ServingLeases {
  readonly #store: ObjectStore;
  readonly #prefix: string;
  #beat = 0;

  /** `prefix`: the key prefix of the entries, with a trailing slash. */
  constructor(engine: Engine, clock: Clock, prefix: string) {
    this.#prefix = prefix;
    this.#store = createObjectStore({ engine, clock, prefix, kindCodec: { encode: encodeForStorage, select: () => ({}) } });
  }

  /** Registers this server under `ip`, or renews its entry. */
  async renew(ip: string): Promise<void> {
    // An unchanged entry would not be written, and its time to live would not restart.
    const renewal = String((this.#beat += 1));
    const entry = { kind: 'Endpoints', apiVersion: 'v1', metadata: { name: ip, annotations: { renewal, by: IDENTITY } }, subsets: [{ addresses: [{ ip }] }] };
    await this.#store.write(this.#keyOf(ip), async () => ({ put: entry }), { ttlSeconds: LEASE_SECONDS });
  }

  async giveUp(ip: string): Promise<void> {
    const key = this.#keyOf(ip);
    if ((await this.#store.get(key, 'latest')) !== undefined) await this.#store.write(key, async () => ({ remove: true }));
  }

  /** Addresses of all servers that are alive. */
  async serving(): Promise<readonly string[]> {
    const { items } = await this.#store.list({ prefix: this.#prefix, freshness: 'latest' });
    return items.map(({ key }) => key.slice(this.#prefix.length));
  }

  #keyOf(ip: string): string {
    return `${this.#prefix}${ip}`;
  }
}

const IDENTITY = randomUUID();
