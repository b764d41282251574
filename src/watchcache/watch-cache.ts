import { isTurnLong, nextTurn, type Clock } from '#base';
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
import { routeRead, type WaitFor } from './route-read.ts';
import { Snapshots } from './snapshots.ts';
import { join, sendState, type WatchSource } from './start-watch.ts';

/** How long a read waits until the cache has reached its revision. @spec 4.6 */
const WAIT_MS = 3_000;
/** After so many minutes without a read the state of a resource is freed; if it has no watch either, its changes too. */
const IDLE_MINUTES = 10;
/** With so many small reads within a minute the state of a resource is loaded into memory. */
const WORTH_READS = 8;
/** A list with at least this limit counts as a page, and a page of more bytes than this is heavy. */
const PAGE_ITEMS = 100;
const HEAVY_BYTES = 8 * 1024 * 1024;
const isPage = ({ limit }: Pick<Query, 'limit'>): boolean => limit !== undefined && limit >= PAGE_ITEMS;

/** Whether a read wants so little of a resource that the store below answers it soon: an object or a page. A `whole` read is worth loading the state. */
type ReadSize = 'small' | 'whole';

/** The resource of a cache, and the store below it. */
export interface WatchCacheOptions<T extends ApiObject = ApiObject> {
  /** Executes writes, and reads that memory cannot answer. */
  readonly store: ObjectStore<T>;
  readonly kindCodec: KindCodec<T>;
  /** The key prefix of the resource (`prefixOf`). */
  readonly prefix: Key;
  readonly history?: HistoryBounds;
}

/** What the caches of a server share. */
export interface CacheEnvironment {
  readonly engine: Engine;
  readonly feed: EngineFeed;
  readonly clock: Clock;
  /** Something is going to be in memory: `everyMinute` must be called from now on. */
  readonly onStart: () => void;
  /** A cache has lost its feed and emptied its memory. */
  readonly onLost: () => void;
}

/**
 * An object store that keeps one resource in memory once it is listed as a whole or read often; for watches that start at the revision of a list, its
 * changes are enough. Reads are as fresh as those of the store below, also right after a write: they ask the engine for its newest revision and wait
 * until the feed has delivered it.
 */
export class WatchCache<T extends ApiObject> implements ObjectStore<T> {
  readonly #store: ObjectStore<T>;
  readonly #prefix: Key;
  readonly #environment: CacheEnvironment;
  readonly #contents: Contents<T>;
  readonly #dispatch = new Dispatch<T>();
  readonly #source: WatchSource<T>;
  readonly #snapshots: Snapshots<T>;
  readonly #waiters: RevisionWaiters;
  /** Set while reads wait for a revision: every write of any resource moves the feed, and one listens to its progress for all of them. */
  #stopListening: (() => void) | undefined;
  readonly #watchers = new Set<Watcher<T>>();
  #idleMinutes = 0;
  #smallReads = 0;
  /** The number of pages being read from the store below, and whether the last one was heavy. */
  #pagesBelow = 0;
  #hasHeavyPages = false;

  constructor(environment: CacheEnvironment, { store, kindCodec, prefix, history }: WatchCacheOptions<T>) {
    const { engine, feed, clock } = environment;
    this.#store = store;
    this.#prefix = prefix;
    this.#environment = environment;
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
    return known === undefined ? this.#getAwaiting(key, freshness) : Promise.resolve(known.stored);
  }

