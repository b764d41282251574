import type { Clock, Deferred } from '#base';
import { deferred, setImmediate, stayAlive } from '#base';
import type { Change, Commit, Write } from '../../engine.ts';
import type { Entry, Key, Revision } from '../../entry.ts';
import { expiryMs } from '../../expiry.ts';
import { isTooLong, longKeyFailure } from '../../longest-key.ts';
import { closedFailure, unconfirmedFailure, type StorageFailure } from '../../storage-failure.ts';
import { append, expiryOf, mendHead, readHead, reasonOf, revisionOf, transact, type Tables } from './database.ts';
import type { History } from './history.ts';
import { RecordBuffer } from './record-buffer.ts';
import { encodeRecord, toChange } from './record.ts';
import type { WriteFailure } from './write-failure.ts';
import { WriteSpace, type WriteSpaceHooks } from './write-space.ts';

/** The state of a key after the writes that the current group holds so far. */
interface KeyState {
  readonly entry: Entry | undefined;
  readonly expiresAtMs: number | undefined;
}

interface Group {
  /** The keys this group has written so far; all others are as in the file. */
  readonly keyStates: Map<Key, KeyState>;
  /** The revisions of keys in the preconditions of its writes, read once: many writes depend on the same key. */
  readonly preconditionRevisions: Map<Key, Revision | undefined>;
  readonly changes: Change[];
  /** The puts into the tables, in order. */
  readonly puts: (() => void)[];
  /** The promises of its callers, and their results, by index. */
  readonly outcomes: Deferred<unknown>[];
  readonly results: unknown[];
  /** When the first of its entries expires; without end: none does. */
  firstEndMs: number;
}

/** Work to do inside a group: the result for its caller, and the puts into the tables, if any. */
interface Work<T> {
  readonly result: T;
  readonly put?: () => void;
}

export interface CommitHooks extends WriteSpaceHooks {
  /** These changes have become durable. */
  readonly committed: (changes: readonly Change[], head: Revision) => void;
  /** A group failed. `head` is what the file says after it: the group took effect or not. */
  readonly failed: (head: Revision, why: StorageFailure) => void;
  /** A group failed, and after it the store can no longer be written or read. */
  readonly ended: (why: StorageFailure) => void;
  /** Turns the error of a failed group into the failure that its writers get. `canRead`: whether the file can still be read. */
  readonly explain: (reason: unknown, canRead: boolean) => WriteFailure;
  /** Turns the error of reading what a write is compared with into the failure that its writer gets. */
  readonly unreadable: (cause: unknown) => StorageFailure;
  /** Why nothing may be handed to LMDB at present; undefined: it can write. Asked before each transaction. */
  readonly refusal: () => StorageFailure | undefined;
  /** A transaction follows that takes at most about `bytes` of the file; none is under way. */
  readonly beforeTransaction: (bytes: number) => void;
  /** The failure of a write for which there is no disk space. */
  readonly noSpace: () => StorageFailure;
  /** A group is in the file whose first entry to expire does so at `atMs`; without end: none does. Told earlier, one could look for it in vain. */
  readonly expiring: (atMs: number) => void;
}

/**
 * Group commit: concurrent writes share one transaction and one flush to disk. The first write opens a group; writes of the same turn of the event loop
 * join it. Writes that come during a flush wait for the next group, which is handed to the disk before the results of the flushed one are delivered,
 * so that the disk works while responses are made. Comparing needs no lock: this is the only writing process, and a group begins only when the
 * previous one is in the file, so the file plus the writes of this group is the state that a write is compared with.
 */
