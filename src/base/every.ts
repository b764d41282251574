import type { Clock } from './clock.ts';

/**
 * Does `work` again and again until the signal aborts: for the first time `pauseMs` from now, and then each time so long after the last time was
 * over. `work` never rejects.
 */
export function every(clock: Clock, pauseMs: number, work: () => Promise<void>, signal: AbortSignal): void {
  let cancel = (): void => {};
  const pause = (): void => {
    if (!signal.aborted) cancel = clock.after(pauseMs, () => void work().then(pause));
  };
  pause();
  signal.addEventListener('abort', () => cancel(), { once: true });
}
