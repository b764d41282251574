import type { Engine } from '../../../engine.ts';
import type { Revision } from '../../../entry.ts';
import { StorageFailure } from '../../../storage-failure.ts';

const COUNTER = '/counter';

/** The revisions of the writes that succeeded, the number of writes whose outcome is unknown, and how often at most a write was refused in a row. */
export interface Counted {
  readonly revisions: readonly Revision[];
  readonly unknown: number;
  readonly refusals: number;
}

/** The value of the counter. */
export async function countAt(engine: Engine): Promise<number> {
  return Number(Buffer.from((await engine.get(COUNTER))?.value ?? '0').toString());
}

/** Increments the counter `times` times, concurrently with other processes: reads it and writes the value plus one, with compare-and-swap. */
export async function count(engine: Engine, times: number): Promise<Counted> {
  const revisions: Revision[] = [];
  let unknown = 0;
  let [refusals, inRow] = [0, 0];
  while (revisions.length < times) {
    const live = await engine.get(COUNTER);
    const value = Buffer.from(String(Number(Buffer.from(live?.value ?? '0').toString()) + 1));
    try {
      const commit = await engine.commit({ key: COUNTER, expect: live?.revision ?? 0, value, isRetry: inRow > 0 });
      inRow = commit.done ? 0 : inRow + 1;
      refusals = Math.max(refusals, inRow);
      if (commit.done) revisions.push(commit.revision);
    } catch (cause) {
      if (!(cause instanceof StorageFailure && /not known/.test(cause.message))) throw cause;
      unknown++;
    }
  }
  return { revisions, unknown, refusals };
}
