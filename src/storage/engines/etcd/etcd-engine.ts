import type { EngineOptions } from '../../driver.ts';
import type { Commit, Engine, Feed, Page, Scan, Write } from '../../engine.ts';
import type { Entry, Key, Revision } from '../../entry.ts';
import { closedFailure } from '../../storage-failure.ts';
import { Cluster } from './cluster.ts';
import { Compaction } from './compaction.ts';
import { failureOf } from './failures.ts';
import { ChangeFeed } from './feed.ts';
import { KeyValues } from './kv.ts';
import { Leases } from './leases.ts';
import { readLocation, type Location } from './location.ts';

/** Connects to a cluster. Throws `StorageFailure` when none of its members answers. */
export async function openEtcd(options: EngineOptions): Promise<Engine> {
  const location = await readLocation(options);
  const cluster = new Cluster(location, options);
  const keyValues = new KeyValues(cluster, new Leases(cluster));
  try {
    return new EtcdEngine({ cluster, keyValues, location, head: await keyValues.head() }, options);
  } catch (error) {
    cluster.close();
    throw error;
  }
}

interface Connected {
  readonly cluster: Cluster;
  readonly keyValues: KeyValues;
  readonly location: Location;
  readonly head: Revision;
}

class EtcdEngine implements Engine {
  readonly keepsOrder = false;
  readonly #cluster: Cluster;
  readonly #keyValues: KeyValues;
  readonly #feed: ChangeFeed;
  readonly #compaction: Compaction;
  #closed = false;

  constructor({ cluster, keyValues, location, head }: Connected, { clock, log }: EngineOptions) {
    this.#cluster = cluster;
    this.#keyValues = keyValues;
    this.#feed = new ChangeFeed(cluster, keyValues, location.root, head, log);
    cluster.broken = (why) => this.#feed.end(why);
    this.#compaction = new Compaction(cluster, keyValues, {
      clock,
      everyMs: location.compactionMs,
      compacted: (oldest) => this.#feed.compacted(oldest),
      failed: (cause) => {
        if (!this.#closed) log('history could not be compacted', { cause: failureOf(cause, 'cannot agree on who compacts').message });
      },
    });
  }

  async head(): Promise<Revision> {
    this.#checkOpen();
    return this.#keyValues.head();
  }

  async get(key: Key, at?: Revision): Promise<Entry | undefined> {
    this.#checkOpen();
    return this.#keyValues.get(key, at);
  }

  async scan(range: Scan): Promise<Page> {
    this.#checkOpen();
    return this.#keyValues.scan(range);
  }

  async commit(write: Write): Promise<Commit> {
    this.#checkOpen();
    return this.#keyValues.commit(write);
  }

  follow(prefix: Key, after: Revision, feed: Feed, signal: AbortSignal): void {
    this.#feed.follow(prefix, after, feed, signal);
  }

  async compact(before: Revision): Promise<void> {
    this.#checkOpen();
    await this.#compaction.running;
    await this.#keyValues.compact(before);
    this.#feed.compacted(before);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#compaction.stop();
    this.#feed.end(closedFailure());
    this.#cluster.close();
    await this.#compaction.running;
  }

  #checkOpen(): void {
    if (this.#closed) throw closedFailure();
  }
}
