import type { Log } from '#base';
import type { WorkQueueOptions } from './queue.ts';

/**
 * An `onFailure` of a queue that warns of the first failure of a key in a row, and whenever their number has doubled: what never succeeds is tried again
 * for as long as a server runs, and a log that told of each time would grow with it. `factsOf` says which key it was.
 */
export const warnOfFailures =
  (log: Log, message: string, factsOf: (key: string) => Readonly<Record<string, string>>): NonNullable<WorkQueueOptions['onFailure']> =>
  (key, cause, failures) => {
    const isPowerOfTwo = (failures & (failures - 1)) === 0;
    if (isPowerOfTwo) log.warn(message, { ...factsOf(key), failures, cause });
  };
