import { clearTimeout, setImmediate, setTimeout } from '#base';

/** Who has something to send. */
export interface Flushable {
  flush(): void;
  /** The last crowd it was part of. The queue keeps it here; 0 at first. */
  crowd: number;
}

/** The time that a pause is measured by. */
export interface PauseTime {
  nowMs(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels. */
  after(delayMs: number, run: () => void): () => void;
}

/** So many at once are a crowd. */
const CROWD = 16;
/** How long a crowd is left alone, as a multiple of the time that it took to write to all of it. */
const PAUSE_RATIO = 3;
/** What a pause may add to the age of an event. */
const MAX_PAUSE_MS = 10;
/** Shorter ones are not worth a timer. */
const MIN_PAUSE_MS = 0.5;

/**
 * Flushes all who ask in one turn of the event loop at its end, with one timer however many they are. To write costs the same for few bytes
 * and for many: those who were written to in one crowd are left alone for a while that depends on how long that took, and get what has come
 * meanwhile in one piece. All others are flushed at the end of the turn however busy that crowd is.
 */
export class FlushQueue {
  readonly #time: PauseTime;
  #soon: Flushable[] = [];
  /** Waiting for the end of the pause. */
  #paused: Flushable[] = [];
  #cancelTimer: (() => void) | undefined;
  /** The last crowd. There is one: whoever comes together with it belongs to it from then on. */
  #crowd = 0;
  #pauseEndsAtMs = 0;

  constructor(time: PauseTime) {
    this.#time = time;
  }

  /** For each target not again before it was flushed. */
  add(target: Flushable): void {
    if (this.#crowd > 0 && target.crowd === this.#crowd && this.#isPause()) {
      if (this.#paused.push(target) > 1) return;
      this.#cancelTimer = this.#time.after(this.#pauseEndsAtMs - this.#time.nowMs(), () => this.#flushPaused());
    } else if (this.#soon.push(target) === 1) {
      setImmediate(() => this.#flushSoon());
    }
  }

  /** There is enough for a piece: those who wait for the end of the pause are flushed at the end of this turn. */
  endPause(): void {
    if (this.#cancelTimer === undefined) return;
    this.#stopTimer();
    setImmediate(() => this.#flushPaused());
  }

  #isPause(): boolean {
    return this.#paused.length > 0 || this.#pauseEndsAtMs - this.#time.nowMs() >= MIN_PAUSE_MS;
  }

  #flushSoon(): void {
    const now = this.#soon;
    this.#soon = [];
    this.#flush(now.length < CROWD ? now : now.concat(this.#takePaused()));
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

  #stopTimer(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  #flush(targets: readonly Flushable[]): void {
    if (targets.length < CROWD) {
      for (const target of targets) target.flush();
      return;
    }
    this.#crowd += 1;
    const fromMs = this.#time.nowMs();
    for (const target of targets) {
      target.crowd = this.#crowd;
      target.flush();
    }
    const toMs = this.#time.nowMs();
    this.#pauseEndsAtMs = toMs + Math.min((toMs - fromMs) * PAUSE_RATIO, MAX_PAUSE_MS);
  }
}

/** Of all outlets of the process. */
export const flushQueue = new FlushQueue({
  nowMs: () => performance.now(),
  after(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
});
