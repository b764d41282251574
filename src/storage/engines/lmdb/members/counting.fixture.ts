import { StorageFailure, type Engine, type Revision } from '../../../engine.ts';

const COUNTER = '/counter';

/** What was written, and how many writes more of which nobody knows. */
export interface Counted {
  readonly revisions: readonly Revision[];
  readonly unknown: number;
}

/** Where the counter stands. */
export async function countAt(engine: Engine): Promise<number> {
  return Number(Buffer.from((await engine.get(COUNTER))?.value ?? '0').toString());
}

/** Counts up so often, whoever else does, as one who reads and writes what was read plus one. */
export async function count(engine: Engine, times: number): Promise<Counted> {
  const revisions: Revision[] = [];
  let unknown = 0;
  while (revisions.length < times) {
    const live = await engine.get(COUNTER);
    const value = Buffer.from(String(Number(Buffer.from(live?.value ?? '0').toString()) + 1));
    try {
      const commit = await engine.commit({ key: COUNTER, expect: live?.revision ?? 0, value });
      if (commit.done) revisions.push(commit.revision);
    } catch (cause) {
      if (!(cause instanceof StorageFailure && /not known/.test(cause.message))) throw cause;
      unknown++;
    }
  }
  return { revisions, unknown };
}
