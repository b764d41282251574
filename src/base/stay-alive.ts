import { clearInterval, setInterval } from './real-timers.ts';

/** As far apart as timers can be: nobody waits for one. */
const RARELY_MS = 2 ** 31 - 1;

/** Keeps the process alive until the function that it returns is called: work of which for a while nothing is left but a timer would end with it. */
export function stayAlive(): () => void {
  const timer = setInterval(() => {}, RARELY_MS);
  return () => clearInterval(timer);
}
