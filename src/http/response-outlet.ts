import { clearTimeout, setTimeout } from '#base';
import type { Outlet } from '#request';
import { flushQueue, type Flushable } from './flush-queue.ts';
import { concatCached } from './concat-pieces.ts';
import type { ResponseWriter } from './response-writer.ts';

/**
 * With this many bytes buffered, `write` returns false. More than the piece that watchers get at a time (`FULL_PIECE_BYTES` and the events of one commit):
 * Node counts a piece as buffered until the next turn of the event loop even where the network has taken it, and waiting for that costs a timer.
 */
export const OUTLET_HIGH_WATER_BYTES = 131_072;

/** Writes larger than this are hardly cheaper per byte. */
const FULL_PIECE_BYTES = 49_152;

/**
 * An `Outlet` on a response writer: chunks written in one turn of the event loop leave in one write; while the client applies back-pressure they are buffered
 * here.
 */
export class ResponseOutlet implements Outlet, Flushable {
  largeBatch = 0;
  readonly #writer: ResponseWriter;
  readonly #stallTimeoutMs: number;
  readonly #controller = new AbortController();
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #isFlushDue = false;
  #isBlocked = false;
  /** The writer had room after the last write. */
  #hadRoom = true;
  #isOver = false;
  #stallTimer: NodeJS.Timeout | undefined;
  #waiters: (() => void)[] = [];

  /** A connection whose client takes nothing for `stallTimeoutMs` while bytes are pending is closed. */
  constructor(writer: ResponseWriter, stallTimeoutMs: number) {
    this.#writer = writer;
    this.#stallTimeoutMs = stallTimeoutMs;
    writer.onGone(() => this.#gone());
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  open(): void {
    if (!this.#isOver && !this.#isBlocked) this.#schedule();
  }

  write(chunk: Uint8Array): boolean {
    if (this.#isOver) return true;
    this.#pending.push(chunk);
    this.#pendingBytes += chunk.length;
    if (!this.#isBlocked) this.#schedule();
    // Called for each watcher and event: the buffered bytes of the writer are read only where they can matter.
    if (this.#hadRoom && this.#pendingBytes < FULL_PIECE_BYTES) return true;
    flushQueue.endPause();
    return this.#pendingBytes + this.#writer.bufferedBytes < OUTLET_HIGH_WATER_BYTES;
  }

  drained(): Promise<void> {
    if (this.#isCaughtUp()) return Promise.resolve();
    return new Promise((resolve) => this.#waiters.push(resolve));
  }

  /** Aborts `signal`, which asks the writer of the stream to end it. What was written is still delivered. */
  shutdown(): void {
    this.#controller.abort();
  }

  flush(): void {
    this.#isFlushDue = false;
    if (this.#writer.isGone) return this.#gone();
    if (this.#isBlocked) return;
    if (this.#pendingBytes === 0) {
      this.#writer.flushHead();
      return this.#wake();
    }
    const chunk = concatCached(this.#pending);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#hadRoom = this.#writer.write(chunk) || this.#writer.bufferedBytes < OUTLET_HIGH_WATER_BYTES;
    if (this.#hadRoom) return this.#wake();
    this.#waitForDrain();
  }

  #waitForDrain(): void {
    this.#isBlocked = true;
    this.#stallTimer = setTimeout(() => this.#writer.cut(), this.#stallTimeoutMs).unref();
    this.#writer.onDrain(() => {
      clearTimeout(this.#stallTimer);
      this.#isBlocked = false;
      // Without bytes, `flush` sends the head, which has left long ago.
      if (this.#pendingBytes > 0) this.flush();
      else this.#wake();
    });
  }

  #isCaughtUp(): boolean {
    return this.#writer.isGone || (!this.#isBlocked && this.#pendingBytes === 0);
  }

  #schedule(): void {
    if (this.#isFlushDue) return;
    this.#isFlushDue = true;
    flushQueue.add(this);
  }

  #gone(): void {
    this.#isOver = true;
    clearTimeout(this.#stallTimer);
    this.#pending = [];
    this.#pendingBytes = 0;
    this.#controller.abort();
    this.#wake();
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }
}
