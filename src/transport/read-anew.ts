import { steady, systemClock, type Clock } from '#base';

/** So often files are looked at, as those of the server's own certificates are. */
const LOOK_MS = 10_000;

/**
 * What files hold that are exchanged while the program runs, read anew at most every ten seconds. In between, and where it cannot be read, it is
 * what was read last: `first` in the beginning.
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
