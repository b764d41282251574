import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { Alarm, seldom, steady, Tail } from '#base';
import type { EngineOptions } from '../../driver.ts';
import type { Change, Commit, Engine, Feed, Page, Scan, Write } from '../../engine.ts';
import type { Entry, Key, Revision } from '../../entry.ts';
import { Expiry } from '../../expiry.ts';
import { followTail } from '../../follow-tail.ts';
import { maintenanceLog, type MaintenanceLog } from '../../maintenance-log.ts';
import { failureAmong, OpenedFile } from '../../opened-file.ts';
import { closedFailure, futureFailure, StorageFailure } from '../../storage-failure.ts';
import { madeFrom, makeStore, makeStoreFolder, openToRead } from './database.ts';
import { inWords, noSpaceFailure, readFailure } from './failures.ts';
import { FILE, LOG_FILE, OWNER_FILE } from './files.ts';
import { GroupCommit } from './group-commit.ts';
import { TRIM_EVERY_MS } from './limits.ts';
import { takeOwnership } from './owner.ts';
import { Reader } from './reader.ts';
import { SqliteThread } from './thread.ts';

/** Opens the store in a folder, or creates it. Throws `StorageFailure`. */
export async function openSqlite(options: EngineOptions): Promise<Engine> {
  makeStoreFolder(options.location);
  const giveUpOwnership = takeOwnership(options.location);
  try {
    makeStore(options.location);
    return inWords(options.location, () => madeFrom(openToRead(options.location), (file) => new SqliteEngine(options, new Reader(file), giveUpOwnership)));
  } catch (cause) {
    giveUpOwnership();
    throw cause;
  }
}

/** Reads on the main thread and writes on a thread of its own. */
class SqliteEngine implements Engine {
  readonly keepsOrder = true;
  readonly #options: EngineOptions;
  readonly #giveUpOwnership: () => void;
  readonly #reader: Reader;
  readonly #thread: SqliteThread;
  readonly #commits: GroupCommit;
  readonly #tail: Tail<Change>;
  readonly #expiry: Expiry;
  readonly #trimAlarm: Alarm;
  #closed = false;
  /** Why nothing can be read or written any more; undefined: the thread that writes is there. */
  #end: StorageFailure | undefined;
  #isWriting = true;
  readonly #isDue: (text: string) => boolean;
  readonly #report: MaintenanceLog;
  /** The trimming in progress. */
  #trimming: Promise<void> = Promise.resolve();

