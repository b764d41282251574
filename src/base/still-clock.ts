import type { Clock } from './clock.ts';

/** A clock for tests that stands still until `turn`. Begins at the given time, or on a day in 2023. */
export class StillClock implements Clock {
  #nowMs: number;
  readonly #timers = new Set<{ readonly atMs: number; readonly run: () => void }>();

  constructor(nowMs: number = 1_700_000_000_000) {
    this.#nowMs = nowMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets time pass and fires the timers that become due, in order of time. */
  turn(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].filter((timer) => timer.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
    }
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /** Lets time pass as synchronous work does: timers that become due fire only with the next `turn`. */
  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** The number of timers that have neither fired nor been cancelled. */
  get pending(): number {
    return this.#timers.size;
  }
}
