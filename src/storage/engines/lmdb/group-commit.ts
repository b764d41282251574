import type { Clock, Deferred } from '#base';
import { deferred, setImmediate } from '#base';
import { StorageFailure, type Change, type Commit, type Entry, type Key, type Revision, type Write } from '../../engine.ts';
import { append, expiryOf, mendHead, readHead, reasonOf, revisionOf, transact, type Tables } from './database.ts';
import type { History } from './history.ts';
import { MAX_KEY_BYTES, PAGES_PER_WRITE_BYTES, RESERVED_DISK_BYTES } from './limits.ts';
import { RecordSpace } from './record-space.ts';
import { encodeRecord, toChange } from './record.ts';
import { Room } from './room.ts';
import type { WriteFailure } from './write-failure.ts';

/** What stands at a key, seen from inside the group being gathered. */
interface Standing {
  readonly entry: Entry | undefined;
  readonly expiresAtMs: number | undefined;
}

interface Group {
  /** Keys this group has written so far; everything else is as the file says. */
  readonly standing: Map<Key, Standing>;
  /** Where others stand that its writes depend on: many depend on the same. */
  readonly given: Map<Key, Revision | undefined>;
  readonly changes: Change[];
  /** What it puts into the tables, in order. */
  readonly puts: (() => void)[];
  /** Who waits for it, and what each is told when it is durable: at the same place of both lists. */
  readonly outcomes: Deferred<unknown>[];
  readonly results: unknown[];
}

/** What is to be done inside a group: what its caller is told, and what goes into the tables for it, if anything. */
interface Work<T> {
  readonly result: T;
  readonly put?: () => void;
}

export interface CommitHooks {
  /** These changes are durable now. */
  readonly committed: (changes: readonly Change[], head: Revision) => void;
  /** A group failed; whether it took effect is not known before the file says `head`. */
  readonly failed: (head: Revision, why: StorageFailure) => void;
  /** A group failed, and after it nothing can be written or read any more. */
  readonly ended: (why: StorageFailure) => void;
  /** Why a group failed, in words for those who wrote. `canRead`: whether the file can be read after it. */
  readonly explain: (reason: unknown, canRead: boolean) => WriteFailure;
  /** What writes may take from the disk just now. */
  readonly room: () => number;
  /** A write does not fit: what its writer is told. */
  readonly refused: () => StorageFailure;
  readonly expiring: (atMs: number) => void;
}

/**
 * All writers of one moment share one transaction and one flush to disk. The first one opens a group; whoever comes in the same turn of the
 * event loop joins it; whoever comes while it is being flushed waits for the next, which is on its way to the disk before anybody is told of
 * this one: the disk works while answers are made. Comparing needs no lock: this is the only writing process, and no group begins before the
 * one before it is in the file, so "the file, then what this group wrote" is what will stand there.
 */
export class GroupCommit {
  readonly #tables: Tables;
  readonly #history: History;
  readonly #clock: Clock;
  readonly #hooks: CommitHooks;
  readonly #waiting: ((group: Group) => void)[] = [];
  readonly #room: Room;
  readonly #records = new RecordSpace();
  readonly #take = (length: number): Buffer => this.#records.take(length);
  #group: Group | undefined;
  #flushing: Promise<void> | undefined;
  #head: Revision;
  #closed = false;
  /** Why nothing is written any more. */
  #end: StorageFailure | undefined;
  /** So many want nothing to be written just now. */
  #holds = 0;

  constructor(tables: Tables, history: History, clock: Clock, hooks: CommitHooks) {
    this.#tables = tables;
    this.#history = history;
    this.#clock = clock;
    this.#hooks = hooks;
    this.#room = new Room(hooks.room, () => performance.now());
    this.#head = readHead(tables);
  }

