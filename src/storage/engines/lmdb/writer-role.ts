import { join } from 'node:path';
import { Alarm, aliveDuring, steady } from '#base';
import type { EngineOptions } from '../../driver.ts';
import type { Change, Commit, Write } from '../../engine.ts';
import type { Key, Revision } from '../../entry.ts';
import { Expiry } from '../../expiry.ts';
import { maintenanceLog, type MaintenanceLog } from '../../maintenance-log.ts';
import { failureAmong, type Safeguard } from '../../opened-file.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { AllocatedSpace } from './allocated-space.ts';
import { Compaction } from './compaction.ts';
import { FILE, oldestRead, readFailure, type Tables } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import type { History } from './history.ts';
import { KeyTurns } from './key-turns.ts';
import { FULL_TOLD_MS, RESERVED_DISK_BYTES, TRIM_EVERY_MS } from './limits.ts';
import { Preallocation } from './preallocation.ts';
import type { Role } from './role.ts';
import { nextExpiring, readFirstEnd } from './next-expiring.ts';
import { noSpaceFailure, writeFailure } from './write-failure.ts';
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
  readonly #preallocation: Preallocation;
  readonly #report: MaintenanceLog;
  #isStopped = false;
  /** Why the last write that failed did, as the log says; undefined: writes succeed. */
  #failure: StorageFailure | undefined;
  #isFullToldUntilMs = -Infinity;
  /** The trimming in progress. */
  #trimming: Promise<void> = Promise.resolve();

  /** Throws what reading the file throws. */
  constructor(tables: Tables, history: History, safeguards: readonly Safeguard[], options: EngineOptions, hooks: WriterRoleHooks) {
    this.#options = options;
    // Want of space and writes that fail are logged where values are written.
    this.#report = maintenanceLog(options, (cause) => this.#isStopped || this.#failure !== undefined || (cause instanceof StorageFailure && cause.code === 'full'));
    // Before the file is opened: who tries again and again to write would run out of descriptors.
    const firstEndMs = readFirstEnd(tables);
    this.#probe = new WriteProbe(join(options.location, FILE));
    const space = new AllocatedSpace(options.location, this.#probe.file);
    this.#preallocation = new Preallocation(this.#probe.file, {
      lock: (work) => tables.root.transactionSync(work),
      spareBytes: () => (failureAmong(safeguards) === undefined ? space.spareBytes : 0),
      reservedBytes: space.isLasting ? RESERVED_DISK_BYTES : 0,
      isPlentiful: () => space.isPlentiful,
    });
    this.#commits = new GroupCommit(tables, history, options.clock, {
      committed: (changes, head) => {
        this.#logWritten();
        hooks.committed(changes, head);
      },
      failed: (head, why) => {
        this.#logWriting(why);
        hooks.failed(head);
      },
      ended: (why) => {
        // Whatever has been told of writes before, this is more than that.
        this.#failure = undefined;
        this.#logWriting(why);
        this.#stopMaintenance();
        hooks.ended(why);
      },
      explain: (reason, canRead) => writeFailure(options.location, reason, canRead),
      unreadable: (cause) => readFailure(cause, join(options.location, FILE)),
      refusal: () => this.#probe.failure,
      beforeTransaction: (bytes) => this.#preallocation.prepareFor(bytes),
      usableBytes: () => (failureAmong(safeguards) === undefined ? space.measureUsable() : -Infinity),
      oldestRead: () => oldestRead(tables),
      freeRuns: (oldest) => space.freeRuns(oldest),
      noSpace: () => {
        const why = failureAmong(safeguards) ?? noSpaceFailure(options.location, space.isLasting);
        this.#logWriting(why);
        return why;
      },
      expiring: (atMs) => this.#expiry.expect(atMs),
    });
    this.#compaction = new Compaction(tables, history, this.#commits);
    const expiring = { next: (limit: number) => nextExpiring(tables, limit), commit: (write: Write) => this.#commits.commit(write) };
    this.#expiry = new Expiry(expiring, options.clock, (cause) => this.#report('keys could not be expired', cause));
    this.#expiry.expect(firstEndMs);
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
    const committed = othersTurn === undefined ? this.#commits.commit(write) : this.#commitBehind(othersTurn, write);
    return isRetry === true ? committed.then((commit) => this.#noteRetry(key, process, commit)) : committed;
  }

  async #commitBehind(turn: Promise<void>, write: Write): Promise<Commit> {
    await aliveDuring(() => turn);
    return this.#commits.commit(write);
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
      .then(() => this.#keepReserve())
      .finally(() => {
        if (!this.#isStopped) this.#trimAlarm.setFor(steady(clock).nowMs() + TRIM_EVERY_MS);
      });
  }

  /** Sees to the reserve where no write does: other programs fill disks too. A disk that fails is left alone. */
  async #keepReserve(): Promise<void> {
    const goOn = await this.#commits.hold();
    try {
      if (this.#failure === undefined || this.#failure.code === 'full') this.#preallocation.keepReserve();
    } catch (cause) {
      this.#report('no space could be kept for a full disk', cause);
    } finally {
      goOn();
    }
  }

  /** Logs once that writes fail; for want of space, no more often than every `FULL_TOLD_MS`. */
  #logWriting(failure: StorageFailure): void {
    if (this.#failure?.code === failure.code) return;
    if (failure.code === 'full') {
      const nowMs = steady(this.#options.clock).nowMs();
      if (nowMs < this.#isFullToldUntilMs) return;
      this.#isFullToldUntilMs = nowMs + FULL_TOLD_MS;
    }
    this.#failure = failure;
    this.#options.log(failure.message);
  }

  /** Logs once that writes succeed again; after want of space, not before there is more of it than the next writes take. */
  #logWritten(): void {
    if (this.#failure === undefined || (this.#failure.code === 'full' && !this.#commits.isRoomy)) return;
    this.#failure = undefined;
    this.#options.log('the store can be written again');
  }
}
