import type { Clock } from '#base';
import type { ApiObject } from '#api';
import {
  StorageFailure,
  Watcher,
  weightOf,
  type AtHand,
  type Decide,
  type Engine,
  type EventSink,
  type Freshness,
  type Key,
  type KindCodec,
  type Listing,
  type ObjectStore,
  type Query,
  type Revision,
  type Stored,
  type WatchQuery,
  type WriteHints,
  type Written,
} from '#storage';
import { Contents } from './contents.ts';
import { Dispatch } from './dispatch.ts';
import type { EngineFeed } from './feed.ts';
import type { HistoryBounds } from './history.ts';
import { pageOf } from './page.ts';
import { RevisionWaiters } from './revision-waiters.ts';
import { routeRead, type Once } from './route-read.ts';
import { Snapshots } from './snapshots.ts';
import { join, sendState, type WatchSource } from './start-watch.ts';

/** How long a read waits for a version that is not there yet. @spec 4.6 */
const WAIT_MS = 3_000;
/** The state of a resource that nobody reads for so many minutes leaves memory; its changes, too, where nobody watches. */
const IDLE_MINUTES = 10;
/** So many small reads within a minute, and the state of a resource is worth its memory. */
const WORTH_READS = 8;
/** A list with such a limit is a page, and a page of so many bytes is heavy. */
const PAGE_ITEMS = 100;
const HEAVY_BYTES = 8 * 1024 * 1024;
const isPage = ({ limit }: Pick<Query, 'limit'>): boolean => limit !== undefined && limit >= PAGE_ITEMS;

/** Which resource is kept, and over which store. */
export interface WatchCacheOptions<T extends ApiObject = ApiObject> {
  /** Takes the writes, and reads what is not in memory. */
  readonly store: ObjectStore<T>;
  readonly kindCodec: KindCodec<T>;
  /** The folder of the resource (`prefixOf`). */
  readonly prefix: Key;
  readonly history?: HistoryBounds;
}

/** What the caches of a server share. */
export interface CacheGround {
  readonly engine: Engine;
  readonly feed: EngineFeed;
  readonly clock: Clock;
  /** Something is kept in memory from now on: time has to be told by `minute`. */
  readonly onStart: () => void;
  /** What was kept is lost. */
  readonly onLost: () => void;
}

/**
 * An object store that keeps one resource in memory from when it is read as a whole or often; watches that begin where a list ended need
 * only its changes. Reads are as new as those of the store below, also right behind a write: they ask it for its newest revision, and wait
 * until that has come through the feed.
 */
export class WatchCache<T extends ApiObject> implements ObjectStore<T> {
  readonly #store: ObjectStore<T>;
  readonly #prefix: Key;
  readonly #ground: CacheGround;
  readonly #contents: Contents<T>;
  readonly #dispatch = new Dispatch<T>();
  readonly #source: WatchSource<T>;
  readonly #snapshots: Snapshots<T>;
  readonly #waiters: RevisionWaiters;
  readonly #watchers = new Set<Watcher<T>>();
  #idleMinutes = 0;
  #smallReads = 0;
  /** Pages that the store is being asked for, and whether the last was heavy. */
  #pagesBelow = 0;
  #hasHeavyPages = false;

