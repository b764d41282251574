import type { Clock } from './clock.ts';

/** Resolves after `delayMs`, or as soon as `signal` aborts: at once where it has aborted already. */
export function wait(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const done = (): void => {
      cancel();
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const cancel = clock.after(delayMs, done);
    signal?.addEventListener('abort', done, { once: true });
  });
}
