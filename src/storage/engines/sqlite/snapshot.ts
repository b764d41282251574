import type { KeptEntry, Snapshot } from '../../driver.ts';
import type { Key, Revision } from '../../entry.ts';
import { StorageFailure } from '../../storage-failure.ts';
import type { Sqlite, SqlValue } from './binding.ts';
import { counter, madeFrom, openToRead, readable } from './database.ts';
import { inWords } from './failures.ts';

/** Opens a snapshot of a store at its newest revision, beside the process that writes to it. Throws `StorageFailure`. */
export function openSnapshot(folder: string): Snapshot {
  return inWords(folder, () => madeFrom(openToRead(folder), (file) => new SqliteSnapshot(file)));
}

/**
 * Queries for rows that contradict each other, with the message for each. `:head` and `:oldest` are the counters of the store.
 */
const CONTRADICTIONS: readonly { readonly message: string; readonly rows: string }[] = [
  { message: 'its revision comes after the newest', rows: 'SELECT key, revision FROM log WHERE revision > :head' },
  { message: 'its value is missing', rows: 'SELECT l.key, l.revision FROM live l LEFT JOIN log g ON g.revision = l.revision AND g.key = l.key AND g.removed = 0 WHERE g.key IS NULL' },
  { message: 'a former value is missing', rows: 'SELECT p.key, p.revision FROM past p LEFT JOIN log g ON g.revision = p.revision AND g.key = p.key AND g.removed = 0 WHERE g.key IS NULL' },
  {
    message: 'a former value was replaced by something else than it says',
    rows: 'SELECT p.key, p.revision FROM past p LEFT JOIN log g ON g.revision = p.until AND g.key = p.key AND g.previous = p.revision WHERE g.key IS NULL OR p.until <= :oldest',
  },
  {
    message: 'it replaced a value that does not know of it',
    rows: 'SELECT g.key, g.revision FROM log g LEFT JOIN past p ON p.key = g.key AND p.revision = g.previous AND p.until = g.revision WHERE g.revision > :oldest AND g.previous <> 0 AND p.key IS NULL',
  },
  {
    message: 'nothing refers to this value',
    rows: `SELECT key, revision FROM log g WHERE removed = 0 AND NOT EXISTS (SELECT 1 FROM live l WHERE l.key = g.key AND l.revision = g.revision)
           AND NOT EXISTS (SELECT 1 FROM past p WHERE p.key = g.key AND p.revision = g.revision)`,
  },
  { message: 'its removal should be forgotten', rows: 'SELECT key, revision FROM log WHERE removed = 1 AND revision <= :oldest' },
  { message: 'it never expires, though it should', rows: 'SELECT l.key, l.revision FROM live l LEFT JOIN expiries e ON e.key = l.key AND e.at_ms = l.expires_ms AND e.revision = l.revision WHERE l.expires_ms IS NOT NULL AND e.key IS NULL' },
  { message: 'it expires at a moment that is not its own', rows: 'SELECT e.key, e.revision FROM expiries e LEFT JOIN live l ON l.key = e.key AND l.expires_ms = e.at_ms AND l.revision = e.revision WHERE l.key IS NULL' },
];

class SqliteSnapshot implements Snapshot {
  readonly revision: Revision;
  readonly count: number;
  readonly checks = 2 + CONTRADICTIONS.length;
  readonly #file: Sqlite;
  readonly #oldest: Revision;

  constructor(file: Sqlite) {
    this.#file = file;
    file.exec('BEGIN');
    this.revision = counter(file, 'head')();
    this.#oldest = counter(file, 'compacted')();
    this.count = file.prepare('SELECT count(*) AS total FROM live').get()?.['total'] as number;
  }

  *entries(): Generator<KeptEntry> {
    const rows = this.#file.prepare(`SELECT l.key, l.revision, ${readable('expires_ms')}, g.value, g.removed, g.key AS written FROM live l LEFT JOIN log g ON g.revision = l.revision ORDER BY l.key`);
    for (const row of rows.iterate()) {
      const key = row['key'] as Key;
      if (row['written'] !== key || row['removed'] !== 0) throw new StorageFailure('corrupt', `${key}: its value is missing: run the check, restore a backup`);
      const expiresAtMs = row['expires_ms'] as number | null;
      const entry = { key, value: (row['value'] as Uint8Array | null) ?? new Uint8Array(), revision: row['revision'] as Revision };
      yield { ...entry, ...(expiresAtMs === null ? {} : { expiresAtMs }) };
    }
  }

  /** Runs one query per kind of contradiction, and yields each row that it finds, or undefined when there is none. */
  *check(): Generator<string | undefined> {
    for (const row of this.#file.prepare('PRAGMA integrity_check').iterate()) {
      const said = String(row['integrity_check']);
      yield said === 'ok' ? undefined : `SQLite says: ${said}`;
    }
    yield this.#missing();
    for (const { message, rows } of CONTRADICTIONS) {
      let found = false;
      for (const { key, revision } of this.#file.prepare(rows.replaceAll(':head', String(this.revision)).replaceAll(':oldest', String(this.#oldest))).iterate()) {
        found = true;
        yield `${String(key)}, revision ${String(revision)}: ${message}`;
      }
      if (!found) yield undefined;
    }
  }

  async close(): Promise<void> {
    this.#file.close();
  }

  /** Every revision after the oldest one must have a record. */
  #missing(): string | undefined {
    const span: SqlValue[] = [this.#oldest, this.revision];
    const found = this.#file.prepare('SELECT count(*) AS total FROM log WHERE revision > ? AND revision <= ?').get(...span)?.['total'] as number;
    const missing = this.revision - this.#oldest - found;
    return missing === 0 ? undefined : `${missing} revisions between ${this.#oldest} and ${this.revision} are missing`;
  }
}
