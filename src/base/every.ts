import type { Clock } from './clock.ts';

/**
 * Runs `work` repeatedly until the signal aborts: first after `pauseMs`, and then each time `pauseMs` after the previous run has ended. `work` must
 * never reject.
 */
export function every(clock: Clock, pauseMs: number, work: () => Promise<void>, signal: AbortSignal): void {
  let cancel = (): void => {};
  const pause = (): void => {
    if (!signal.aborted) cancel = clock.after(pauseMs, () => void work().then(pause));
  };
  pause();
  signal.addEventListener('abort', () => cancel(), { once: true });
}
