import { clearTimeout, setImmediate, setTimeout } from '#base';

/** An outlet with buffered bytes to send. */
export interface Flushable {
  flush(): void;
  /** Number of the last large batch this outlet belonged to; 0 at first. Written by the queue alone. */
  largeBatch: number;
}

/** Clock and timer of the pauses. */
export interface PauseTime {
  nowMs(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels. */
  after(delayMs: number, run: () => void): () => void;
}

/** Outlets flushed in one turn of the event loop from which on they count as a large batch. */
const LARGE_BATCH = 16;
/** How long the outlets of a large batch pause, as a multiple of the time that writing to all of them took. */
const PAUSE_RATIO = 3;
/** The longest pause: what it may add to the latency of an event. */
const MAX_PAUSE_MS = 10;
/** Shorter pauses are not worth a timer. */
const MIN_PAUSE_MS = 0.5;
/** For so long a large batch is written to in one turn of the event loop. */
const SLICE_MS = 1;

/**
 * Flushes all outlets added in one turn of the event loop at its end, with one timer however many they are. A write costs the same for few bytes and
 * for many: the outlets of a large batch (watchers that all get the same event) pause for a time that depends on how long writing to them took, and then
 * send what has gathered meanwhile in one write. All other outlets are flushed at the end of the turn however busy the large batch is.
 *
 * Writing to a large batch is spread over turns, so that requests go on between them: the next events are then on their way to the disk while those
 * before them are sent.
 */
export class FlushQueue {
  readonly #time: PauseTime;
  #soon: Flushable[] = [];
  /** The large batch that is being written to; those before `#writeAt` are written. Empty: none. */
  #writing: Flushable[] = [];
  #writeAt = 0;
  /** How long writing to it took so far. */
  #writingMs = 0;
  /** Outlets that wait for the end of the pause. */
  #paused: Flushable[] = [];
  #cancelTimer: (() => void) | undefined;
  /** Number of the last large batch. There is only one at a time: an outlet that is flushed together with it belongs to it from then on. */
  #largeBatch = 0;
  #pauseEndsAtMs = 0;

  constructor(time: PauseTime) {
    this.#time = time;
  }

  /** Queues `target` for a flush. Must not be called again for the same target before that flush. */
  add(target: Flushable): void {
    if (target.largeBatch === this.#largeBatch && this.#isPause()) {
      if (this.#paused.push(target) === 1 && !this.#isWriting) this.#startTimer();
    } else if (this.#soon.push(target) === 1) {
      setImmediate(() => this.#flushSoon());
    }
  }

  /** An outlet has gathered enough bytes for one write: all that wait for the end of the pause are flushed from the end of this turn on. */
  endPause(): void {
    if (this.#cancelTimer === undefined) return;
    this.#stopTimer();
    setImmediate(() => this.#flushPaused());
  }

  get #isWriting(): boolean {
    return this.#writing.length > 0;
  }

  #isPause(): boolean {
    return this.#isWriting || this.#paused.length > 0 || this.#pauseEndsAtMs - this.#time.nowMs() >= MIN_PAUSE_MS;
  }

  #flushSoon(): void {
    const now = this.#soon;
    this.#soon = [];
    this.#flush(now.length < LARGE_BATCH ? now : now.concat(this.#takePaused()));
  }

  #flushPaused(): void {
    this.#flush(this.#takePaused());
  }

  #takePaused(): Flushable[] {
    this.#stopTimer();
    const now = this.#paused;
    this.#paused = [];
    return now;
  }

  #startTimer(): void {
    this.#cancelTimer = this.#time.after(this.#pauseEndsAtMs - this.#time.nowMs(), () => this.#flushPaused());
  }

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #flush(targets: readonly Flushable[]): void {
    if (targets.length < LARGE_BATCH) {
      for (const target of targets) target.flush();
    } else if (this.#isWriting) {
      for (const target of targets) this.#writing.push(target);
    } else {
      this.#largeBatch += 1;
      this.#writing = [...targets];
      this.#writeSlice();
    }
  }

  #writeSlice(): void {
    const fromMs = this.#time.nowMs();
    let nowMs = fromMs;
    while (this.#writeAt < this.#writing.length && nowMs - fromMs < SLICE_MS) {
      const target = this.#writing[this.#writeAt++]!;
      target.largeBatch = this.#largeBatch;
      target.flush();
      nowMs = this.#time.nowMs();
    }
    this.#writingMs += nowMs - fromMs;
    if (this.#writeAt < this.#writing.length) setImmediate(() => this.#writeSlice());
    else this.#beginPause(nowMs);
  }

  #beginPause(nowMs: number): void {
    this.#pauseEndsAtMs = nowMs + Math.min(this.#writingMs * PAUSE_RATIO, MAX_PAUSE_MS);
    this.#writing = [];
    this.#writeAt = 0;
    this.#writingMs = 0;
    if (this.#paused.length > 0) this.#startTimer();
  }
}

/** The queue that all outlets of the process share. */
export const flushQueue = new FlushQueue({
  nowMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
});
