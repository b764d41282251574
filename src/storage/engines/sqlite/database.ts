import { closeSync, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '#base';
import { checkPlausible } from '../../damage.ts';
import { FIRST_REVISION, type Revision } from '../../entry.ts';
import { LATEST_EXPIRY_MS } from '../../expiry.ts';
import { presentFile } from '../../present-file.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { openFile, type Sqlite } from './binding.ts';
import { inWords } from './failures.ts';
import { FILE, LOG_FILE, sizeOf } from './files.ts';
import { LOCK_WAIT_MS, WRITE_AHEAD_BYTES } from './limits.ts';

/** The format of the tables. Raised when older programs could not read the new one. */
const FORMAT = 1;

/**
 * A value is written once, into `log`, under its revision; an empty one may be NULL there. `live` has the current revision of each key. A row of
 * `past` says that `key` had the value of `revision` until the revision `until`; current values have no row in it.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS log (revision INTEGER PRIMARY KEY, key TEXT NOT NULL, previous INTEGER NOT NULL, time_ms INTEGER NOT NULL, removed INTEGER NOT NULL, value BLOB) STRICT;
  CREATE TABLE IF NOT EXISTS live (key TEXT PRIMARY KEY, revision INTEGER NOT NULL, expires_ms INTEGER) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS past (key TEXT NOT NULL, revision INTEGER NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (key, revision)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS expiries (at_ms INTEGER NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, PRIMARY KEY (at_ms, key)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT OR IGNORE INTO meta VALUES ('head', ${FIRST_REVISION}), ('compacted', ${FIRST_REVISION}), ('format', ${FORMAT});
`;

/** Creates the folder of a store where it is missing. Only the owner may enter it: the files hold all Secrets. Throws `StorageFailure`. */
export function makeStoreFolder(folder: string): void {
  if (folder === '') throw new StorageFailure('unavailable', 'the store needs a folder: sqlite://<folder>');
  inWords(folder, () => makeFolder(folder));
}

/** Creates file and tables in a folder where they are missing. No other process may be writing to the store. Throws `StorageFailure`. */
export function makeStore(folder: string): void {
  inWords(folder, () => {
    const file = openToWrite(folder);
    try {
      file.exec('BEGIN IMMEDIATE');
      file.exec(TABLES);
      file.exec('COMMIT');
      checkPlausible(counter(file, 'head')(), join(folder, FILE));
    } finally {
      file.close();
    }
  });
}

/** Opens the file for writing. Every COMMIT is on disk when it returns. Throws `StorageFailure`, and SQLite's errors. */
export function openToWrite(folder: string): Sqlite {
  const path = join(folder, FILE);
  checkNotLost(path, join(folder, LOG_FILE));
  makePrivate(path);
  return opened(path, {}, (file) => {
    // The settings below change the file, which may be the database of another program.
    if (hasTables(file)) checkFormat(file, folder);
    // Compaction returns freed pages to the file system in steps. SQLite accepts this setting only before a new file has tables.
    file.exec('PRAGMA auto_vacuum = INCREMENTAL');
    file.exec('PRAGMA journal_mode = WAL');
    file.exec(`PRAGMA journal_size_limit = ${WRITE_AHEAD_BYTES}`);
    file.exec('PRAGMA synchronous = FULL');
    file.exec('PRAGMA temp_store = MEMORY');
  });
}

/** A new store has no log before its file has a page. SQLite would take an empty file for a new one, and remove the log. */
function checkNotLost(path: string, log: string): void {
  if (sizeOf(path) > 0 || sizeOf(log) === 0) return;
  const problem = `${path} is ${existsSync(path) ? 'empty' : 'missing'}, but its newest writes are in ${log}: the store was lost`;
  throw new StorageFailure('corrupt', `${problem}. Put the file back, or restore a backup into another folder; to begin anew here, remove ${log}`);
}

/**
 * Makes an empty file, which SQLite takes for a new database, that only its owner may read, where it is missing: it holds all Secrets, or a lock that
 * others could take, and the folder may be one that they can enter. SQLite gives the same mode to the files beside it.
 */
export function makePrivate(path: string): void {
  if (existsSync(path)) return;
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (cause) {
    // Another process may have made it meanwhile.
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') throw cause;
  }
}

/** Opens the file of an existing store read-only. Throws `StorageFailure`. */
export function openToRead(folder: string): Sqlite {
  const path = presentFile(folder, FILE);
  return inWords(folder, () => opened(path, { readOnly: true }, (file) => checkFormat(file, folder)));
}

/** The file, opened and prepared for use; closed again when that fails. Programs that read it, or find it as a crash left it, lock it for a moment. */
function opened(path: string, options: { readonly readOnly?: boolean }, prepare: (file: Sqlite) => void): Sqlite {
  return madeFrom(openFile(path, options), (file) => {
    file.exec(`PRAGMA busy_timeout = ${LOCK_WAIT_MS}`);
    prepare(file);
    return file;
  });
}

/** What is made of an open file; where that fails, the file is closed. */
export function madeFrom<T>(file: Sqlite, make: (file: Sqlite) => T): T {
  try {
    return make(file);
  } catch (cause) {
    file.close();
    throw cause;
  }
}

const hasTables = (file: Sqlite): boolean => file.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;

function checkFormat(file: Sqlite, folder: string): void {
  const format = file.prepare(`SELECT value FROM meta WHERE name = 'format'`).get()?.['value'];
  if (typeof format === 'number' && format <= FORMAT) return;
  const message = `the store ${join(folder, FILE)} has format ${String(format)}, this program reads formats up to ${FORMAT}`;
  throw new StorageFailure('unavailable', `${message}: start the newer program that wrote it, or give another folder`);
}

/**
 * A column with times of expiry, to be selected. Earlier programs stored later times than `LATEST_EXPIRY_MS`, and `node:sqlite` throws when it meets a
 * number that JavaScript cannot hold exactly.
 */
export const readable = (column: 'expires_ms' | 'at_ms'): string => `min(${column}, ${LATEST_EXPIRY_MS}) AS ${column}`;

/** Returns a function that reads a counter of the store; of one that JavaScript cannot hold exactly, the largest number that it can. */
export function counter(file: Sqlite, name: 'head' | 'compacted'): () => Revision {
  const statement = file.prepare(`SELECT min(value, ${Number.MAX_SAFE_INTEGER}) AS value FROM meta WHERE name = ?`);
  return () => statement.get(name)?.['value'] as number;
}