  constructor(ground: CacheGround, { store, kindCodec, prefix, history }: WatchCacheOptions<T>) {
    const { engine, feed, clock } = ground;
    this.#store = store;
    this.#prefix = prefix;
    this.#ground = ground;
    this.#snapshots = new Snapshots(clock);
    this.#waiters = new RevisionWaiters(clock);
    this.#contents = new Contents<T>({
      engine,
      feed,
      prefix,
      select: kindCodec.select,
      history,
      onChanges: (changes) => this.#dispatch.send(changes),
      onLost: (why) => this.#lost(why),
    });
    this.#source = { engine, select: kindCodec.select, contents: this.#contents, dispatch: this.#dispatch };
  }

  get(key: Key, freshness: Freshness): Promise<Stored<T> | undefined> {
    const known = freshness === 'latest' ? this.atHand(key) : undefined;
    return known === undefined ? this.#ask(key, freshness) : Promise.resolve(known.stored);
  }

  atHand(key: Key, freshness: 'latest' | 'any' = 'latest'): AtHand<T> | undefined {
    if (!this.#contents.isOn || !this.#holds(key)) return undefined;
    if (freshness === 'latest' && !this.#isNewest()) return undefined;
    this.#idleMinutes = 0;
    return { stored: this.#contents.get(key) };
  }

  #isNewest(): boolean {
    const head = this.#ground.engine.headAtHand?.();
    return head !== undefined && this.#contents.position >= head;
  }

  async #ask(key: Key, freshness: Freshness): Promise<Stored<T> | undefined> {
    const route = routeRead(freshness);
    if (route.from === 'engine' || !this.#holds(key)) return this.#store.get(key, freshness);
    // All may be lost again by the time that this goes on.
    if (!(await this.#canAnswer(route.once, true)) || !this.#contents.isOn) return this.#store.get(key, freshness);
    return this.#contents.get(key);
  }

  async list(query: Query<T>): Promise<Listing<T>> {
    const route = routeRead(query.freshness);
    if (!this.#holds(query.prefix)) return this.#store.list(query);
    if (route.from === 'engine') {
      const snapshot = this.#snapshots.at(route.at);
      return snapshot === undefined ? this.#store.list(query) : pageOf(snapshot, query, route.at);
    }
    if (!this.#contents.isOn && isPage(query)) return this.#pageWhileCold(query, route.once);
    return this.#answer(query, route.once, query.limit !== undefined);
  }

  /** Pages need not wait for everything to be read; but not many of them at once, nor heavy ones: each is in memory once more. */
  async #pageWhileCold(query: Query<T>, once: Once): Promise<Listing<T>> {
    if (this.#pagesBelow > 0 || this.#hasHeavyPages) return this.#answer(query, once, false);
    this.#pagesBelow += 1;
    try {
      const listing = await this.#answer(query, once, true);
      let bytes = 0;
      for (const stored of listing.items) bytes += weightOf(stored);
      this.#hasHeavyPages = bytes > HEAVY_BYTES;
      return listing;
    } finally {
      this.#pagesBelow -= 1;
    }
  }

  async #answer(query: Query<T>, once: Once, isSmall: boolean): Promise<Listing<T>> {
    if (!(await this.#canAnswer(once, isSmall)) || !this.#contents.isOn) return this.#store.list(query);
    const { position, snapshot } = this.#contents;
    const listing = await pageOf(snapshot, query, position);
    if (listing.next !== undefined) this.#snapshots.keep(position, snapshot);
    return listing;
  }

  /** The store tells the feed of what it has committed before it answers: nothing has to be handed over here. */
  write(key: Key, decide: Decide<T>, hints?: WriteHints<T>): Promise<Written<T>> {
    return this.#store.write(key, decide, hints);
  }

  async watch(query: WatchQuery<T>, sink: EventSink<T>, signal: AbortSignal): Promise<void> {
    if (!this.#holds(query.prefix)) return this.#store.watch(query, sink, signal);
    const watcher = new Watcher(query, sink, signal);
    if (signal.aborted) return watcher.end();
    this.#watchers.add(watcher);
    watcher.onEnd(() => this.#watchers.delete(watcher));
    try {
      await this.#begin(watcher);
    } catch (cause) {
      // Who has been told already that it is over is not told again.
      if (watcher.drop()) throw cause;
    }
  }

  /** Called once a minute while something is kept: says how far watches have come, and forgets what nobody needs. */
  minute(): void {
    this.#smallReads = 0;
    if (!this.#contents.isFed) return;
    this.#dispatch.bookmark(this.#contents.toldUpTo);
    this.#snapshots.forgetOld();
    this.#idleMinutes += 1;
    // A load that takes longer is being waited for.
    if (this.#idleMinutes <= IDLE_MINUTES || this.#contents.isLoading) return;
    if (this.#watchers.size > 0) this.#contents.unload();
    else this.#contents.stop();
  }

  /** Something of the resource is in memory, or will be: time has to be told by `minute`. */
  get isKept(): boolean {
    return this.#contents.isKept;
  }

  async #begin(watcher: Watcher<T>): Promise<void> {
    const { since } = watcher.query;
    this.#idleMinutes = 0;
    let isJoined = false;
    // Set before the state is sent, which takes as long as the receiver does.
    watcher.beforeEnd(this.#ground.clock, () => {
      const { toldUpTo } = this.#contents;
      if (isJoined && watcher.position <= toldUpTo) watcher.send([{ type: 'BOOKMARK', revision: toldUpTo }]);
    });
    if (typeof since === 'number' && since > 0) {
      watcher.position = since;
      if (!this.#contents.isFed) await this.#follow();
    } else {
      if (!(await this.#canAnswer(since === 'latest' ? 'head' : 'now', false))) throw new StorageFailure('unavailable', 'the feed of the store does not keep up');
      await sendState(this.#source, watcher);
    }
    join(this.#source, watcher, () => (isJoined = true));
  }

  #holds(key: Key): boolean {
    return key.startsWith(this.#prefix);
  }

  /** Whether memory can answer now, `once` it has come far enough. Small reads do not wait while everything is read for the first time. */
  async #canAnswer(once: Once, isSmall: boolean): Promise<boolean> {
    this.#idleMinutes = 0;
    if (!this.#contents.isOn) {
      const isServedBelow = isSmall && typeof once === 'string';
      if (isServedBelow && ++this.#smallReads < WORTH_READS) return false;
      const loading = this.#load();
      if (isServedBelow) {
        // Whoever needs it meets the failure.
        loading.catch(() => {});
        return false;
      }
      await loading;
    }
    if (once === 'now') return this.#contents.isOn;
    const revision: Revision = once === 'head' ? await this.#ground.engine.head() : once;
    if (this.#contents.position >= revision) return this.#contents.isOn;
    return (await this.#reached(revision)) && this.#contents.isOn;
  }

  /** Listens to the feed only meanwhile: it moves with every write of any resource. */
  async #reached(revision: Revision): Promise<boolean> {
    const stop = this.#ground.feed.onProgress(() => this.#waiters.reached(this.#contents.position));
    try {
      return await this.#waiters.wait(revision, WAIT_MS);
    } finally {
      stop();
    }
  }

  async #load(): Promise<void> {
    this.#ground.onStart();
    await this.#contents.ready();
  }

  async #follow(): Promise<void> {
    this.#ground.onStart();
    await this.#contents.followed();
  }

  #lost(why: StorageFailure): void {
    this.#snapshots.clear();
    this.#waiters.giveUp();
    for (const watcher of [...this.#watchers]) watcher.lose(why);
    this.#ground.onLost();
  }
}
