import { nextTurn, PrefixIndex, type Clock } from '#base';
import type { ApiObject } from '#api';
import { catchUp } from './catch-up.ts';
import type { Change, Engine } from './engine.ts';
import type { Key, Revision } from './entry.ts';
import { eventsOf } from './events.ts';
import { endOf } from './keys.ts';
import type { EventSink, WatchQuery } from './object-store.ts';
import { readNewest, scanSlice, type Slice } from './slices.ts';
import { createStored, type KindCodec } from './stored.ts';
import { BOOKMARK_EVERY_MS, Watcher } from './watcher.ts';

export interface WatchHubOptions<T extends ApiObject> {
  readonly engine: Engine;
  readonly codec: KindCodec<T>;
  readonly clock: Clock;
  /** All watches below this prefix share one feed of the engine. Absent: those of the same prefix do. */
  readonly prefix?: Key | undefined;
}

/**
 * All watches of one store. A watch that starts at an old revision first follows the engine with a feed of its own, until it has caught up with the
 * shared feed; from then on each change is decoded once for all watches, and costs nothing to watches of other keys.
 * @spec 4.5
 */
export class WatchHub<T extends ApiObject> {
  readonly #options: WatchHubOptions<T>;
  readonly #feeds = new Map<Key, SharedFeed<T>>();

  constructor(options: WatchHubOptions<T>) {
    this.#options = options;
  }

  /** Resolves when the watch has its initial state and will get every later change. Throws `StorageFailure` when that state cannot be read. */
  async watch(query: WatchQuery<T>, sink: EventSink<T>, signal: AbortSignal): Promise<void> {
    const watcher = new Watcher(query, sink, signal);
    if (signal.aborted) return watcher.end();
    // The timer starts before the initial state is sent, which takes as long as the receiver needs to take it.
    watcher.beforeEnd(this.#options.clock, () => watcher.bookmark(this.#feeds.get(this.#rootOf(query.prefix))?.position ?? 0));
    watcher.endWhenClosing(() => this.#options.engine.head());
    try {
      if (watcher.position > 0) watcher.begin();
      else await this.#sendState(watcher);
      await this.#join(watcher);
    } catch (error) {
      watcher.drop();
      throw error;
    }
  }

  /** Sends a bookmark to every watch that asked for bookmarks. */
  bookmark(): void {
    for (const feed of this.#feeds.values()) feed.bookmark();
  }

  /** Sends the current objects slice by slice, all as of one revision, from which the watch then goes on. */
  async #sendState(watcher: Watcher<T>): Promise<void> {
    const { prefix, matches } = watcher.query;
    const { engine, codec } = this.#options;
    const end = endOf(prefix);
    let start: Key | undefined = prefix;
    let at: Revision | undefined;
    let first = true;
    while (start !== undefined && !watcher.ended) {
      if (!first) await nextTurn();
      const range = { start, end };
      const slice: Slice = await (at === undefined ? readNewest(() => scanSlice(engine, range)) : scanSlice(engine, { ...range, at }));
      if (first) watcher.begin();
      at = slice.revision;
      start = slice.next;
      const items = slice.entries.map((entry) => createStored<T>(entry, codec.select));
      await watcher.sendState(matches === undefined ? items : items.filter(matches));
      first = false;
    }
    if (at !== undefined) watcher.reach(at);
  }

  async #join(watcher: Watcher<T>): Promise<void> {
    if (watcher.ended) return;
    const feed = this.#feedOf(watcher.query.prefix);
    feed.hold(watcher);
    await feed.started;
    this.#addTo(feed, watcher);
  }

  #addTo(feed: SharedFeed<T>, watcher: Watcher<T>): void {
    if (watcher.ended) return;
    if (watcher.position >= feed.position) feed.add(watcher);
    else {
      const { engine, codec } = this.#options;
      catchUp({ engine, select: codec.select }, watcher, () => watcher.position >= feed.position, () => this.#addTo(feed, watcher));
    }
  }

  /** The prefix of the shared feed for watches of `prefix`. */
  #rootOf(prefix: Key): Key {
    const { prefix: root } = this.#options;
    return root !== undefined && prefix.startsWith(root) ? root : prefix;
  }

  #feedOf(prefix: Key): SharedFeed<T> {
    const root = this.#rootOf(prefix);
    let feed = this.#feeds.get(root);
    if (feed === undefined) {
      feed = new SharedFeed(root, this.#options, () => this.#feeds.delete(root));
      this.#feeds.set(root, feed);
    }
    return feed;
  }
}

/** One feed of the engine, shared by many watches. Stops when the last of them has ended. */
class SharedFeed<T extends ApiObject> {
  /** Resolves when `position` is known; rejects with `StorageFailure`. */
  readonly started: Promise<void>;
  /** The revision up to which all changes were delivered to the watches that joined. */
  position: Revision = 0;
  readonly #options: WatchHubOptions<T>;
  readonly #prefix: Key;
  readonly #watchers = new PrefixIndex<Watcher<T>>();
  /** Watches that have joined or are catching up. */
  readonly #held = new Set<Watcher<T>>();
  readonly #stopped = new AbortController();
  readonly #onStop: () => void;
  #cancelBookmarks: () => void = () => {};

  constructor(prefix: Key, options: WatchHubOptions<T>, onStop: () => void) {
    this.#prefix = prefix;
    this.#options = options;
    this.#onStop = onStop;
    this.started = this.#start();
    this.#scheduleBookmarks();
  }

  /** Keeps the feed alive for a watch that is to join. */
  hold(watcher: Watcher<T>): void {
    this.#held.add(watcher);
    watcher.onEnd(() => {
      this.#held.delete(watcher);
      if (this.#held.size === 0) this.#stop();
    });
  }

  /** Joins a watch that `hold` was called for: it gets every change after its position. */
  add(watcher: Watcher<T>): void {
    const { prefix } = watcher.query;
    this.#watchers.add(prefix, watcher);
    watcher.onEnd(() => this.#watchers.remove(prefix, watcher));
  }

  bookmark(): void {
    this.#watchers.forEach((watcher) => watcher.bookmark(this.position));
  }

  async #start(): Promise<void> {
    try {
      this.position = await this.#options.engine.head();
    } catch (error) {
      this.#stop();
      throw error;
    }
    if (this.#stopped.signal.aborted) return;
    const lost = (why: Error): void => {
      // First: who watches again as soon as it is told needs another feed.
      this.#stop();
      for (const watcher of [...this.#held]) watcher.lose(why);
    };
    const changes = (batch: readonly Change[], upTo: Revision): void => this.#dispatch(batch, upTo);
    this.#options.engine.follow(this.#prefix, this.position, { changes, lost }, this.#stopped.signal);
  }

  #dispatch(batch: readonly Change[], upTo: Revision): void {
    const { codec } = this.#options;
    this.position = upTo;
    for (const change of batch) {
      const events = eventsOf<T>(change, codec.select);
      this.#watchers.matching(change.key, (watcher) => watcher.take(events));
    }
    this.#watchers.forEach((watcher) => watcher.flush(upTo));
  }

  #scheduleBookmarks(): void {
    this.#cancelBookmarks = this.#options.clock.after(BOOKMARK_EVERY_MS, () => {
      this.bookmark();
      this.#scheduleBookmarks();
    });
  }

  #stop(): void {
    if (this.#stopped.signal.aborted) return;
    this.#stopped.abort();
    this.#cancelBookmarks();
    this.#onStop();
  }
}
