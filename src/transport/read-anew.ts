import { Complaints, steady, systemClock, type Clock } from '#base';

/** How often files are read, as those of the server's own certificates. */
const LOOK_MS = 10_000;

export interface ReadAnewOptions {
  readonly clock?: Clock;
  readonly failed?: (why: string) => void;
}

/**
 * A cached read of files that are replaced while the program runs, refreshed at most every ten seconds. Between refreshes, and where reading fails,
 * it returns the last value: `first` in the beginning. `failed` is told why reading fails, each reason once until it succeeds again.
 */
export function readAnew<T>(first: T, read: () => Promise<T>, { clock = systemClock, failed = () => {} }: ReadAnewOptions = {}): () => Promise<T> {
  const time = steady(clock);
  let last = first;
  let lookedAtMs = -Infinity;
  const complaints = new Complaints(failed);
  return async () => {
    if (time.nowMs() - lookedAtMs < LOOK_MS) return last;
    lookedAtMs = time.nowMs();
    try {
      last = await read();
      complaints.clear();
    } catch (cause) {
      complaints.add(cause);
    }
    return last;
  };
}
