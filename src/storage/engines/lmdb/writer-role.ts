import { join } from 'node:path';
import { Alarm, steady } from '#base';
import type { Change, Commit, EngineOptions, Key, Revision, StorageFailure, Write } from '../../engine.ts';
import type { OpenedFile } from '../../opened-file.ts';
import { Compaction } from './compaction.ts';
import { FILE, type Tables } from './database.ts';
import { Expiry } from './expiry.ts';
import { GroupCommit } from './group-commit.ts';
import type { History } from './history.ts';
import { KeyTurns } from './key-turns.ts';
import { TRIM_EVERY_MS } from './limits.ts';
import { Preallocation } from './preallocation.ts';
import type { Role } from './role.ts';
import { noSpaceFailure, usableBytes, writeFailure } from './write-failure.ts';
import { WriteProbe } from './write-probe.ts';

export interface WriterRoleHooks {
  /** These changes have become durable. */
  readonly committed: (changes: readonly Change[], head: Revision) => void;
  /** A group failed. `head` is what the file says after it: the group took effect or not. */
  readonly failed: (head: Revision) => void;
  /** The store can no longer be written or read. */
  readonly ended: (why: StorageFailure) => void;
}

/** The role of the one process that writes to the store: commits, expiry and compaction. */
export class WriterRole implements Role {
  readonly #options: EngineOptions;
  readonly #commits: GroupCommit;
  readonly #keyTurns = new KeyTurns();
  readonly #compaction: Compaction;
  readonly #expiry: Expiry;
  readonly #trimAlarm: Alarm;
  readonly #probe: WriteProbe;
  #isStopped = false;
  #canWrite = true;
  /** The trimming in progress. */
  #trimming: Promise<void> = Promise.resolve();

  constructor(tables: Tables, history: History, file: OpenedFile, options: EngineOptions, hooks: WriterRoleHooks) {
    this.#options = options;
    this.#probe = new WriteProbe(join(options.location, FILE));
    const usable = (): number => (file.failure === undefined ? usableBytes(options.location) : -Infinity);
    const preallocation = new Preallocation(this.#probe.file, { lock: (work) => tables.root.transactionSync(work), usableBytes: usable });
    this.#commits = new GroupCommit(tables, history, options.clock, {
      committed: (changes, head) => {
        this.#logWriting(undefined);
        hooks.committed(changes, head);
      },
      failed: (head, why) => {
        this.#logWriting(why);
        hooks.failed(head);
      },
      ended: (why) => {
        this.#logWriting(why);
        this.#stopMaintenance();
        hooks.ended(why);
      },
      explain: (reason, canRead) => writeFailure(options.location, reason, canRead),
      refusal: () => this.#probe.failure,
      beforeTransaction: (bytes) => preallocation.prepareFor(bytes),
      usableBytes: usable,
      noSpace: () => {
        const why = file.failure ?? noSpaceFailure(options.location);
        this.#logWriting(why);
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
    return this.commitFor(this, write);
  }

  /** Commits for a process: a member, or this one. */
  commitFor(process: object, write: Write): Promise<Commit> {
    const { key, isRetry } = write;
    const othersTurn = this.#keyTurns.waitFor(key, process);
    const committed = othersTurn === undefined ? this.#commits.commit(write) : othersTurn.then(() => this.#commits.commit(write));
    return isRetry === true ? committed.then((commit) => this.#noteRetry(key, process, commit)) : committed;
  }

  #noteRetry(key: Key, process: object, commit: Commit): Commit {
    if (commit.done) this.#keyTurns.end(key, process);
    else if (process !== this || this.#keyTurns.isContended(key)) this.#keyTurns.ask(key, process);
    return commit;
  }

  compact(before: Revision): Promise<void> {
    return this.#compaction.compact(before);
  }

  /** Resolves when no write is in progress. From then on nothing is written until the returned function is called. */
  hold(): Promise<() => void> {
    return this.#commits.hold();
  }

  async close(): Promise<void> {
    this.#stopMaintenance();
    await this.#commits.close();
    await this.#trimming;
    this.#probe.close();
  }

  /** Stops expiry and trimming. */
  #stopMaintenance(): void {
    this.#isStopped = true;
    this.#expiry.stop();
    this.#trimAlarm.stop();
  }

  #trim(): void {
    const { clock, historySeconds } = this.#options;
    this.#trimming = this.#compaction
      .trim(clock.nowMs(), historySeconds * 1000)
      .catch((cause: unknown) => this.#report('history could not be trimmed', cause))
      .finally(() => {
        if (!this.#isStopped) this.#trimAlarm.setFor(steady(clock).nowMs() + TRIM_EVERY_MS);
      });
  }

  /** Logs once that writes fail, and once that they succeed again. */
  #logWriting(failure: StorageFailure | undefined): void {
    const canWrite = failure === undefined;
    if (canWrite === this.#canWrite) return;
    this.#canWrite = canWrite;
    this.#options.log(failure?.message ?? 'the store can be written again');
  }

  /** Says nothing where writes fail: that has been logged, and maintenance is tried again and again. */
  #report(what: string, cause: unknown): void {
    if (!this.#isStopped && this.#canWrite) this.#options.log(what, { cause: String(cause) });
  }
}
