import type { Key, Revision } from '../../entry.ts';
import { futureFailure } from '../../storage-failure.ts';
import { readCompacted, readHead, type Tables } from './database.ts';
import type { GroupCommit } from './group-commit.ts';
import type { History } from './history.ts';
import { SWEEP_BYTES, SWEEP_RECORDS } from './limits.ts';
import { decodeHeader } from './record.ts';

interface Swept {
  /** No history is left to remove. */
  readonly finished: boolean;
}

/** Removes values that were replaced or deleted at or before a revision. */
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

  /**
   * Removes the history before a revision, slice by slice, so that neither writers nor the event loop wait for long. Throws `StorageFailure` (`future`)
   * for a revision that does not exist yet.
   */
  async compact(before: Revision): Promise<void> {
    const head = readHead(this.#tables);
    if (before > head) throw futureFailure(before, head);
    await this.#sweep(before, () => false);
  }

  /**
   * Removes values that were replaced at least `historyMs` ago, and those replaced more than `historyMs` in the future: such times were written before
   * the clock was set back. Otherwise these values, and everything written after them, would be kept until the clock has caught up.
   */
  async trim(nowMs: number, historyMs: number): Promise<void> {
    // A process that died while it read would keep all that is forgotten from now on from being written over.
    this.#tables.root.readerCheck();
    await this.#sweep(readHead(this.#tables), (timeMs) => Math.abs(nowMs - timeMs) < historyMs);
  }

  /** One sweep at a time: two in the same group would both start at the `compacted` of the file, and the lower of their results might be stored last. */
  #sweep(upTo: Revision, isKept: (timeMs: number) => boolean): Promise<void> {
    const swept = this.#sweeping.then(() => this.#slices(upTo, isKept));
    this.#sweeping = swept.catch(() => {});
    return swept;
  }

  async #slices(upTo: Revision, isKept: (timeMs: number) => boolean): Promise<void> {
    while (!(await this.#commits.run(() => this.#slice(upTo, isKept))).finished);
  }

  /** Each log record names the revision that it replaced: for the records after the last compaction, those revisions are removed. */
  #slice(upTo: Revision, isKept: (timeMs: number) => boolean): { result: Swept; put?: () => void } {
    const { log, past, meta } = this.#tables;
    const from = readCompacted(this.#tables) + 1;
    const replaced: [key: Key, revision: Revision][] = [];
    const deletes: Revision[] = [];
    let last: Revision | undefined;
    let walked = 0;
    let bytes = 0;
    let limit: number | undefined;
    for (const { key: revision, value } of log.getRange({ start: from, end: upTo + 1, limit: SWEEP_RECORDS })) {
      const { key, previous, timeMs, deleted } = decodeHeader(value);
      if (isKept(timeMs)) break;
      // Not before: where nothing is to be forgotten, no space is needed.
      limit ??= this.#commits.takeToForget(SWEEP_RECORDS);
      if (previous !== 0) replaced.push([key, previous]);
      if (deleted) deletes.push(revision);
      last = revision;
      walked++;
      // To read what a record says, its value is read as well.
      bytes += value.length;
      if (walked >= limit || bytes >= SWEEP_BYTES) break;
    }
    if (last === undefined || limit === undefined) return { result: { finished: true } };
    const result = { finished: walked < limit && bytes < SWEEP_BYTES };
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
