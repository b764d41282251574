import { StillClock } from '#base';
import { millisecondsOf, type TestClock } from './test-clock.ts';

/** A clock that stands still until a test advances it. Begins at `nowMs`, by default the current time. */
export class TurnedClock extends StillClock implements TestClock {
  constructor(nowMs: number = Date.now()) {
    super(nowMs);
  }

  /** Like `turn`, also with durations such as `24h` or `1h30m`. */
  advance(duration: string | number): void {
    this.turn(millisecondsOf(duration));
  }
}
