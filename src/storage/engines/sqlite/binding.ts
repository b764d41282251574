import { StorageFailure } from '../../storage-failure.ts';

/** A parameter or a column of a statement. */
export type SqlValue = null | number | string | Uint8Array;

/** As much of `StatementSync` as the engine uses. */
export interface Statement {
  get(...values: SqlValue[]): Record<string, SqlValue> | undefined;
  iterate(...values: SqlValue[]): IterableIterator<Record<string, SqlValue>>;
  run(...values: SqlValue[]): { readonly changes: number | bigint };
}

/** As much of `DatabaseSync` as the engine uses. */
export interface Sqlite {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

type SqliteModule = { readonly DatabaseSync: new (path: string, options?: { readonly readOnly?: boolean }) => Sqlite };

const MODULE = process.getBuiltinModule('node:sqlite') as SqliteModule | undefined;

/** Opens a database file. Throws `StorageFailure` on a Node without SQLite, and SQLite's errors. */
export function openFile(path: string, options: { readonly readOnly?: boolean } = {}): Sqlite {
  if (MODULE === undefined) {
    const message = `a sqlite:// store needs Node 22.13 or newer, and this is ${process.versions.node}`;
    throw new StorageFailure('unavailable', `${message}: use lmdb://<folder>, which works on every Node`);
  }
  return new MODULE.DatabaseSync(path, options);
}
