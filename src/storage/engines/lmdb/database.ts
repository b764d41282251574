import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { open as openLmdb, type Database, type RootDatabase } from 'lmdb';
import { failureText, makeFolder } from '#base';
import { StorageFailure, type Key, type Revision } from '../../engine.ts';
import { checkFile } from './file-check.ts';
import { FIRST_REVISION } from './limits.ts';

export const FILE = 'orch.mdb';
/**
 * Addresses set aside for the file, not memory. The binding grows the map when the file outgrows it, but never lets go of the smaller
 * ones: each page that was read through several of them counts as often.
 */
const MAP_BYTES = 64 * 1024 ** 3;
/** What belongs together says `transact`, not the turn of the event loop. The types of the binding know the first of these only. */
const BATCHING = { eventTurnBatching: false, txnStartThreshold: 1 };
/** Raised when older programs can no longer read what is written. */
export const FORMAT = 1;

/** Whoever reads a file of the store reads all secrets in it. The types of the binding do not know this. */
export const OWNER_ONLY = { permissionsMode: 0o600 };

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

/** The tables of a store that is there, to be read only. Throws `StorageFailure`. */
export function openTablesToRead(folder: string): Tables {
  return open(join(folder, FILE), { readOnly: true });
}

/** Opens the file in `folder`, or makes it. Throws `StorageFailure`. */
export function openTables(folder: string): Tables {
  makeStoreFolder(folder);
  return open(join(folder, FILE), {});
}

/** Throws `StorageFailure`. */
export function makeStoreFolder(folder: string): void {
  if (folder === '') throw new StorageFailure('unavailable', 'the store needs a folder: lmdb://<folder>');
  try {
    makeFolder(folder);
  } catch (cause) {
    throw openFailure(cause, join(folder, FILE));
  }
}

function open(path: string, { readOnly = false }: { readonly readOnly?: boolean }): Tables {
  let root: RootDatabase<Buffer, string> | undefined;
  try {
    checkFile(path, readOnly ? 'read' : 'write');
    root = openRoot(path, readOnly);
    const meta = root.openDB<unknown, string>({ name: 'meta', encoding: 'json' });
    checkFormat(meta, path, readOnly);
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

function openRoot(path: string, readOnly: boolean): RootDatabase<Buffer, string> {
  return openLmdb<Buffer, string>({ path, maxDbs: 8, overlappingSync: false, ...BATCHING, ...OWNER_ONLY, encoding: 'binary', readOnly, ...(hasAddresses() ? { mapSize: MAP_BYTES } : {}) });
}

/** Under `ulimit -v` the map begins small and grows: the binding takes the process down when there are too few addresses. */
function hasAddresses(): boolean {
  try {
    return /^Max address space +unlimited/m.test(readFileSync('/proc/self/limits', 'utf8'));
  } catch {
    return process.platform !== 'linux';
  }
}

function checkFormat(meta: Database<unknown, string>, path: string, readOnly: boolean): void {
  const format = meta.get('format');
  if (format === undefined && !readOnly) {
    meta.putSync('format', FORMAT);
  } else if (typeof format !== 'number' || format > FORMAT) {
    const told = `the store ${path} has format ${JSON.stringify(format)}, this program reads formats up to ${FORMAT}`;
    throw new StorageFailure('unavailable', `${told}: start the newer program that wrote it, or give another folder`);
  }
}

/** Why a file could not be opened, and what helps. */
export function openFailure(cause: unknown, path: string): StorageFailure {
  if (cause instanceof StorageFailure) return cause;
  const text = failureText(cause);
  if (/MDB_INVALID|MDB_CORRUPTED|MDB_VERSION_MISMATCH|MDB_PAGE_NOTFOUND|MDB_BAD_TXN|MDB_INCOMPATIBLE/.test(text)) {
    const told = `${path} is not a store of this program or is damaged (${text}): restore a backup or give another folder`;
    return new StorageFailure('corrupt', told, { cause });
  }
  return new StorageFailure('unavailable', `the store ${path} cannot be opened (${text}): check that the folder is writable`, { cause });
}

/** The newest revision in the snapshot being read. */
export const readHead = ({ meta }: Pick<Tables, 'meta'>): Revision => (meta.get('head') as Revision | undefined) ?? FIRST_REVISION;

/**
 * Brings the head to the end of the log. Nothing leaves a log that goes beyond it (see `GroupCommit`), but where one does the revisions there must
 * not be given out again. The head may well lie beyond the log: a delete is forgotten with its record. For the one process that writes, before it
 * does.
 *
 * Inside a transaction that writes, though mostly nothing is to be written: a process that was killed after its last page was in the file, but before
 * it said so in the memory that all processes share, leaves a commit that nobody sees until somebody takes the lock to write. Whoever looked where
 * to go on before that would give out the revisions of that commit again.
 */
export function mendHead({ root, log, meta }: Tables): void {
  root.transactionSync(() => {
    for (const newest of log.getKeys({ reverse: true, limit: 1 })) {
      if (newest > readHead({ meta })) meta.putSync('head', newest);
    }
  });
  root.resetReadTxn();
}

/** The oldest revision that can still be read, in the snapshot being read. */
export const readCompacted = ({ meta }: Tables): Revision => (meta.get('compacted') as Revision | undefined) ?? FIRST_REVISION;

/**
 * Puts all that `work` puts, or nothing of it; resolves when it is durable. Every snapshot holds it as a whole. Resolves with false, and nothing is
 * put, when the log has a record of revision `first` already: that one was given out by somebody else.
 *
 * LMDB begins at once, in a thread of its own: the binding would wait for the end of the turn with the first instruction behind those that are on their
 * way, and begins with the second (`txnStartThreshold`), which is therefore given to it: a block without any put.
 */
export function transact({ root, log }: Tables, work: () => void, first?: Revision): Promise<boolean> {
  const written = first === undefined ? root.batch(work) : log.ifNoExists(first, work);
  hear(root.batch(() => {}));
  return written;
}

/**
 * Writes the record of a new revision. Revisions only grow: a page is filled to its end before the next one begins, where it would be split
 * in halves otherwise. The types of the binding know these options for `putSync` only.
 */
export function append(log: Tables['log'], revision: Revision, record: Buffer): void {
  // Unlike other puts of a block it has a promise of its own.
  hear(Reflect.apply(log.put, log, [revision, record, { append: true }]) as Promise<unknown>);
}

/** What is put together fails together, and one promise that fails with nobody listening ends the process; so does that of its reason. */
function hear(written: Promise<unknown>): void {
  written.catch(reasonOf);
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
