import type { Clock, Deferred } from '#base';
import { deferred } from '#base';
import { StorageFailure, type Change, type Commit, type Entry, type Key, type Revision, type Write } from '../../engine.ts';
import { append, expiryOf, heard, readHead, reasonOf, revisionOf, type Tables } from './database.ts';
import type { History } from './history.ts';
import { MAX_KEY_BYTES, PAGES_PER_WRITE_BYTES, RESERVED_DISK_BYTES } from './limits.ts';
import { RecordSpace } from './record-space.ts';
import { encodeRecord, toChange } from './record.ts';
import { Room } from './room.ts';

/** What stands at a key, seen from inside the group being gathered. */
interface Standing {
  readonly entry: Entry | undefined;
  readonly expiresAtMs: number | undefined;
}

interface Group {
  /** Keys this group has written so far; everything else is as the file says. */
  readonly standing: Map<Key, Standing>;
  readonly changes: Change[];
  /** Who waits for it, and what each is told when it is durable: at the same place of both lists. */
  readonly outcomes: Deferred<unknown>[];
  readonly results: unknown[];
  /** Resolves when the last of its puts is durable. */
  written: Promise<unknown> | undefined;
  /** The batch that LMDB opened for it is listened to. */
  isHeard: boolean;
}

export interface CommitHooks {
  /** These changes are durable now. */
  readonly committed: (changes: readonly Change[], head: Revision) => void;
  /** A group failed; whether it took effect is not known before the file says `head`. */
  readonly failed: (head: Revision, why: StorageFailure) => void;
  /** Why a group failed, in words for those who wrote. */
  readonly explain: (reason: unknown) => StorageFailure;
  /** What writes may take from the disk just now. */
  readonly room: () => number;
  /** A write does not fit: what its writer is told. */
  readonly refused: () => StorageFailure;
  readonly expiring: (atMs: number) => void;
}

/**
 * All writers of one moment share one transaction and one flush to disk. The first one opens a group; whoever comes in the same turn of the
 * event loop joins it; whoever comes while it is being flushed waits for the next. Comparing needs no lock: this is the only writing
 * process, and no group begins before the one before it is in the file, so "the file, then what this group wrote" is what will stand there.
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
  #lastHeard: Promise<unknown> | undefined;
  #head: Revision;
  #closed = false;
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

  /**
   * Runs `change` inside a group; resolves with its result once that is durable.
   * `change` puts into the tables and returns the promise of the last put, if any.
   */
  run<T>(change: () => { readonly result: T; readonly written: Promise<unknown> | undefined }): Promise<T> {
    return this.#join((group) => {
      const { result, written } = change();
      group.written = written ?? group.written;
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
      group.results.push(take(group));
      group.outcomes.push(outcome as Deferred<unknown>);
    } catch (cause) {
      outcome.reject(cause);
    }
    this.#hear(group);
  }

  /**
   * The binding makes a promise of its own when it ends the batch of a turn, in an immediate that the first put of the turn set; this one is
   * set after it and runs right behind it.
   */
  #hear(group: Group): void {
    if (group.isHeard || group.written === undefined) return;
    group.isHeard = true;
    setImmediate(() => void heard(this.#tables.root.committed));
  }

  #gather(): Group {
    if (this.#group === undefined) {
      this.#group = { standing: new Map(), changes: [], outcomes: [], results: [], written: undefined, isHeard: false };
      this.#room.begin();
      this.#records.clear();
      // Ends the group together with the turn; LMDB ends its batch then too.
      setImmediate(() => this.#close());
    }
    return this.#group;
  }

  #close(): void {
    const group = this.#group!;
    this.#group = undefined;
    if (group.written === undefined) {
      settle(group);
      this.#goOn();
      return;
    }
    // Once for the whole group. What is put in one turn is one block to the binding: it begins with the first put and ends in an immediate behind
    // this one. No block is cut into transactions (only `putSync` could do that, which nobody calls once there is a writer), so every snapshot
    // holds groups as a whole, each with its head.
    if (group.changes.length > 0) group.written = this.#hearPut(this.#tables.meta.put('head', this.#head));
    this.#flushing = this.#flush(group).then(() => {
      this.#flushing = undefined;
      this.#goOn();
    });
  }

  /** Those who came while nothing could be taken. */
  #goOn(): void {
    if (this.#holds > 0 || this.#waiting.length === 0) return;
    const next = this.#gather();
    for (const joined of this.#waiting.splice(0)) joined(next);
  }

  async #flush(group: Group): Promise<void> {
    try {
      await group.written;
    } catch (cause) {
      this.#tables.root.resetReadTxn();
      this.#head = readHead(this.#tables);
      for (const change of group.changes) this.#history.drop(change.revision);
      const failure = this.#hooks.explain(await reasonOf(cause));
      for (const outcome of group.outcomes) outcome.reject(failure);
      this.#hooks.failed(this.#head, failure);
      return;
    }
    // Whoever reads from now on must see it.
    this.#tables.root.resetReadTxn();
    settle(group);
    if (group.changes.length > 0) this.#hooks.committed(group.changes, this.#head);
  }

  #write(group: Group, write: Write): Commit {
    const { key, expect, value } = write;
    const before = group.standing.get(key) ?? this.#standing(key);
    const found = before.entry;
    if ((found?.revision ?? 0) !== expect || (found === undefined && value === undefined)) return { done: false, found };
    this.#takeRoom(value);
    const revision = ++this.#head;
    const hasEnd = value !== undefined && write.ttlSeconds !== undefined;
    const expiresAtMs = hasEnd ? Math.ceil(this.#clock.nowMs() + write.ttlSeconds * 1000) : undefined;
    const entry = value === undefined ? undefined : { key, value, revision };
    const standing = { entry, expiresAtMs };
    this.#put(group, key, revision, before, standing);
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

  #put(group: Group, key: Key, revision: Revision, before: Standing, { entry, expiresAtMs }: Standing): void {
    const { live, log, past, expiries } = this.#tables;
    const previous = before.entry?.revision ?? 0;
    const record = encodeRecord({ key, previous, timeMs: this.#clock.nowMs(), value: entry?.value }, this.#take);
    group.written = heard(append(log, revision, record));
    if (previous !== 0) void this.#hearPut(past.put([key, previous], revision));
    if (before.expiresAtMs !== undefined) void this.#hearPut(expiries.remove([before.expiresAtMs, key]));
    if (expiresAtMs !== undefined) void this.#hearPut(expiries.put([expiresAtMs, key], revision));
    if (entry === undefined) void this.#hearPut(live.remove(key));
    else void this.#hearPut(live.put(key, expiresAtMs === undefined ? revision : [revision, expiresAtMs]));
  }

  /** Puts of one batch are answered by one promise mostly. */
  #hearPut(written: Promise<unknown>): Promise<unknown> {
    if (written !== this.#lastHeard) this.#lastHeard = heard(written);
    return written;
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
