import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { failureText, makeFolder } from '#base';
import { StorageFailure, type Revision } from '../../engine.ts';
import { openFile, type Sqlite } from './binding.ts';
import { FIRST_REVISION } from './limits.ts';

export const FILE = 'orch.sqlite';
/** Raised when older programs can no longer read what is written. */
const FORMAT = 1;

/**
 * A value is written once, into `log`, under its revision; an empty one may be NULL there. A row of `past` says that the value of
 * `revision` stood at `key` until the revision `until`; there is none for what stands there now.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS log (revision INTEGER PRIMARY KEY, key TEXT NOT NULL, previous INTEGER NOT NULL, time_ms INTEGER NOT NULL, removed INTEGER NOT NULL, value BLOB) STRICT;
  CREATE TABLE IF NOT EXISTS live (key TEXT PRIMARY KEY, revision INTEGER NOT NULL, expires_ms INTEGER) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS past (key TEXT NOT NULL, revision INTEGER NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (key, revision)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS expiries (at_ms INTEGER NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, PRIMARY KEY (at_ms, key)) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  INSERT OR IGNORE INTO meta VALUES ('head', ${FIRST_REVISION}), ('compacted', ${FIRST_REVISION}), ('format', ${FORMAT});
`;

/** Makes folder and tables where they are missing. Throws `StorageFailure`. */
export function makeStore(folder: string): void {
  if (folder === '') throw new StorageFailure('unavailable', 'the store needs a folder: sqlite://<folder>');
  inWords(folder, () => {
    // Whoever reads a file of the store reads all secrets in it.
    makeFolder(folder);
    const file = openToWrite(folder);
    try {
      file.exec('BEGIN IMMEDIATE');
      file.exec(TABLES);
      checkFormat(file, folder);
      file.exec('COMMIT');
    } finally {
      file.close();
    }
  });
}

/** Every commit is on disk when it returns. Throws what SQLite says. */
export function openToWrite(folder: string): Sqlite {
  const file = openFile(join(folder, FILE));
  // Pages that are freed are given back to the disk in steps, when history is forgotten. A new file takes this before it has tables.
  file.exec('PRAGMA auto_vacuum = INCREMENTAL');
  file.exec('PRAGMA journal_mode = WAL');
  file.exec('PRAGMA synchronous = FULL');
  file.exec('PRAGMA busy_timeout = 10000');
  file.exec('PRAGMA temp_store = MEMORY');
  return file;
}

/** Throws `StorageFailure`. */
export function openToRead(folder: string): Sqlite {
  const path = join(folder, FILE);
  if (!existsSync(path)) throw new StorageFailure('unavailable', `there is no store in the folder ${folder === '' ? '.' : folder}: no file ${FILE}`);
  return inWords(folder, () => {
    const file = openFile(path, { readOnly: true });
    file.exec('PRAGMA busy_timeout = 10000');
    checkFormat(file, folder);
    return file;
  });
}

function checkFormat(file: Sqlite, folder: string): void {
  const format = file.prepare(`SELECT value FROM meta WHERE name = 'format'`).get()?.['value'];
  if (typeof format === 'number' && format <= FORMAT) return;
  const told = `the store ${join(folder, FILE)} has format ${String(format)}, this program reads formats up to ${FORMAT}`;
  throw new StorageFailure('unavailable', `${told}: start the newer program that wrote it, or give another folder`);
}

/** Failures of opening, in words that say what to do. */
export function inWords<T>(folder: string, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    if (cause instanceof StorageFailure) throw cause;
    const path = join(folder, FILE);
    const text = failureText(cause);
    if (/not a database|malformed|no such table|no such column/.test(text)) {
      throw new StorageFailure('corrupt', `${path} is not a store of this program or is damaged (${text}): restore a backup or give another folder`, { cause });
    }
    throw new StorageFailure('unavailable', `the store ${path} cannot be opened (${text}): check that the folder is writable`, { cause });
  }
}

/** Reads a counter of the store. */
export function counter(file: Sqlite, name: 'head' | 'compacted'): () => Revision {
  const statement = file.prepare('SELECT value FROM meta WHERE name = ?');
  return () => statement.get(name)?.['value'] as number;
}
