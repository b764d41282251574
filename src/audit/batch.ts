import { failureText, steady, type Clock, type Log } from '#base';
import { closeSink } from './close-sink.ts';
import type { AuditEvent } from './event.ts';
import { PartLost } from './part-lost.ts';
import type { AuditObserver, Backend, Sink } from './sink.ts';

/** How events are batched. */
export interface BatchOptions {
  /** Buffered events; further ones are dropped, as are large ones beside too much that is held already. */
  readonly bufferSize: number;
  /** Events per batch. A batch of large events is full with fewer. */
  readonly maxSize: number;
  /** How long an event waits for the batch to fill. 0: not at all. */
  readonly maxWaitMs: number;
  /** Token bucket: batches per second, and the burst after a pause. Absent: unlimited. */
  readonly throttle?: { readonly perSecond: number; readonly burst: number };
  /** Concurrent deliveries. */
  readonly atOnce: number;
  readonly clock: Clock;
  readonly observer: AuditObserver;
  readonly log: Log;
}

/**
 * Bytes of all events that are held, those under way included: parsed, they take several times as much memory. A sink that is down for a while would
 * otherwise end the server, since clients decide how large their objects are.
 */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** Events that are no larger are bounded by their number. */
const SMALL_BYTES = 4 * 1024;
/** Bytes from which on a batch does not wait for more events. */
const FULL_BATCH_BYTES = 8 * 1024 * 1024;

/** Batches events: requests do not wait for their delivery. */
export function createBatch(sink: Sink, options: BatchOptions): Backend {
  return new BatchBackend(sink, options);
}

interface Waiting {
  readonly event: AuditEvent;
  readonly bytes: number;
}

class BatchBackend implements Backend {
  readonly #sink: Sink;
  readonly #options: BatchOptions;
  readonly #running = new Set<Promise<void>>();
  readonly #waiting: Waiting[] = [];
  #waitingBytes = 0;
  #heldBytes = 0;
  /** Tokens of the bucket; a fraction where time has refilled it in part. */
  #permits: number;
  #filledAtMs: number;
  /** Set while a partial batch waits to fill up, or a batch for a token. */
  #alarm: { readonly atMs: number; readonly cancel: () => void } | undefined;
  #isDue = false;
  #isClosing = false;
  #hasComplained = false;

  constructor(sink: Sink, options: BatchOptions) {
    this.#sink = sink;
    this.#options = options;
    this.#permits = options.throttle?.burst ?? Infinity;
    this.#filledAtMs = steady(options.clock).nowMs();
  }

  record(event: AuditEvent, bytes = 0): boolean {
    const isTooMuch = bytes > SMALL_BYTES && this.#heldBytes > 0 && this.#heldBytes + bytes > MAX_HELD_BYTES;
    if (this.#isClosing || isTooMuch || this.#waiting.length >= this.#options.bufferSize) {
      this.#lose(1, 'the buffer is full');
      return true;
    }
    this.#waiting.push({ event, bytes });
    this.#waitingBytes += bytes;
    this.#heldBytes += bytes;
    this.#pump();
    return true;
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#sink.hurry?.();
    this.#pump();
    while (this.#running.size > 0) await Promise.all(this.#running);
    await closeSink(this.#sink, this.#options.log);
  }

  /** Starts all deliveries that may start. */
  #pump(): void {
    const { maxSize, maxWaitMs, atOnce } = this.#options;
    while (this.#waiting.length > 0 && this.#running.size < atOnce) {
      const isFull = this.#waiting.length >= maxSize || this.#waitingBytes >= FULL_BATCH_BYTES;
      if (!this.#isClosing && !this.#isDue && !isFull && maxWaitMs > 0) {
        this.#ringIn(maxWaitMs, () => {
          this.#isDue = true;
        });
        return;
      }
      const delayMs = this.#isClosing ? 0 : this.#takePermit();
      if (delayMs > 0) {
        this.#ringIn(delayMs, () => {});
        return;
      }
      this.#silence();
      this.#isDue = false;
      this.#begin();
    }
  }

  #begin(): void {
    const batch = this.#takeBatch();
    const bytes = bytesOf(batch);
    this.#waitingBytes -= bytes;
    const run = this.#deliver(batch.map(({ event }) => event)).finally(() => {
      this.#heldBytes -= bytes;
      this.#running.delete(run);
      this.#pump();
    });
    this.#running.add(run);
  }

  #takeBatch(): readonly Waiting[] {
    let [count, bytes] = [0, 0];
    while (count < this.#waiting.length && count < this.#options.maxSize && bytes < FULL_BATCH_BYTES) bytes += this.#waiting[count++]!.bytes;
    return this.#waiting.splice(0, count);
  }

  /** Never rejects, whatever the sink of an embedding program does. */
  async #deliver(batch: readonly AuditEvent[]): Promise<void> {
    try {
      await this.#sink.deliver(batch);
      this.#hasComplained = false;
    } catch (cause) {
      this.#lose(cause instanceof PartLost ? cause.count : batch.length, failureText(cause));
    }
  }

  /** Rings at most that much later: a batch that has filled up meanwhile waits for its token only. */
  #ringIn(delayMs: number, then: () => void): void {
    const { clock } = this.#options;
    const atMs = steady(clock).nowMs() + delayMs;
    if (this.#alarm !== undefined && this.#alarm.atMs <= atMs) return;
    this.#silence();
    const cancel = clock.after(delayMs, () => {
      this.#alarm = undefined;
      then();
      this.#pump();
    });
    this.#alarm = { atMs, cancel };
  }

  #silence(): void {
    this.#alarm?.cancel();
    this.#alarm = undefined;
  }

  /** Takes a token and returns 0, or returns the milliseconds until there is one. */
  #takePermit(): number {
    const { throttle, clock } = this.#options;
    if (throttle === undefined) return 0;
    const nowMs = steady(clock).nowMs();
    const passedMs = Math.max(0, nowMs - this.#filledAtMs);
    this.#permits = Math.min(throttle.burst, this.#permits + (passedMs * throttle.perSecond) / 1_000);
    this.#filledAtMs = nowMs;
    if (this.#permits < 1) return Math.max(1, Math.ceil(((1 - this.#permits) * 1_000) / throttle.perSecond));
    this.#permits -= 1;
    return 0;
  }

  /** Logged once until a delivery succeeds again: a failing sink must not flood the log. */
  #lose(count: number, why: string): void {
    this.#options.observer.lost(this.#sink.name, count);
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    this.#options.log.error('audit events were lost', { sink: this.#sink.name, count, error: why });
  }
}

const bytesOf = (batch: readonly Waiting[]): number => batch.reduce((sum, { bytes }) => sum + bytes, 0);
