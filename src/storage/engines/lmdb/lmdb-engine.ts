import { Alarm } from '#base';
import {
  StorageFailure,
  type Commit,
  type Engine,
  type EngineOptions,
  type Entry,
  type Feed,
  type Key,
  type Page,
  type Revision,
  type Scan,
  type Write,
} from '../../engine.ts';
import { Compaction } from './compaction.ts';
import { openTables, readHead, type Tables } from './database.ts';
import { Expiry } from './expiry.ts';
import { ChangeFeed } from './feed.ts';
import { GroupCommit } from './group-commit.ts';
import { History } from './history.ts';
import { TRIM_EVERY_MS } from './limits.ts';
import { takeOwnership } from './owner.ts';
import { noRoom, roomFor, writeFailure } from './write-failure.ts';

/** Opens the store in a folder, or makes it. Throws `StorageFailure`. */
export async function openLmdb(options: EngineOptions): Promise<Engine> {
  const tables = openTables(options.location);
  try {
    const giveUpOwnership = await takeOwnership(tables, options.location);
    return new LmdbEngine(tables, options, giveUpOwnership);
  } catch (error) {
    await tables.root.close();
    throw error;
  }
}

class LmdbEngine implements Engine {
  readonly #tables: Tables;
  readonly #options: EngineOptions;
  readonly #giveUpOwnership: () => void;
  readonly #history: History;
  readonly #feed: ChangeFeed;
  readonly #commits: GroupCommit;
  readonly #compaction: Compaction;
  readonly #expiry: Expiry;
  readonly #trimAlarm: Alarm;
  #closed = false;
  #isWriting = true;
  /** Maintenance that is under way. */
  #trimming: Promise<void> = Promise.resolve();

  constructor(tables: Tables, options: EngineOptions, giveUpOwnership: () => void) {
    this.#tables = tables;
    this.#options = options;
    this.#giveUpOwnership = giveUpOwnership;
    this.#history = new History(tables);
    this.#feed = new ChangeFeed(tables, this.#history);
    this.#commits = new GroupCommit(tables, this.#history, options.clock, {
      committed: (changes, head) => {
        this.#tellWriting(undefined);
        this.#feed.publish(changes, head);
      },
      failed: (head, why) => {
        this.#tellWriting(why);
        this.#feed.publishFromLog(head);
      },
      explain: (reason) => writeFailure(options.location, reason),
      room: () => roomFor(options.location),
      refused: () => {
        const why = noRoom(options.location);
        this.#tellWriting(why);
        return why;
      },
      expiring: (atMs) => this.#expiry.expect(atMs),
    });
    this.#compaction = new Compaction(tables, this.#history, this.#commits);
    this.#expiry = new Expiry(tables, this.#commits, options.clock, (cause) => this.#report('keys could not be expired', cause));
    this.#trimAlarm = new Alarm(options.clock, () => this.#trim());
    this.#trimAlarm.setFor(options.clock.nowMs() + TRIM_EVERY_MS);
  }

  async head(): Promise<Revision> {
    this.#checkOpen();
    return readHead(this.#tables);
  }

  async get(key: Key, at?: Revision): Promise<Entry | undefined> {
    this.#checkOpen();
    return this.#history.get(key, at);
  }

  async scan(range: Scan): Promise<Page> {
    this.#checkOpen();
    return this.#history.scan(range);
  }

  async commit(write: Write): Promise<Commit> {
    this.#checkOpen();
    return this.#commits.commit(write);
  }

  follow(prefix: Key, after: Revision, feed: Feed, signal: AbortSignal): void {
    if (this.#closed) queueMicrotask(() => feed.lost(closed()));
    else this.#feed.follow(prefix, after, feed, signal);
  }

  async compact(before: Revision): Promise<void> {
    this.#checkOpen();
    await this.#compaction.compact(before);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#expiry.stop();
    this.#trimAlarm.stop();
    await this.#commits.close();
    await this.#trimming;
    this.#feed.fail(closed());
    this.#giveUpOwnership();
    await this.#tables.root.close();
  }

  #trim(): void {
    const { clock, historySeconds } = this.#options;
    this.#trimming = this.#compaction
      .trim(clock.nowMs() - historySeconds * 1000)
      .catch((cause: unknown) => this.#report('history could not be trimmed', cause))
      .finally(() => this.#trimAlarm.setFor(clock.nowMs() + TRIM_EVERY_MS));
  }

  /** Says once that writes fail, and once that they succeed again. */
  #tellWriting(failure: StorageFailure | undefined): void {
    const isWriting = failure === undefined;
    if (isWriting === this.#isWriting) return;
    this.#isWriting = isWriting;
    this.#options.log(failure?.message ?? 'the store can be written again');
  }

  #report(what: string, cause: unknown): void {
    if (!this.#closed) this.#options.log(what, { cause: String(cause) });
  }

  #checkOpen(): void {
    if (this.#closed) throw closed();
  }
}

const closed = (): StorageFailure => new StorageFailure('unavailable', 'the store was closed');
