import type { Clock } from '#base';

/** Resolves after `delayMs`, or as soon as `signal` aborts. */
export function wait(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal.addEventListener('abort', done, { once: true });
  });
}
