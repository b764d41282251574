import { millisecondsOf, type TestClock } from './test-clock.ts';

/** A clock that stands still until it is turned. Begins at the time given, or now. */
export class TurnedClock implements TestClock {
  #nowMs: number;
  readonly #timers = new Set<{ readonly atMs: number; readonly run: () => void }>();

  constructor(nowMs: number = Date.now()) {
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

  /** Moves time on and rings whatever is due, in order of time. */
  turn(ms: number): void {
    const untilMs = this.#nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].filter((timer) => timer.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs);
      if (next === undefined) break;
      this.#timers.delete(next);
      this.#nowMs = Math.max(this.#nowMs, next.atMs);
      next.run();
    }
    this.#nowMs = untilMs;
  }

  /** The same, as `24h` or `1h30m`. */
  advance(duration: string | number): void {
    this.turn(millisecondsOf(duration));
  }

  /** Timers set and neither rung nor cancelled. */
  get pending(): number {
    return this.#timers.size;
  }
}
