import type { Clock } from './clock.ts';
import { StillClock } from './still-clock.ts';

/** A clock for tests that stands still until `turn`, and that `put` sets back or forward, as an administrator may set a system clock. */
export class SetClock implements Clock {
  readonly steady = new StillClock();
  #aheadMs = 0;

  nowMs(): number {
    return this.steady.nowMs() + this.#aheadMs;
  }

  after(delayMs: number, run: () => void): () => void {
    return this.steady.after(delayMs, run);
  }

  /** Sets the clock forward, or back for a negative number, without time passing: no timer fires. */
  put(ms: number): void {
    this.#aheadMs += ms;
  }

  /** Lets time pass and fires the timers that become due. */
  turn(ms: number): void {
    this.steady.turn(ms);
  }
}
