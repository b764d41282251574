import { Alarm, steady } from '#base';
import type { Change, Commit, EngineOptions, Revision, StorageFailure, Write } from '../../engine.ts';
import type { StandingFile } from '../../standing-file.ts';
import { Compaction } from './compaction.ts';
import type { Tables } from './database.ts';
import { Expiry } from './expiry.ts';
import { GroupCommit } from './group-commit.ts';
import type { History } from './history.ts';
import { TRIM_EVERY_MS } from './limits.ts';
import type { Role } from './role.ts';
import { noRoom, roomFor, writeFailure } from './write-failure.ts';

export interface WritingHooks {
  /** These changes are durable now. */
  readonly committed: (changes: readonly Change[], head: Revision) => void;
  /** A group failed; the file says what of it there is. */
  readonly failed: (head: Revision) => void;
  /** Nothing can be written or read any more. */
  readonly ended: (why: StorageFailure) => void;
}

/** The role of the one process that writes to the store: commits, what expires, and what is forgotten. */
export class Writing implements Role {
  readonly #options: EngineOptions;
  readonly #commits: GroupCommit;
  readonly #compaction: Compaction;
  readonly #expiry: Expiry;
  readonly #trimAlarm: Alarm;
  #rests = false;
  #canWrite = true;
  /** Maintenance that is under way. */
  #trimming: Promise<void> = Promise.resolve();

  constructor(tables: Tables, history: History, file: StandingFile, options: EngineOptions, hooks: WritingHooks) {
    this.#options = options;
    this.#commits = new GroupCommit(tables, history, options.clock, {
      committed: (changes, head) => {
        this.#tellWriting(undefined);
        hooks.committed(changes, head);
      },
      failed: (head, why) => {
        this.#tellWriting(why);
        hooks.failed(head);
      },
      ended: (why) => {
        this.#tellWriting(why);
        this.#rest();
        hooks.ended(why);
      },
      explain: (reason, canRead) => writeFailure(options.location, reason, canRead),
      room: () => (file.failure === undefined ? roomFor(options.location) : -Infinity),
      refused: () => {
        const why = file.failure ?? noRoom(options.location);
        this.#tellWriting(why);
        return why;
      },
      expiring: (atMs) => this.#expiry.expect(atMs),
    });
    this.#compaction = new Compaction(tables, history, this.#commits);
    this.#expiry = new Expiry(tables, this.#commits, options.clock, (cause) => this.#report('keys could not be expired', cause));
    this.#trimAlarm = new Alarm(steady(options.clock), () => this.#trim());
    this.#trimAlarm.setFor(steady(options.clock).nowMs() + TRIM_EVERY_MS);
  }

  commit(write: Write): Promise<Commit> {
    return this.#commits.commit(write);
  }

  compact(before: Revision): Promise<void> {
    return this.#compaction.compact(before);
  }

  /** Resolves when nothing is under way; from then on nothing is written before the returned function was called. */
  hold(): Promise<() => void> {
    return this.#commits.hold();
  }

  async close(): Promise<void> {
    this.#rest();
    await this.#commits.close();
    await this.#trimming;
  }

  /** From now on nothing is done that nobody asked for. */
  #rest(): void {
    this.#rests = true;
    this.#expiry.stop();
    this.#trimAlarm.stop();
  }

  #trim(): void {
    const { clock, historySeconds } = this.#options;
    this.#trimming = this.#compaction
      .trim(clock.nowMs(), historySeconds * 1000)
      .catch((cause: unknown) => this.#report('history could not be trimmed', cause))
      .finally(() => {
        if (!this.#rests) this.#trimAlarm.setFor(steady(clock).nowMs() + TRIM_EVERY_MS);
      });
  }

  /** Says once that writes fail, and once that they succeed again. */
  #tellWriting(failure: StorageFailure | undefined): void {
    const canWrite = failure === undefined;
    if (canWrite === this.#canWrite) return;
    this.#canWrite = canWrite;
    this.#options.log(failure?.message ?? 'the store can be written again');
  }

  #report(what: string, cause: unknown): void {
    if (!this.#rests) this.#options.log(what, { cause: String(cause) });
  }
}
