import type { Clock } from './clock.ts';
import { StillClock } from './still-clock.ts';

/** A clock that stands still until it is turned, and that somebody may put back or forward: no time passes by that. */
export class SetClock implements Clock {
  readonly steady = new StillClock();
  #aheadMs = 0;

  nowMs(): number {
    return this.steady.nowMs() + this.#aheadMs;
  }

  after(delayMs: number, run: () => void): () => void {
    return this.steady.after(delayMs, run);
  }

  /** From now on it shows so much more, or less, than it would. */
  put(ms: number): void {
    this.#aheadMs += ms;
  }

  /** Moves time on and rings whatever is due. */
  turn(ms: number): void {
    this.steady.turn(ms);
  }
}
