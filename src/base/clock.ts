import { clearTimeout, realNowMs, realSteadyMs, setTimeout } from './real-timers.ts';

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

/** Timers are limited to 31 bits of milliseconds; Node fires longer ones at once. */
const LONGEST_MS = 2_000_000_000;

/** The clock of the system. */
export const systemClock: Clock = {
  nowMs: realNowMs,
  after,
  steady: { nowMs: realSteadyMs, after },
};

function after(delayMs: number, run: () => void): () => void {
  if (delayMs <= LONGEST_MS) return afterShort(delayMs, run);
  let timer: ReturnType<typeof setTimeout>;
  const set = (leftMs: number): void => {
    const isFar = leftMs > LONGEST_MS;
    timer = setTimeout(isFar ? () => set(leftMs - LONGEST_MS) : run, isFar ? LONGEST_MS : leftMs);
    timer.unref();
  };
  set(delayMs);
  return () => clearTimeout(timer);
}

/** Most timers are short and many are pending at a time, so their closures keep as little memory as possible. */
function afterShort(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
}