export class GroupCommit {
  readonly #tables: Tables;
  readonly #history: History;
  readonly #clock: Clock;
  readonly #hooks: CommitHooks;
  readonly #waiting: ((group: Group) => void)[] = [];
  readonly #space: WriteSpace;
  readonly #records = new RecordBuffer();
  readonly #take = (length: number): Buffer => this.#records.take(length);
  #group: Group | undefined;
  #flushing: Promise<void> | undefined;
  #head: Revision;
  #closed = false;
  /** The final failure, after which nothing is written; undefined: writing is possible. */
  #end: StorageFailure | undefined;
  /** How many callers of `hold` have not released it yet. */
  #holds = 0;
  /** Lets the process end: while writes wait for those callers, nothing else may keep it. */
  #letGo: (() => void) | undefined;

  constructor(tables: Tables, history: History, clock: Clock, hooks: CommitHooks) {
    this.#tables = tables;
    this.#history = history;
    this.#clock = clock;
    this.#hooks = hooks;
    this.#space = new WriteSpace(hooks, () => performance.now());
    this.#head = readHead(tables);
  }

  commit(write: Write): Promise<Commit> {
    const tooLong = longKeyFailure(write.key);
    if (tooLong !== undefined) return Promise.reject(tooLong);
    return this.#join((group) => this.#write(group, write));
  }