  atHand(key: Key, freshness: 'latest' | 'any' = 'latest'): AtHand<T> | undefined {
    if (!this.#contents.isOn || !this.#holds(key)) return undefined;
    if (freshness === 'latest' && !this.#isNewest()) return undefined;
    this.#idleMinutes = 0;
    return { stored: this.#contents.get(key) };
  }

  #isNewest(): boolean {
    const head = this.#environment.engine.headAtHand?.();
    return head !== undefined && this.#contents.position >= head;
  }

  async #getAwaiting(key: Key, freshness: Freshness): Promise<Stored<T> | undefined> {
    const route = routeRead(freshness);
    if (route.from === 'engine' || !this.#holds(key)) return this.#store.get(key, freshness);
    // The feed may have been lost again before this continues.
    const canAnswer = await this.#canAnswer(route.waitFor, 'small').catch(falseWhereCorrupt);
    if (!canAnswer || !this.#contents.isOn) return this.#store.get(key, freshness);
    return this.#contents.get(key);
  }

  async list(query: Query<T>): Promise<Listing<T>> {
    const route = routeRead(query.freshness);
    if (!this.#holds(query.prefix)) return this.#store.list(query);
    if (route.from === 'engine') {
      const snapshot = this.#snapshots.at(route.at);
      return snapshot === undefined ? this.#store.list(query) : pageOf(snapshot, query, route.at);
    }
    if (!this.#contents.isOn && isPage(query)) return this.#pageWhileCold(query, route.waitFor);
    return this.#listFromCache(query, route.waitFor, query.limit === undefined ? 'whole' : 'small');
  }

  /**
   * A page is read from the store below while the state is not in memory, so that it need not wait for the whole state. But only one at a time, and not
   * after a heavy one: each such page takes memory of its own.
   */
  async #pageWhileCold(query: Query<T>, waitFor: WaitFor): Promise<Listing<T>> {
    if (this.#pagesBelow > 0 || this.#hasHeavyPages) return this.#listFromCache(query, waitFor, 'whole');
    this.#pagesBelow += 1;
    try {
      const listing = await this.#listFromCache(query, waitFor, 'small');
      let bytes = 0;
      for (const stored of listing.items) bytes += weightOf(stored);
      this.#hasHeavyPages = bytes > HEAVY_BYTES;
      return listing;
    } finally {
      this.#pagesBelow -= 1;
    }
  }

  async #listFromCache(query: Query<T>, waitFor: WaitFor, size: ReadSize): Promise<Listing<T>> {
    const canAnswer = await this.#canAnswer(waitFor, size).catch(falseWhereCorrupt);
    if (!canAnswer || !this.#contents.isOn) return this.#store.list(query);
    const { position, snapshot } = this.#contents;
    const listing = await pageOf(snapshot, query, position);
    // The feed may have been lost, and memory emptied, while a selector was asked.
    if (listing.next !== undefined && this.#contents.isOn) this.#snapshots.keep(position, snapshot);
    return listing;
  }

  /** Passes the write on. The cache learns of it from the feed like any other cache: reads wait for that (`#canAnswer`). */
  write(key: Key, decide: Decide<T>, hints?: WriteHints<T>): Promise<Written<T>> {
    return this.#store.write(key, decide, hints);
  }

  async watch(query: WatchQuery<T>, sink: EventSink<T>, signal: AbortSignal): Promise<void> {
    if (!this.#holds(query.prefix)) return this.#store.watch(query, sink, signal);
    const watcher = new Watcher(query, sink, signal);
    if (signal.aborted) return watcher.end();
    this.#watchers.add(watcher);
    watcher.onEnd(() => this.#watchers.delete(watcher));
    let hasBegun: boolean;
    try {
      hasBegun = await this.#begin(watcher);
    } catch (cause) {
      // The sink of a watch that has ended already was told why.
      if (watcher.drop()) throw cause;
      return;
    }
    if (!hasBegun && watcher.drop()) await this.#store.watch(query, sink, signal);
  }

  /** Called once a minute while something is in memory: sends bookmarks, and frees memory that was not used for long. */
  everyMinute(): void {
    this.#smallReads = 0;
    if (!this.#contents.isFed) return;
    this.#dispatch.bookmark(this.#contents.deliveredUpTo);
    this.#snapshots.forgetOld();
    this.#idleMinutes += 1;
    // A load in progress is awaited by a read, however long it takes.
    if (this.#idleMinutes <= IDLE_MINUTES || this.#contents.isLoading) return;
    if (this.#watchers.size > 0) this.#contents.unload();
    else this.#contents.stop();
  }

  /** Whether something of the resource is in memory, or will be, so that `everyMinute` must be called. */
  get isKept(): boolean {
    return this.#contents.isKept;
  }

  /** Returns false where memory cannot answer with the objects that the watch is to begin with. */
  async #begin(watcher: Watcher<T>): Promise<boolean> {
    const { since } = watcher.query;
    this.#idleMinutes = 0;
    let isJoined = false;
    // The timer starts before the initial state is sent, which takes as long as the receiver needs to take it.
    watcher.beforeEnd(this.#environment.clock, () => {
      const { deliveredUpTo } = this.#contents;
      if (isJoined && watcher.wantsBookmark(deliveredUpTo)) watcher.send([{ type: 'BOOKMARK', revision: deliveredUpTo }]);
    });
    const { engine, feed } = this.#environment;
    // The dispatch does not tell watches how far they are.
    const tellPosition = (): void => {
      if (isJoined) watcher.flush(this.#contents.deliveredUpTo);
    };
    watcher.endWhenClosing(
      () => engine.head(),
      () => {
        tellPosition();
        watcher.onEnd(feed.onProgress(tellPosition));
      },
    );
    if (watcher.position > 0) {
      watcher.begin();
      if (!this.#contents.isFed) await this.#follow();
      // A selector may decode each change that was missed, and many may begin in the same turn.
      if (watcher.position < this.#contents.deliveredUpTo && isTurnLong()) await nextTurn();
    } else {
      if (!(await this.#canAnswer(since === 'latest' ? 'head' : 'now', 'whole').catch(falseWhereCorrupt))) return false;
      await sendState(this.#source, watcher);
    }
    join(this.#source, watcher, () => (isJoined = true));
    return true;
  }

  #holds(key: Key): boolean {
    return key.startsWith(this.#prefix);
  }

  /** Whether memory can answer, after waiting until it has reached `waitFor`. Small reads do not wait for the state to be loaded. */
  async #canAnswer(waitFor: WaitFor, size: ReadSize): Promise<boolean> {
    this.#idleMinutes = 0;
    if (!this.#contents.isOn) {
      const isServedBelow = size === 'small' && typeof waitFor === 'string';
      if (isServedBelow && ++this.#smallReads < WORTH_READS) return false;
      const loading = this.#load();
      if (isServedBelow) {
        // A failure is reported to the reads that wait for the load.
        loading.catch(() => {});
        return false;
      }
      await loading;
    }
    if (waitFor === 'now') return this.#contents.isOn;
    const revision: Revision = waitFor === 'head' ? await this.#environment.engine.head() : waitFor;
    // The feed may have been lost meanwhile, and nobody would move it on.
    if (!this.#contents.isOn || this.#contents.position >= revision) return this.#contents.isOn;
    return (await this.#reached(revision)) && this.#contents.isOn;
  }

  /** Whether the state reaches a revision in time. */
  async #reached(revision: Revision): Promise<boolean> {
    this.#stopListening ??= this.#environment.feed.onProgress(() => this.#waiters.reached(this.#contents.position));
    try {
      return await this.#waiters.wait(revision, WAIT_MS);
    } finally {
      if (this.#waiters.areNone) {
        this.#stopListening?.();
        this.#stopListening = undefined;
      }
    }
  }

  async #load(): Promise<void> {
    this.#environment.onStart();
    await this.#contents.ready();
  }

  async #follow(): Promise<void> {
    this.#environment.onStart();
    await this.#contents.followed();
  }

  #lost(why: StorageFailure): void {
    this.#snapshots.clear();
    this.#waiters.giveUp();
    for (const watcher of [...this.#watchers]) watcher.lose(why);
    this.#environment.onLost();
  }
}

/** What is asked for may be readable though another object of the resource is not: the store below then answers. */
function falseWhereCorrupt(cause: unknown): false {
  if (cause instanceof StorageFailure && cause.code === 'corrupt') return false;
  throw cause;
}
