import { join } from 'node:path';
import type { Transaction } from 'lmdb';
import type { KeptEntry, Snapshot, Waiting } from '../../driver.ts';
import { FIRST_REVISION, type Key, type Revision } from '../../entry.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { openReadOnly, type ReadOnlyStore } from './read-only.ts';
import { expiryOf, FILE, revisionOf, type Live, type Tables } from './database.ts';
import { checkPages } from './file-check.ts';
import { decodeRecord, type LogRecord } from './record.ts';

/** Opens a snapshot of a store at its newest revision, beside the process that writes to it. Throws `StorageFailure`, and the reason of `waiting.stop`. */
export async function openSnapshot(folder: string, waiting: Waiting = {}): Promise<Snapshot> {
  const beside = await openReadOnly(folder, waiting);
  // While this transaction is open, LMDB does not reuse the pages that it can see.
  const transaction = beside.tables.root.useReadTransaction();
  try {
    checkPages(join(folder === '' ? '.' : folder, FILE), 'all');
    return new LmdbSnapshot(beside, transaction);
  } catch (cause) {
    transaction.done();
    await beside.close();
    throw cause;
  }
}

class LmdbSnapshot implements Snapshot {
  readonly revision: Revision;
  readonly count: number;
  readonly checks: number;
  readonly #store: ReadOnlyStore;
  readonly #tables: Tables;
  readonly #transaction: Transaction;
  readonly #compacted: Revision;

  constructor(store: ReadOnlyStore, transaction: Transaction) {
    const { tables } = store;
    this.#store = store;
    this.#tables = tables;
    this.#transaction = transaction;
    this.revision = (tables.meta.get('head', this.#at) as Revision | undefined) ?? FIRST_REVISION;
    this.#compacted = (tables.meta.get('compacted', this.#at) as Revision | undefined) ?? FIRST_REVISION;
    this.count = tables.live.getKeysCount(this.#at);
    const { live, log, past, expiries } = tables;
    this.checks = 1 + [live, log, past, expiries].reduce((total, table) => total + table.getKeysCount(this.#at), 0);
  }

  /** The options of a read in this transaction; the binding modifies them, so each read needs a new object. */
  get #at(): { transaction: Transaction } {
    return { transaction: this.#transaction };
  }

  *entries(): Generator<KeptEntry> {
    for (const { key, value: live } of this.#tables.live.getRange(this.#at)) {
      const revision = revisionOf(live);
      const problem = this.#liveProblem(key, live);
      const value = this.#record(revision)?.value;
      if (problem !== undefined || value === undefined) throw new StorageFailure('corrupt', `${problem ?? key}: run the check, restore a backup`);
      const expiresAtMs = expiryOf(live);
      yield { key, value, revision, ...(expiresAtMs === undefined ? {} : { expiresAtMs }) };
    }
  }

  *check(): Generator<string | undefined> {
    const { live, past, expiries } = this.#tables;
    yield this.#compacted > this.revision ? `the oldest revision, ${this.#compacted}, comes after the newest, ${this.revision}` : undefined;
    for (const { key, value } of live.getRange(this.#at)) yield this.#liveProblem(key, value);
    yield* this.#checkLog();
    for (const { key, value } of past.getRange(this.#at)) yield this.#pastProblem(key, value);
    for (const { key, value } of expiries.getRange(this.#at)) yield this.#expiryProblem(key, value);
  }

  async close(): Promise<void> {
    this.#transaction.done();
    await this.#store.close();
  }

  #liveProblem(key: Key, live: Live): string | undefined {
    const revision = revisionOf(live);
    const record = this.#record(revision);
    const expiresAtMs = expiryOf(live);
    if (!(revision <= this.revision)) return `${key} has revision ${revision}, after the newest, ${this.revision}`;
    if (record?.value === undefined) return `${key}: the value of revision ${revision} is missing or cannot be read`;
    if (record.key !== key) return `${key}: revision ${revision} was written to ${record.key}`;
    if (expiresAtMs !== undefined && this.#tables.expiries.get([expiresAtMs, key], this.#at) !== revision) return `${key} never expires, though it should`;
    return undefined;
  }

  /** Every revision after the oldest one must have a record; older records are values that exist, or existed at the oldest revision. */
  *#checkLog(): Generator<string | undefined> {
    let expected = this.#compacted + 1;
    for (const { key: revision, value } of this.#tables.log.getRange(this.#at)) {
      const record = decoded(value);
      const gap = revision > expected ? `revisions ${expected} to ${revision - 1} are missing` : undefined;
      expected = Math.max(expected, revision + 1);
      yield gap ?? this.#recordProblem(revision, record);
    }
    if (expected <= this.revision) yield `revisions ${expected} to ${this.revision} are missing`;
  }

  #recordProblem(revision: Revision, record: LogRecord | undefined): string | undefined {
    if (record === undefined) return `the record of revision ${revision} cannot be read`;
    const { key, previous, value } = record;
    if (revision > this.revision) return `${key} has revision ${revision}, after the newest, ${this.revision}`;
    if (revision > this.#compacted && previous !== 0 && this.#tables.past.get([key, previous], this.#at) !== revision) {
      return `${key}: revision ${revision} replaced revision ${previous}, which does not know of it`;
    }
    if (value === undefined) return revision > this.#compacted ? undefined : `${key}: its removal at revision ${revision} should be forgotten`;
    const live = this.#tables.live.get(key, this.#at);
    if (live !== undefined && revisionOf(live) === revision) return undefined;
    return this.#tables.past.get([key, revision], this.#at) !== undefined ? undefined : `${key}: nothing refers to the value of revision ${revision}`;
  }

  #pastProblem([key, revision]: [Key, Revision], until: Revision): string | undefined {
    const record = this.#record(revision);
    if (record?.value === undefined || record.key !== key) return `${key}: the value of revision ${revision} is missing or cannot be read`;
    const next = this.#record(until);
    const isReplaced = until > this.#compacted && next?.key === key && next.previous === revision;
    return isReplaced ? undefined : `${key}: revision ${revision} was not replaced at revision ${until}`;
  }

  #expiryProblem([atMs, key]: [number, Key], revision: Revision): string | undefined {
    const live = this.#tables.live.get(key, this.#at);
    const isRight = live !== undefined && revisionOf(live) === revision && expiryOf(live) === atMs;
    return isRight ? undefined : `${key} expires at a moment that is not its own`;
  }

  #record(revision: Revision): LogRecord | undefined {
    const bytes = this.#tables.log.get(revision, this.#at);
    return bytes === undefined ? undefined : decoded(bytes);
  }
}

/** Decodes a record; undefined: the bytes are not a record. */
function decoded(bytes: Buffer): LogRecord | undefined {
  try {
    return decodeRecord(bytes);
  } catch {
    return undefined;
  }
}
