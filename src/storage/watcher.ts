import { deferred, type Clock } from '#base';
import type { ApiObject } from '#api';
import { StorageFailure, type Revision } from './engine.ts';
import type { ChangeEvents } from './events.ts';
import type { EventSink, Stored, WatchEvent, WatchQuery } from './object-store.ts';

/** How long before the end of a watch the last bookmark comes: time to arrive. Watches that short get none. */
const LAST_BOOKMARK_MS = 2_000;

/** One watch on its way to its receiver. Ends exactly once: the receiver is full, the signal aborts, or the source is lost. */
export class Watcher<T extends ApiObject> {
  readonly query: WatchQuery<T>;
  /** Everything up to here was delivered, or lies before the start. */
  position: Revision = 0;
  readonly #sink: EventSink<T>;
  #batch: WatchEvent<T>[] = [];
  #onEnd: (() => void)[] = [];
  #ended = false;

  constructor(query: WatchQuery<T>, sink: EventSink<T>, signal: AbortSignal) {
    this.query = query;
    this.#sink = sink;
    const abort = (): void => this.end();
    signal.addEventListener('abort', abort, { once: true });
    this.onEnd(() => signal.removeEventListener('abort', abort));
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Runs when the watch ends, or at once when it has. */
  onEnd(run: () => void): void {
    if (this.#ended) run();
    else this.#onEnd.push(run);
  }

  /** Calls `bookmark` shortly before the receiver ends the watch, if it wants to know. */
  beforeEnd(clock: Clock, bookmark: () => void): void {
    const { bookmarks, endsInMs } = this.query;
    if (!bookmarks || endsInMs === undefined || endsInMs <= LAST_BOOKMARK_MS) return;
    this.onEnd(clock.after(endsInMs - LAST_BOOKMARK_MS, bookmark));
  }

  /** Takes a change into the batch that `flush` sends. */
  take(events: ChangeEvents<T>): void {
    if (this.#ended || events.revision <= this.position) return;
    const event = events.seenBy(this.query.matches);
    if (event !== undefined) this.#batch.push(event);
  }

  flush(position: Revision): void {
    const batch = this.#batch;
    if (batch.length > 0) {
      this.#batch = [];
      this.send(batch);
    }
    if (position > this.position) this.position = position;
  }

  /** A part of the state the watch begins with. Resolves when the receiver has room for more, or the watch has ended. */
  async sendState(items: readonly Stored<T>[]): Promise<void> {
    if (items.length === 0) return;
    this.send(items.map((stored) => ({ type: 'ADDED', stored, revision: stored.revision })));
    if (this.#ended || this.#sink.drained === undefined) return;
    const ended = deferred<void>();
    this.onEnd(() => ended.resolve());
    await Promise.race([this.#sink.drained(), ended.promise]);
  }

  /** Says how far it has come, unless it waits for what lies beyond `reached`, the newest there is. */
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
   * Ends it because whoever tells it of changes is lost. Where no more is forgotten than what it has behind it, it just ends: the receiver can go on
   * from where it is.
   */
  lose(why: Error): void {
    const isBehind = why instanceof StorageFailure && why.code === 'compacted' && why.revision !== undefined && why.revision <= this.position;
    this.end(isBehind ? undefined : why);
  }

  /** Ends it without telling the receiver, who learns it otherwise. Returns false when it had ended already. */
  drop(): boolean {
    if (this.#ended) return false;
    this.#ended = true;
    for (const run of this.#onEnd) run();
    this.#onEnd = [];
    return true;
  }
}
