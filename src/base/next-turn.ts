import { setImmediate } from './real-timers.ts';
import { isPromised } from './when.ts';

/** After so many milliseconds in one turn of the event loop, long work should yield. */
const LONG_MS = 5;

const waiting: (() => void)[] = [];
let isScheduled = false;
/** When long work began in this turn; undefined: it has not. */
let begunMs: number | undefined;

/**
 * Resolves in the next turn of the event loop that no other long work uses: each turn resumes only one caller. So long work in slices of some
 * milliseconds does not block requests, however many tasks do such work at the same time. Once `signal` aborts it resolves without waiting further:
 * neither the queue nor memory is kept by work that nobody wants any more.
 */
export function nextTurn(signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const goOn = (): void => {
      signal?.removeEventListener('abort', leave);
      resolve();
    };
    const leave = (): void => {
      waiting.splice(waiting.indexOf(goOn), 1);
      resolve();
    };
    signal?.addEventListener('abort', leave, { once: true });
    waiting.push(goOn);
    schedule();
  });
}

const turnBeforeOthers = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.unshift(resolve);
    schedule();
  });

/** Whether long work of any kind has used this turn of the event loop for so long that the caller should await `nextTurn`. */
export function isTurnLong(): boolean {
  const nowMs = performance.now();
  if (begunMs !== undefined) return nowMs - begunMs > LONG_MS;
  begunMs = nowMs;
  setImmediate(endTurn);
  return false;
}

/**
 * What this gives; where it took long, as a promise that is kept in a turn of its own: what follows on the same object is long, too. It comes before
 * all that waits for `nextTurn`: what is begun is brought to its end, so that few large objects are in memory at a time.
 */
export function pausingAfter<T>(run: () => Promise<T> | T): Promise<T> | T {
  const sinceMs = performance.now();
  const done = run();
  if (performance.now() - sinceMs <= LONG_MS) return done;
  // It may fail before its turn, and nobody awaits it until then: Node ends a process for a rejection that nobody awaits.
  if (isPromised(done)) done.then(undefined, () => {});
  return turnBeforeOthers().then(() => done);
}

function endTurn(): void {
  begunMs = undefined;
}

function schedule(): void {
  if (isScheduled || waiting.length === 0) return;
  isScheduled = true;
  setImmediate(letOneGoOn);
}

function letOneGoOn(): void {
  isScheduled = false;
  const first = waiting.shift();
  schedule();
  begunMs = undefined;
  first?.();
}
