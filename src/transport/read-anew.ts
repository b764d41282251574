import { steady, systemClock, type Clock } from '#base';

/** How often files are read, as those of the server's own certificates. */
const LOOK_MS = 10_000;

/**
 * A cached read of files that are replaced while the program runs, refreshed at most every ten seconds. Between refreshes, and where reading fails,
 * it returns the last value: `first` in the beginning.
 */
export function readAnew<T>(first: T, read: () => Promise<T>, clock: Clock = systemClock): () => Promise<T> {
  const time = steady(clock);
  let last = first;
  let lookedAtMs = -Infinity;
  return async () => {
    if (time.nowMs() - lookedAtMs < LOOK_MS) return last;
    lookedAtMs = time.nowMs();
    last = await read().catch(() => last);
    return last;
  };
}
