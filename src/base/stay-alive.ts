import { clearInterval, setInterval } from './real-timers.ts';

/** The longest interval that timers support: the timer itself has no purpose. */
const RARELY_MS = 2 ** 31 - 1;

/** Keeps the process alive until the returned function is called: for work that at times waits only for timers, which do not keep it alive. */
export function stayAlive(): () => void {
  const timer = setInterval(() => {}, RARELY_MS);
  return () => clearInterval(timer);
}

/** Resolves or rejects as `work` does, and keeps the process alive until then. */
export function aliveDuring<T>(work: () => Promise<T>): Promise<T> {
  const letGo = stayAlive();
  return work().finally(letGo);
}
