import { clearTimeout, realNowMs, realSteadyMs, setTimeout } from './real-timers.ts';

/** Time, so that tests can turn it. */
export interface Clock {
  nowMs(): number;
  /** Calls `run` once after `delayMs`; the returned function cancels. Pending timers do not keep the process alive. */
  after(delayMs: number, run: () => void): () => void;
  /** The same time, but that nobody can set while the program runs. Absent: nobody can set this one. */
  readonly steady?: Clock;
}

/**
 * For how long something lasts, or is good for. A clock may be put back a day, and what was kept for a minute would be kept for a day and a minute.
 * `nowMs` of the clock itself is for moments that others are told of, or that outlive the process.
 */
export const steady = (clock: Clock): Clock => clock.steady ?? clock;

/** Timers hold 31 bits of milliseconds; what is longer rings at once. */
const LONGEST_MS = 2_000_000_000;

/** The time of the machine. */
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

/** Most are short, and many wait at a time: they keep as little as can be. */
function afterShort(delayMs: number, run: () => void): () => void {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
}