  commit(write: Write): Promise<Commit> {
    if (write.key.length > MAX_KEY_BYTES / 3 && Buffer.byteLength(write.key) > MAX_KEY_BYTES) {
      const told = `a key may have ${MAX_KEY_BYTES} bytes, this one has more: ${write.key.slice(0, 200)}…`;
      return Promise.reject(new StorageFailure('unavailable', told));
    }
    return this.#join((group) => this.#write(group, write));
  }

  /** Does `work` inside a group; resolves with its result once that is durable. */
  run<T>(work: () => Work<T>): Promise<T> {
    return this.#join((group) => {
      const { result, put } = work();
      if (put !== undefined) group.puts.push(put);
      return result;
    });
  }

  /** Resolves when nothing is under way; from then on nothing is written before the returned function was called. */
  async hold(): Promise<() => void> {
    this.#holds++;
    while (this.#isBusy) await this.#progress();
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#holds--;
      if (!this.#isBusy) this.#goOn();
    };
  }

  /** Takes nothing more; resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#closed = true;
    while (this.#isBusy || this.#waiting.length > 0) await this.#progress();
  }

  get #isBusy(): boolean {
    return this.#group !== undefined || this.#flushing !== undefined;
  }

  #progress(): Promise<void> {
    return this.#flushing ?? new Promise((resolve) => setImmediate(resolve));
  }

  #join<T>(take: (group: Group) => T): Promise<T> {
    if (this.#closed) return Promise.reject(new StorageFailure('unavailable', 'the store was closed'));
    const outcome = deferred<T>();
    if (this.#flushing !== undefined || this.#holds > 0) this.#waiting.push((group) => this.#enter(group, take, outcome));
    else this.#enter(this.#gather(), take, outcome);
    return outcome.promise;
  }

  #enter<T>(group: Group, take: (group: Group) => T, outcome: Deferred<T>): void {
    try {
      if (this.#end !== undefined) throw this.#end;
      group.results.push(take(group));
      group.outcomes.push(outcome);
    } catch (cause) {
      outcome.reject(cause);
    }
  }

  #gather(): Group {
    if (this.#group === undefined) {
      const group = (this.#group = this.#open());
      // Ends the group together with the turn.
      setImmediate(() => {
        this.#group = undefined;
        this.#close(group);
      });
    }
    return this.#group;
  }

  #open(): Group {
    this.#room.begin();
    this.#records.clear();
    return { standing: new Map(), given: new Map(), changes: [], puts: [], outcomes: [], results: [] };
  }

  #close(group: Group): void {
    if (group.puts.length > 0) {
      this.#flushing = this.#flush(group, this.#head);
      return;
    }
    settle(group);
    this.#goOn();
  }

  /** Those who came while nothing could be taken. */
  #goOn(): void {
    if (this.#holds > 0 || this.#waiting.length === 0) return;
    const next = this.#open();
    for (const joined of this.#waiting.splice(0)) joined(next);
    this.#close(next);
  }

  async #flush(group: Group, head: Revision): Promise<void> {
    const first = group.changes[0]?.revision;
    const put = (): void => {
      for (const one of group.puts) one();
      if (first !== undefined) void this.#tables.meta.put('head', head);
    };
    try {
      if (!(await transact(this.#tables, put, first))) throw this.#overtaken(first);
    } catch (cause) {
      await this.#fail(group, cause);
      this.#flushing = undefined;
      this.#goOn();
      return;
    }
    // Whoever reads from now on must see it.
    this.#tables.root.resetReadTxn();
    this.#flushing = undefined;
    this.#goOn();
    settle(group);
    if (group.changes.length > 0) this.#hooks.committed(group.changes, head);
  }

  /** Should not be: this process alone writes. Nobody's write is lost all the same: these are refused, and the next ones come behind the others. */
  #overtaken(first: Revision | undefined): Error {
    mendHead(this.#tables);
    return new Error(`another process has written revision ${first}`);
  }

  async #fail(group: Group, cause: unknown): Promise<void> {
    this.#room.forget();
    const canRead = this.#readAgain();
    for (const change of group.changes) this.#history.drop(change.revision);
    const { failure, isFinal } = this.#hooks.explain(await reasonOf(cause), canRead);
    if (isFinal) this.#end = failure;
    for (const outcome of group.outcomes) outcome.reject(failure);
    if (isFinal) this.#hooks.ended(failure);
    else this.#hooks.failed(this.#head, failure);
  }

  /** Finds out how far the file has come; false where LMDB cannot read it any more: it failed to say there what is the newest. */
  #readAgain(): boolean {
    try {
      this.#tables.root.resetReadTxn();
      this.#head = readHead(this.#tables);
      return true;
    } catch {
      return false;
    }
  }

  #write(group: Group, write: Write): Commit {
    const { key, expect, value, given } = write;
    const before = group.standing.get(key) ?? this.#standing(key);
    const found = before.entry;
    if ((found?.revision ?? 0) !== expect || (found === undefined && value === undefined)) return { done: false, found };
    if (given?.some(({ key: at, revision }) => this.#revisionAt(group, at) !== revision) === true) return { done: false, found, lapsed: true };
    this.#takeRoom(value);
    const revision = ++this.#head;
    const hasEnd = value !== undefined && write.ttlSeconds !== undefined;
    const expiresAtMs = hasEnd ? Math.ceil(this.#clock.nowMs() + write.ttlSeconds * 1000) : undefined;
    const entry = value === undefined ? undefined : { key, value, revision };
    const standing = { entry, expiresAtMs };
    const record = encodeRecord({ key, previous: found?.revision ?? 0, timeMs: this.#clock.nowMs(), value }, this.#take);
    group.puts.push(() => this.#put(key, revision, record, before, standing));
    group.standing.set(key, standing);
    group.changes.push(toChange(revision, key, value, found));
    if (entry !== undefined) this.#history.keep(entry);
    if (expiresAtMs !== undefined) this.#hooks.expiring(expiresAtMs);
    return { done: true, revision };
  }

  /** Deletes may dip into the reserve: they are how room is made. */
  #takeRoom(value: Uint8Array | undefined): void {
    const needed = value === undefined ? -RESERVED_DISK_BYTES / 2 : 2 * value.byteLength + PAGES_PER_WRITE_BYTES;
    if (!this.#room.take(needed, Math.max(needed, PAGES_PER_WRITE_BYTES))) throw this.#hooks.refused();
  }

  #put(key: Key, revision: Revision, record: Buffer, before: Standing, { entry, expiresAtMs }: Standing): void {
    const { live, log, past, expiries } = this.#tables;
    append(log, revision, record);
    if (before.entry !== undefined) void past.put([key, before.entry.revision], revision);
    if (before.expiresAtMs !== undefined) void expiries.remove([before.expiresAtMs, key]);
    if (expiresAtMs !== undefined) void expiries.put([expiresAtMs, key], revision);
    if (entry === undefined) void live.remove(key);
    else void live.put(key, expiresAtMs === undefined ? revision : [revision, expiresAtMs]);
  }

  /** Without reading what stands there. */
  #revisionAt(group: Group, key: Key): Revision | undefined {
    const standing = group.standing.get(key);
    if (standing !== undefined) return standing.entry?.revision;
    const known = group.given.get(key);
    if (known !== undefined) return known;
    const live = this.#tables.live.get(key);
    const revision = live === undefined ? undefined : revisionOf(live);
    group.given.set(key, revision);
    return revision;
  }

  #standing(key: Key): Standing {
    const live = this.#tables.live.get(key);
    if (live === undefined) return { entry: undefined, expiresAtMs: undefined };
    return { entry: this.#history.entry(revisionOf(live)), expiresAtMs: expiryOf(live) };
  }
}

function settle({ outcomes, results }: Group): void {
  outcomes.forEach((outcome, i) => outcome.resolve(results[i]));
}
