import { realSteadyMs, setImmediate } from './real-timers.ts';

/** How long a row of calls may run before the event loop gets to its sockets and timers. */
const ROW_MS = 3;

let begunMs = realSteadyMs();
let waiting: Promise<void> | undefined;

/**
 * To be awaited before each call that may resolve in microtasks alone, as those without a socket do: a long row of them would starve the event loop, and
 * with it what the caller may be waiting for. undefined: the row is short still.
 */
export const takeTurns = (): Promise<void> | undefined => waiting ?? (realSteadyMs() - begunMs < ROW_MS ? undefined : (waiting = nextRow()));

const nextRow = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(() => {
      begunMs = realSteadyMs();
      waiting = undefined;
      resolve();
    });
  });
