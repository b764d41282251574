import type { Clock } from './clock.ts';

/** A clock that stands still until it is turned: time as tests want it. Begins at the time given, or on a day in 2023. */
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
    this.#nowMs = Math.max(this.#nowMs, untilMs);
  }

  /** Time that passes while somebody works: what is due meanwhile rings with the next turn. */
  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** Timers set and neither rung nor cancelled. */
  get pending(): number {
    return this.#timers.size;
  }
}