  constructor(options: EngineOptions, reader: Reader, giveUpOwnership: () => void) {
    this.#options = options;
    this.#isDue = seldom(options.clock);
    // Writes that fail are logged as such.
    this.#report = maintenanceLog(options, () => this.#closed || !this.#isWriting);
    this.#giveUpOwnership = giveUpOwnership;
    this.#reader = reader;
    this.#tail = new Tail<Change>(reader.head(), { read: (after, upTo) => this.#read(() => reader.changes(after, upTo)) });
    const [next] = reader.expiries(1);
    const files = openedFiles(realpathSync(options.location));
    // Started after everything that may throw: the thread keeps the process alive until it is closed.
    this.#thread = new SqliteThread(options.location, (why) => this.#giveUp(why));
    this.#commits = new GroupCommit(this.#thread, reader, options.clock, {
      committed: (changes, head) => this.#tail.publish(changes, head),
      unpublishable: (why, head) => {
        this.#tail.fail(why);
        this.#tail.publish([], head);
      },
      unreadable: (cause) => readFailure(options.location, cause),
      wrote: () => this.#logWriting(undefined),
      failed: (why) => this.#logWriting(why),
      noSpace: () => noSpaceFailure(options.location),
      refusal: () => failureAmong(files),
      expiring: (atMs) => this.#expiry.expect(atMs),
    });
    const expiring = { next: (limit: number) => reader.expiries(limit), commit: (write: Write) => this.#commits.commit(write) };
    this.#expiry = new Expiry(expiring, options.clock, (cause) => this.#report('keys could not be expired', cause));
    this.#trimAlarm = new Alarm(steady(options.clock), () => this.#trim());
    this.#trimAlarm.setFor(steady(options.clock).nowMs() + TRIM_EVERY_MS);
    if (next !== undefined) this.#expiry.expect(next.atMs);
  }

  async head(): Promise<Revision> {
    return this.#read(() => this.#reader.head());
  }

  async get(key: Key, at?: Revision): Promise<Entry | undefined> {
    return this.#read(() => this.#reader.get(key, at));
  }

  async scan(range: Scan): Promise<Page> {
    return this.#read(() => this.#reader.scan(range));
  }

  async commit(write: Write): Promise<Commit> {
    this.#checkOpen();
    return this.#commits.commit(write);
  }

  follow(prefix: Key, after: Revision, feed: Feed, signal: AbortSignal): void {
    followTail(this.#tail, { prefix, after, feed, signal }, () => this.#read(() => this.#reader.forgotten(after)));
  }

  async compact(before: Revision): Promise<void> {
    const head = await this.head();
    if (before > head) throw futureFailure(before, head);
    await this.#sweep(before, this.#options.clock.nowMs(), 0);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#stopMaintenance();
    await this.#trimming;
    await this.#commits.close();
    this.#tail.fail(closedFailure());
    this.#reader.close();
    // The last connection to close checkpoints the WAL, which only one that may write can do.
    await this.#thread.request({ kind: 'close' }).catch(() => {});
    this.#giveUpOwnership();
  }

  #read<T>(read: () => T): T {
    this.#checkOpen();
    try {
      return read();
    } catch (cause) {
      throw readFailure(this.#options.location, cause);
    }
  }

  /** Compacts slice by slice; writes get their turn between two slices, and so does `close`, which ends it. */
  async #sweep(upTo: Revision, nowMs: number, historyMs: number): Promise<void> {
    for (let isFinished = false; !isFinished; ) {
      this.#checkOpen();
      isFinished = await this.#commits.sweep(upTo, nowMs, historyMs);
    }
  }

  #trim(): void {
    const { clock, historySeconds } = this.#options;
    this.#trimming = this.head()
      .then((head) => this.#sweep(head, clock.nowMs(), historySeconds * 1000))
      .catch((cause: unknown) => this.#report('history could not be trimmed', cause))
      .finally(() => this.#trimAlarm.setFor(steady(clock).nowMs() + TRIM_EVERY_MS));
  }

  /**
   * The thread that writes has ended, and what it had in hand may be in the file, of which nobody was told. Feeds are not ended: what they delivered
   * stays true, and caches above can still answer reads that may be stale.
   */
  #giveUp(why: StorageFailure): void {
    this.#end = why;
    this.#stopMaintenance();
    // Whatever has been told of writes before, this is more than that.
    this.#isWriting = true;
    this.#logWriting(why);
  }

  #stopMaintenance(): void {
    this.#expiry.stop();
    this.#trimAlarm.stop();
  }

  #checkOpen(): void {
    if (this.#closed) throw closedFailure();
    if (this.#end !== undefined) throw this.#end;
  }

  /** Logs once that writes fail, and once that they succeed again. A damaged page fails some writes and not others: that is told seldom. */
  #logWriting(failure: unknown): void {
    if (failure instanceof StorageFailure && failure.code === 'corrupt') {
      if (this.#isDue(failure.message)) this.#options.log(failure.message);
      return;
    }
    const isWriting = failure === undefined;
    if (isWriting === this.#isWriting) return;
    this.#isWriting = isWriting;
    this.#options.log(failure instanceof Error ? failure.message : 'the store can be written again');
  }
}

/**
 * The files without which a write is lost or another server can write, too: the newest writes are in the write-ahead log, and the owner's file is locked.
 */
const openedFiles = (folder: string): readonly OpenedFile[] => [
  new OpenedFile(join(folder, FILE)),
  new OpenedFile(join(folder, LOG_FILE), 'end this server with SIGTERM, which saves what was in it, and start it anew'),
  new OpenedFile(join(folder, OWNER_FILE), 'start this server anew'),
];
