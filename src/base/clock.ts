import { after } from './after.ts';
import { realNowMs, realSteadyMs } from './real-timers.ts';

/** A source of time and timers, which tests can replace. */
export interface Clock {
  nowMs(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels. Pending timers do not keep the process alive. */
  after(delayMs: number, run: () => void): () => void;
  /** A monotonic clock beside this one. Absent: this one is monotonic. */
  readonly steady?: Clock;
}

/**
 * The monotonic clock to measure durations with: when the system clock is set back a day, an entry to be kept for a minute would otherwise be kept
 * for a day and a minute. Use the clock itself for times that are shown to clients, or that outlive the process.
 */
export const steady = (clock: Clock): Clock => clock.steady ?? clock;

/** The clock of the system. */
export const systemClock: Clock = {
  nowMs: realNowMs,
  after,
  steady: { nowMs: realSteadyMs, after },
};
