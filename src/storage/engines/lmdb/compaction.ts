import { StorageFailure, type Key, type Revision } from '../../engine.ts';
import { readCompacted, readHead, type Tables } from './database.ts';
import type { GroupCommit } from './group-commit.ts';
import type { History } from './history.ts';
import { SWEEP_RECORDS } from './limits.ts';
import { decodeHeader } from './record.ts';

interface Swept {
  /** Nothing more is to be forgotten. */
  readonly finished: boolean;
}

/** Forgets what was replaced or deleted at or before a revision. */
export class Compaction {
  readonly #tables: Tables;
  readonly #history: History;
  readonly #commits: GroupCommit;
  #sweeping: Promise<void> = Promise.resolve();

  constructor(tables: Tables, history: History, commits: GroupCommit) {
    this.#tables = tables;
    this.#history = history;
    this.#commits = commits;
  }

  /** Slice by slice, so that it neither holds up the writers nor the event loop for long. */
  async compact(before: Revision): Promise<void> {
    const head = readHead(this.#tables);
    if (before > head) {
      throw new StorageFailure('future', `revision ${before} does not exist yet; the newest one is ${head}`, { revision: head });
    }
    await this.#sweep(before, () => false);
  }

  /**
   * Forgets what was replaced `historyMs` ago or earlier. And what a clock wrote that was further ahead than that, before somebody put it back:
   * it would have to be kept until its time has come, and all that was written since behind it.
   */
  async trim(nowMs: number, historyMs: number): Promise<void> {
    await this.#sweep(readHead(this.#tables), (timeMs) => Math.abs(nowMs - timeMs) < historyMs);
  }

  /** One after the other: two in one group would both go on from what the file says before it, and the one that comes less far would have the last word. */
  #sweep(upTo: Revision, isKept: (timeMs: number) => boolean): Promise<void> {
    const swept = this.#sweeping.then(() => this.#slices(upTo, isKept));
    this.#sweeping = swept.catch(() => {});
    return swept;
  }

  async #slices(upTo: Revision, isKept: (timeMs: number) => boolean): Promise<void> {
    while (!(await this.#commits.run(() => this.#slice(upTo, isKept))).finished);
  }

  /** The records after the last compaction say what each of them replaced: exactly that is forgotten. */
  #slice(upTo: Revision, isKept: (timeMs: number) => boolean): { result: Swept; put?: () => void } {
    const { log, past, meta } = this.#tables;
    const from = readCompacted(this.#tables) + 1;
    const replaced: [key: Key, revision: Revision][] = [];
    const deletes: Revision[] = [];
    let last: Revision | undefined;
    let finished = false;
    let walked = 0;
    for (const { key: revision, value } of log.getRange({ start: from, end: upTo + 1, limit: SWEEP_RECORDS })) {
      const { key, previous, timeMs, deleted } = decodeHeader(value);
      finished = isKept(timeMs);
      if (finished) break;
      if (previous !== 0) replaced.push([key, previous]);
      if (deleted) deletes.push(revision);
      last = revision;
      walked++;
    }
    const result = { finished: finished || walked < SWEEP_RECORDS };
    if (last === undefined) return { result };
    const compacted = last;
    const put = (): void => {
      for (const row of replaced) {
        void past.remove(row);
        void log.remove(row[1]);
        this.#history.drop(row[1]);
      }
      for (const revision of deletes) void log.remove(revision);
      void meta.put('compacted', compacted);
    };
    return { result, put };
  }
}