  /** Runs `work` inside a group; resolves with its result once its puts are durable. */
  run<T>(work: () => Work<T>): Promise<T> {
    return this.#join((group) => {
      const { result, put } = work();
      if (put !== undefined) group.puts.push(put);
      return result;
    });
  }

  /** For `work` of `run`: takes the space for forgetting up to `most` records of history; for how many. Throws where there is no room for any. */
  takeToForget(most: number): number {
    const records = this.#space.takeToForget(most);
    if (records === 0) throw this.#hooks.noSpace();
    return records;
  }

  /** Whether there is room for much more than the next write. */
  get isRoomy(): boolean {
    return this.#space.isRoomy;
  }

  /** Resolves when no write is in progress. From then on nothing is written until the returned function is called. */
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

  /** Refuses further writes; resolves when none is in progress. */
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
    if (this.#closed) return Promise.reject(closedFailure());
    const outcome = deferred<T>();
    if (this.#holds > 0) this.#letGo ??= stayAlive();
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
      outcome.reject(this.#hooks.unreadable(cause));
    }
  }

  #gather(): Group {
    if (this.#group === undefined) {
      const group = (this.#group = this.#open());
      // The group ends with this turn of the event loop.
      setImmediate(() => {
        this.#group = undefined;
        this.#close(group);
      });
    }
    return this.#group;
  }

  #open(): Group {
    this.#space.beginGroup();
    this.#records.clear();
    return { keyStates: new Map(), preconditionRevisions: new Map(), changes: [], puts: [], outcomes: [], results: [], firstEndMs: Infinity };
  }

  #close(group: Group): void {
    if (group.puts.length > 0) {
      this.#flushing = this.#flush(group, this.#head);
      return;
    }
    settle(group);
    this.#goOn();
  }

  /** Commits the writes that waited for a flush or a hold to end, as one group. */
  #goOn(): void {
    if (this.#waiting.length === 0) return;
    if (this.#holds > 0) {
      this.#letGo ??= stayAlive();
      return;
    }
    this.#letGo?.();
    this.#letGo = undefined;
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
      const refusal = this.#hooks.refusal();
      if (refusal !== undefined) throw refusal;
      this.#hooks.beforeTransaction(this.#space.groupBytes);
      if (!(await transact(this.#tables, put, first))) throw this.#overtaken(first);
    } catch (cause) {
      await this.#fail(group, cause);
      this.#flushing = undefined;
      this.#goOn();
      return;
    }
    // Later reads must see this group.
    this.#tables.root.resetReadTxn();
    this.#flushing = undefined;
    this.#goOn();
    settle(group);
    this.#hooks.expiring(group.firstEndMs);
    if (group.changes.length > 0) this.#hooks.committed(group.changes, head);
  }

  /** Should never happen, as only this process writes. Still no write is lost: this group is refused, and later ones get revisions above the other's. */
  #overtaken(first: Revision | undefined): Error {
    mendHead(this.#tables);
    return new Error(`another process has written revision ${first}`);
  }

  async #fail(group: Group, cause: unknown): Promise<void> {
    this.#space.forget();
    const canRead = this.#readAgain();
    for (const change of group.changes) this.#history.drop(change.revision);
    // It may have taken effect.
    this.#hooks.expiring(group.firstEndMs);
    const { failure, isFinal } = this.#hooks.explain(await reasonOf(cause), canRead);
    if (isFinal) this.#end = failure;
    const mayBeDone = isFinal || group.changes.some(({ revision }) => revision <= this.#head);
    const told = mayBeDone ? unconfirmedFailure(failure) : failure;
    for (const outcome of group.outcomes) outcome.reject(told);
    if (isFinal) this.#hooks.ended(failure);
    else this.#hooks.failed(this.#head, failure);
  }

  /** Reads the head of the file; false where LMDB can no longer read the file, because writing its meta page failed. */
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
    const { key, expect, value, preconditions } = write;
    const before = group.keyStates.get(key) ?? this.#storedState(key);
    const found = before.entry;
    if ((found?.revision ?? 0) !== expect || (found === undefined && value === undefined)) return { done: false, found };
    if (preconditions?.some(({ key: at, revision }) => this.#revisionAt(group, at) !== revision) === true) return { done: false, found, preconditionFailed: true };
    if (!this.#space.take(value?.byteLength)) throw this.#hooks.noSpace();
    const revision = ++this.#head;
    const hasEnd = value !== undefined && write.ttlSeconds !== undefined;
    const expiresAtMs = hasEnd ? expiryMs(this.#clock.nowMs(), write.ttlSeconds) : undefined;
    const entry = value === undefined ? undefined : { key, value, revision };
    const state = { entry, expiresAtMs };
    const record = encodeRecord({ key, previous: found?.revision ?? 0, timeMs: this.#clock.nowMs(), value }, this.#take);
    group.puts.push(() => this.#put(key, revision, record, before, state));
    group.keyStates.set(key, state);
    group.changes.push(toChange(revision, key, value, found));
    if (entry !== undefined) this.#history.keep(entry);
    if (expiresAtMs !== undefined) group.firstEndMs = Math.min(group.firstEndMs, expiresAtMs);
    return { done: true, revision };
  }

  #put(key: Key, revision: Revision, record: Buffer, before: KeyState, { entry, expiresAtMs }: KeyState): void {
    const { live, log, past, expiries } = this.#tables;
    append(log, revision, record);
    if (before.entry !== undefined) void past.put([key, before.entry.revision], revision);
    if (before.expiresAtMs !== undefined) void expiries.remove([before.expiresAtMs, key]);
    if (expiresAtMs !== undefined) void expiries.put([expiresAtMs, key], revision);
    if (entry === undefined) void live.remove(key);
    else void live.put(key, expiresAtMs === undefined ? revision : [revision, expiresAtMs]);
  }

  /** The revision of a key inside the group, without reading its value. */
  #revisionAt(group: Group, key: Key): Revision | undefined {
    const state = group.keyStates.get(key);
    if (state !== undefined) return state.entry?.revision;
    const known = group.preconditionRevisions.get(key);
    if (known !== undefined) return known;
    const live = isTooLong(key) ? undefined : this.#tables.live.get(key);
    const revision = live === undefined ? undefined : revisionOf(live);
    group.preconditionRevisions.set(key, revision);
    return revision;
  }

  #storedState(key: Key): KeyState {
    const live = this.#tables.live.get(key);
    if (live === undefined) return { entry: undefined, expiresAtMs: undefined };
    return { entry: this.#history.entry(revisionOf(live)), expiresAtMs: expiryOf(live) };
  }
}

function settle({ outcomes, results }: Group): void {
  outcomes.forEach((outcome, i) => outcome.resolve(results[i]));
}
