import type { Clock } from '#base';
import type { ApiObject } from '#api';
import type { Revision } from './entry.ts';
import type { ChangeEvents } from './events.ts';
import { isUnder } from './keys.ts';
import type { EventSink, Stored, WatchEvent, WatchQuery } from './object-store.ts';
import { StorageFailure } from './storage-failure.ts';
import { weightOf } from './stored.ts';

/** How often watches that ask for bookmarks are sent one, where there is news. */
export const BOOKMARK_EVERY_MS = 60_000;
/** How long before the end of a watch its last bookmark is sent, so that it still arrives. A watch no longer than this gets none. */
const LAST_BOOKMARK_MS = 2_000;
/** How many bytes of missed changes are sent before the receiver must have taken them. */
const PIECE_BYTES = 1024 * 1024;

/** The delivery of one watch to its sink. Ends exactly once: the sink is full or throws, the signal aborts, or the source of changes is lost. */
export class Watcher<T extends ApiObject> {
  readonly query: WatchQuery<T>;
  /** The revision up to which all changes were delivered, or lie before the start of the watch. 0: it begins with the present objects, not all sent yet. */
  position: Revision;
  /** Whether the client knows of a revision to resume from: it named one, or was sent objects to begin with. */
  #canResume: boolean;
  /** The watch ends when its position is this. */
  #last: Revision = Infinity;
  readonly #sink: EventSink<T>;
  #batch: WatchEvent<T>[] = [];
  #onEnd: (() => void)[] = [];
  #ended = false;

  constructor(query: WatchQuery<T>, sink: EventSink<T>, signal: AbortSignal) {
    this.query = query;
    this.position = typeof query.since === 'number' ? query.since : 0;
    this.#canResume = this.position > 0;
    this.#sink = sink;
    const abort = (): void => this.end();
    signal.addEventListener('abort', abort, { once: true });
    this.onEnd(() => signal.removeEventListener('abort', abort));
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Calls `run` when the watch ends; at once if it has ended. Returns a function that forgets it. */
  onEnd(run: () => void): () => void {
    if (this.#ended) run();
    else this.#onEnd.push(run);
    return () => (this.#onEnd = this.#onEnd.filter((one) => one !== run));
  }

  /** Calls `bookmark` shortly before the receiver ends the watch, if the watch asked for bookmarks. */
  beforeEnd(clock: Clock, bookmark: () => void): void {
    const { bookmarks, endsInMs } = this.query;
    if (!bookmarks || endsInMs === undefined || endsInMs <= LAST_BOOKMARK_MS) return;
    this.onEnd(clock.after(endsInMs - LAST_BOOKMARK_MS, bookmark));
  }

  /**
   * Ends the watch behind the newest revision at the time at which it is to close (`WatchQuery.closing`), or at once where `head` cannot read that.
   * `onClosing`: called once the revision is known, unless the watch has ended with that.
   */
  endWhenClosing(head: () => Promise<Revision>, onClosing: () => void = () => {}): void {
    const { closing } = this.query;
    if (closing === undefined) return;
    const endBehind = (last: Revision): void => {
      this.#last = last;
      this.reach(this.position);
      if (!this.#ended) onClosing();
    };
    const close = (): void => void head().then(endBehind, () => this.end());
    closing.addEventListener('abort', close, { once: true });
    this.onEnd(() => closing.removeEventListener('abort', close));
    if (closing.aborted) close();
  }

  /** Adds the event of a change to the batch that `flush` sends, unless the change is not after `position` or does not match. Returns the bytes it adds. */
  take(events: ChangeEvents<T>): number {
    if (this.#ended || events.revision <= this.position) return 0;
    const event = events.seenBy(this.query.matches);
    if (event === undefined) return 0;
    this.#batch.push(event);
    return weightOf(event.stored);
  }

  /**
   * Sends changes that the watch missed, but no more than a piece of them: the receiver may be slow, and what it has not taken is better kept where it is.
   * Returns true when these were all, up to and including revision `upTo`.
   */
  sendMissed(changes: Iterable<ChangeEvents<T>>, upTo: Revision): boolean {
    let bytes = 0;
    let reached = this.position;
    for (const change of changes) {
      // Never within a revision, of which a lease of etcd that expires makes one for all its keys: the rest of it would count as delivered.
      if (bytes >= PIECE_BYTES && change.revision > reached) {
        this.flush(reached);
        return false;
      }
      if (isUnder(change.key, this.query.prefix)) bytes += this.take(change);
      reached = change.revision;
    }
    this.flush(upTo);
    return true;
  }

  /** Tells the receiver that it is settled at which revision the watch begins. */
  begin(): void {
    if (!this.#ended) this.#sink.begun?.();
  }

  flush(position: Revision): void {
    const batch = this.#batch;
    if (batch.length > 0) {
      this.#batch = [];
      this.send(batch);
    }
    this.reach(position);
  }

  /** Everything up to this revision is delivered. */
  reach(position: Revision): void {
    if (position > this.position) this.position = position;
    if (this.position >= this.#last) this.end();
  }

  /** Sends a part of the initial state. Resolves when the receiver has room for more, or the watch has ended. */
  async sendState(items: readonly Stored<T>[]): Promise<void> {
    if (items.length === 0) return;
    this.#canResume = true;
    this.send(items.map((stored) => ({ type: 'ADDED', stored, revision: stored.revision })));
    await this.drained();
  }

  /** Resolves when the receiver has room for more, or the watch has ended; undefined: that is so already. */
  drained(): Promise<void> | undefined {
    const taken = this.#ended ? undefined : this.#sink.drained?.();
    if (taken === undefined) return undefined;
    return new Promise((resolve) => {
      const forget = this.onEnd(resolve);
      void taken.then(() => {
        forget();
        resolve();
      });
    });
  }

  /** Whether a bookmark with `revision` is wanted, and news: nothing is said to a client that can resume from where the watch began, and still is there. */
  wantsBookmark(revision: Revision): boolean {
    return this.query.bookmarks && (this.position < revision || (this.position === revision && !this.#canResume));
  }

  /** Sends a bookmark, unless the watch started at a revision above `reached`, the newest one there is. */
  bookmark(reached: Revision): void {
    if (this.query.bookmarks && this.position > 0 && this.position <= reached) this.send([{ type: 'BOOKMARK', revision: this.position }]);
  }

  send(batch: readonly WatchEvent<T>[]): void {
    if (this.#ended) return;
    try {
      if (!this.#sink.events(batch)) this.end();
    } catch (cause) {
      this.end(cause instanceof Error ? cause : new Error(String(cause)));
    }
  }

  end(cause?: Error): void {
    if (this.drop()) this.#sink.end(cause);
  }

  /**
   * Ends the watch because its source of changes is lost. Where the source compacted nothing that the watch has not delivered yet, the watch ends
   * without an error: the client can resume from its last resourceVersion.
   */
  lose(why: Error): void {
    const isBehind = why instanceof StorageFailure && why.code === 'compacted' && why.revision !== undefined && why.revision <= this.position;
    this.end(isBehind ? undefined : why);
  }

  /** Ends the watch without calling the sink's `end`: the caller reports the failure. Returns false when it had ended before. */
  drop(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    for (const run of this.#onEnd) run();
    this.#onEnd = [];
    return true;
  }
}
