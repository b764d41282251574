import type { Clock } from '#base';
import type { ApiObject, Follower, ObjectKey } from '#api';
import type { Key, ObjectStore, Revision, Stored, WatchEvent, Written } from '#storage';

/** An object store whose writes resolve once all its followers have seen them, so that no decision made after that is based on an older state. */
export interface FollowedStore extends ObjectStore {
  /** Gives the follower all objects and then every change, until the signal aborts. Resolves when it has all objects. Throws `StorageFailure`. */
  follow(follower: Follower, signal: AbortSignal): Promise<void>;
  /** Resolves when all followers have seen an object as the store has it by now; at once where there is none. Throws `StorageFailure`. */
  heardOf(key: Key): Promise<void>;
}

export interface FollowedStoreOptions {
  readonly objects: ObjectStore;
  /** The key prefix of the collection. */
  readonly prefix: Key;
  readonly isNamespaced: boolean;
  readonly clock: Clock;
}

/** Wraps a store so that it can be followed. Without followers it costs nothing. */
export function createFollowedStore(options: FollowedStoreOptions): FollowedStore {
  const { objects } = options;
  const feeds = new Set<FollowerFeed>();
  return {
    get: (key, freshness) => objects.get(key, freshness),
    atHand: (key, freshness) => objects.atHand?.(key, freshness),
    list: (query) => objects.list(query),
    watch: (query, sink, signal) => objects.watch(query, sink, signal),
    write(key, decide, hints) {
      const written = objects.write(key, decide, hints);
      return hints?.dryRun === true ? written : written.then((done) => (feeds.size === 0 ? done : seenByAll(feeds, done)));
    },
    async follow(follower, signal) {
      const feed = new FollowerFeed(options, follower, signal);
      await feed.start();
      if (signal.aborted) return;
      feeds.add(feed);
      signal.addEventListener('abort', () => feeds.delete(feed), { once: true });
    },
    async heardOf(key) {
      const stored = await objects.get(key, 'latest');
      if (stored !== undefined) await seenByAll(feeds, { did: 'replace', stored });
    },
  };
}

async function seenByAll(feeds: ReadonlySet<FollowerFeed>, written: Written): Promise<Written> {
  await Promise.all([...feeds].map((feed) => feed.seen(written)));
  return written;
}

const RETRY_MS = 1_000;

/** Feeds the objects of a collection to one follower. */
class FollowerFeed {
  readonly #options: FollowedStoreOptions;
  readonly #follower: Follower;
  readonly #signal: AbortSignal;
  /** The revision of each object that the follower has. */
  readonly #known = new Map<Key, Revision>();
  #position: Revision = 0;
  #waiting: (() => boolean)[] = [];
  #isFollowing = false;

  constructor(options: FollowedStoreOptions, follower: Follower, signal: AbortSignal) {
    this.#options = options;
    this.#follower = follower;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#stop(), { once: true });
  }

  async start(): Promise<void> {
    const { objects, prefix } = this.#options;
    const { items, revision } = await objects.list({ prefix, freshness: 'latest' });
    this.#replace(items);
    this.#position = Math.max(this.#position, revision);
    const events = (batch: readonly WatchEvent[]): boolean => {
      for (const event of batch) this.#take(event);
      this.#wake();
      return true;
    };
    let isOver = false;
    const end = (): void => {
      isOver = true;
      this.#restart();
    };
    await objects.watch({ prefix, since: revision, bookmarks: false }, { events, end }, this.#signal);
    if (!isOver) this.#isFollowing = true;
  }

  /** Resolves when the follower has seen a write, or is not following at present. */
  seen({ did, stored: { key, revision } }: Written): Promise<void> {
    if (did === 'nothing') return Promise.resolve();
    const isSeen = (): boolean =>
      !this.#isFollowing || (did === 'remove' ? (this.#known.get(key) ?? Infinity) > revision : this.#position >= revision);
    if (isSeen()) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(() => {
        if (!isSeen()) return false;
        resolve();
        return true;
      });
    });
  }

  /** Lists and watches again after the watch has ended, as when the store cannot be reached. Until then writes do not wait for this follower. */
  #restart(): void {
    this.#stop();
    if (this.#signal.aborted) return;
    this.start().catch(() => {
      if (!this.#signal.aborted) this.#options.clock.after(RETRY_MS, () => this.#restart());
    });
  }

  #stop(): void {
    this.#isFollowing = false;
    this.#wake();
  }

  #replace(items: readonly Stored[]): void {
    const present = new Set(items.map(({ key }) => key));
    for (const key of [...this.#known.keys()]) if (!present.has(key)) this.#forget(key, undefined);
    for (const stored of items) this.#put(stored);
  }

  #take(event: WatchEvent): void {
    if (event.type === 'BOOKMARK') return;
    if (event.type === 'DELETED') this.#forget(event.stored.key, event.stored.object);
    else this.#put(event.stored);
    this.#position = Math.max(this.#position, event.revision);
  }

  #put({ key, revision, object }: Stored): void {
    if ((this.#known.get(key) ?? 0) >= revision) return;
    this.#known.set(key, revision);
    this.#follower.put(object);
  }

  #forget(key: Key, last: ApiObject | undefined): void {
    this.#known.delete(key);
    this.#follower.remove(this.#keyOf(key), last);
  }

  /** Keys end in `…/namespace/name` or `…/name`. */
  #keyOf(key: Key): ObjectKey {
    const [parent = '', name = ''] = key.split('/').slice(-2);
    return { namespace: this.#options.isNamespaced ? parent : '', name };
  }

  #wake(): void {
    if (this.#waiting.length > 0) this.#waiting = this.#waiting.filter((isDone) => !isDone());
  }
}
