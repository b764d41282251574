import { clearTimeout, setTimeout } from './real-timers.ts';

/**
 * Longer timers are set again in between. Those of Node are limited to 31 bits of milliseconds, and of each duration that a timer ever had, it keeps some
 * 200 bytes until that has passed, also where the timer was cancelled: clients choose durations.
 */
const LONGEST_MS = 3_600_000;

/** Calls `run` once after `delayMs`, however long that is; the returned function cancels. Pending timers do not keep the process alive. */
export const after = (delayMs: number, run: () => void): (() => void) => (delayMs <= LONGEST_MS ? afterShort(delayMs, run) : inSteps(delayMs, run, startIdle));

/** The same, but a pending timer keeps the process alive. */
export const afterAwake = (delayMs: number, run: () => void): (() => void) => inSteps(delayMs, run, setTimeout);

const startIdle = (run: () => void, delayMs: number): NodeJS.Timeout => setTimeout(run, delayMs).unref();

/** Most timers are short and many are pending at a time, so their closures keep as little memory as possible. */
function afterShort(delayMs: number, run: () => void): () => void {
  const timer = startIdle(run, delayMs);
  return () => clearTimeout(timer);
}

function inSteps(delayMs: number, run: () => void, start: (run: () => void, delayMs: number) => NodeJS.Timeout): () => void {
  let timer: NodeJS.Timeout;
  const set = (leftMs: number): void => {
    const isFar = leftMs > LONGEST_MS;
    timer = start(isFar ? () => set(leftMs - LONGEST_MS) : run, isFar ? LONGEST_MS : leftMs);
  };
  set(delayMs);
  return () => clearTimeout(timer);
}
