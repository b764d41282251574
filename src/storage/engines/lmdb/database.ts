import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { open as openLmdb, type Database, type RootDatabase } from 'lmdb';
import { StorageFailure, type Key, type Revision } from '../../engine.ts';
import { checkFile } from './file-check.ts';
import { FIRST_REVISION } from './limits.ts';

export const FILE = 'orch.mdb';
/** Raised when older programs can no longer read what is written. */
export const FORMAT = 1;

/** The revision that stands at a key, and when it expires if it does. */
export type Live = Revision | readonly [revision: Revision, expiresAtMs: number];

/**
 * The tables. A value is written once, into the log, under its revision; everything else points there.
 * A row of `past` says that the value of `revision` stood at `key` until the revision in the row; there is none for what stands there now.
 */
export interface Tables {
  readonly root: RootDatabase<Buffer, string>;
  readonly live: Database<Live, Key>;
  readonly log: Database<Buffer, Revision>;
  readonly past: Database<Revision, [key: Key, revision: Revision]>;
  readonly expiries: Database<Revision, [atMs: number, key: Key]>;
  readonly meta: Database<unknown, string>;
}

/** Opens the file in `folder`, or makes both. Throws `StorageFailure`. */
export function openTables(folder: string): Tables {
  if (folder === '') throw new StorageFailure('unavailable', 'the store needs a folder: lmdb://<folder>');
  const path = join(folder, FILE);
  let root: RootDatabase<Buffer, string> | undefined;
  try {
    mkdirSync(folder, { recursive: true });
    checkFile(path);
    root = openLmdb<Buffer, string>({ path, maxDbs: 8, overlappingSync: false, encoding: 'binary' });
    const meta = root.openDB<unknown, string>({ name: 'meta', encoding: 'json' });
    checkFormat(meta, path);
    return {
      root,
      meta,
      live: root.openDB({ name: 'live', encoding: 'ordered-binary' }),
      log: root.openDB({ name: 'log', encoding: 'binary' }),
      past: root.openDB({ name: 'past', encoding: 'ordered-binary' }),
      expiries: root.openDB({ name: 'expiries', encoding: 'ordered-binary' }),
    };
  } catch (cause) {
    void root?.close();
    throw openFailure(cause, path);
  }
}

function checkFormat(meta: Database<unknown, string>, path: string): void {
  const format = meta.get('format');
  if (format === undefined) {
    meta.putSync('format', FORMAT);
  } else if (typeof format !== 'number' || format > FORMAT) {
    const told = `the store ${path} has format ${JSON.stringify(format)}, this program reads formats up to ${FORMAT}`;
    throw new StorageFailure('unavailable', `${told}: start the newer program that wrote it, or give another folder`);
  }
}

function openFailure(cause: unknown, path: string): StorageFailure {
  if (cause instanceof StorageFailure) return cause;
  const text = cause instanceof Error ? cause.message : String(cause);
  if (/MDB_INVALID|MDB_CORRUPTED|MDB_VERSION_MISMATCH|MDB_PAGE_NOTFOUND/.test(text)) {
    const told = `${path} is not a store of this program or is damaged (${text}): restore a backup or give another folder`;
    return new StorageFailure('corrupt', told, { cause });
  }
  return new StorageFailure('unavailable', `the store ${path} cannot be opened (${text}): check that the folder is writable`, { cause });
}

/** The newest revision in the snapshot being read. */
export const readHead = ({ meta }: Tables): Revision => (meta.get('head') as Revision | undefined) ?? FIRST_REVISION;

/** The oldest revision that can still be read, in the snapshot being read. */
export const readCompacted = ({ meta }: Tables): Revision => (meta.get('compacted') as Revision | undefined) ?? FIRST_REVISION;

/** Every put of a group is answered by a promise, and one that fails with nobody listening ends the process. */
export function heard(written: Promise<unknown>): Promise<unknown> {
  // `committed` of the binding has no other method than `then`.
  void written.then(undefined, () => {});
  return written;
}

/** Why a put failed, in the words of the system: the binding hides them in a promise of their own. */
export async function reasonOf(cause: unknown): Promise<unknown> {
  const reason: unknown = cause instanceof Error && 'commitError' in cause ? cause.commitError : undefined;
  if (!(reason instanceof Promise)) return cause;
  return reason.then(
    () => cause,
    (why: unknown) => why,
  );
}

export const revisionOf = (live: Live): Revision => (typeof live === 'number' ? live : live[0]);
export const expiryOf = (live: Live): number | undefined => (typeof live === 'number' ? undefined : live[1]);
