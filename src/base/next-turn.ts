import { setImmediate } from './real-timers.ts';

/** After this long in a turn of the event loop, long work gives way. */
const LONG_MS = 5;

let waiting: (() => void)[] = [];
/** When long work was first done in this turn; undefined: not yet. */
let begunMs: number | undefined;

/**
 * The next turn of the event loop that no other long work has. Work in slices of some milliseconds, with this between them, leaves room for
 * everybody else, however many do such work at a time: slices of a hundred in one turn would not.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(letOneGoOn);
  });
}

/** Whether long work, of whoever does such, has had this turn for so long that the rest is for `nextTurn`. */
export function isTurnLong(): boolean {
  const nowMs = performance.now();
  if (begunMs !== undefined) return nowMs - begunMs > LONG_MS;
  begunMs = nowMs;
  setImmediate(endTurn);
  return false;
}

function endTurn(): void {
  begunMs = undefined;
}

function letOneGoOn(): void {
  const [first, ...others] = waiting;
  waiting = others;
  if (others.length > 0) setImmediate(letOneGoOn);
  begunMs = undefined;
  first?.();
}
