import { StillClock } from '#base';
import { millisecondsOf, type TestClock } from './test-clock.ts';

/** A clock that stands still until it is turned. Begins at the time given, or now. */
export class TurnedClock extends StillClock implements TestClock {
  constructor(nowMs: number = Date.now()) {
    super(nowMs);
  }

  /** The same as `turn`, as `24h` or `1h30m`. */
  advance(duration: string | number): void {
    this.turn(millisecondsOf(duration));
  }
}
