import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { open as openLmdb, type Database, type RootDatabase } from 'lmdb';
import { failureText, makeFolder } from '#base';
import { FIRST_REVISION, type Key, type Revision } from '../../entry.ts';
import { helpWithOwner } from '../../file-owner.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { checkFile } from './file-check.ts';
import { checkRoomForLocks } from './lock-file.ts';

export const FILE = 'orch.mdb';
/** What LMDB has beside it: the locks and the list of readers that all processes share. */
export const LOCK_FILE = `${FILE}-lock`;
/**
 * Address space reserved for the file, not memory. The binding makes a larger map when the file outgrows this one, but never unmaps the smaller ones:
 * a page that was read through several maps counts several times in the memory of the process.
 */
const MAP_BYTES = 64 * 1024 ** 3;
/** Who writes decides what belongs to one transaction, not the turn of the event loop. The binding's types lack the second option. */
export const BATCHING = { eventTurnBatching: false, txnStartThreshold: 1 };
/** The format of the tables. Raised when older programs could not read the new one. */
export const FORMAT = 1;

/** Only the owner may read the files: they hold all Secrets. The binding's types lack this option. */
export const OWNER_ONLY = { permissionsMode: 0o600 };

/** The current revision of a key, with the time at which it expires, if it has one. */
export type Live = Revision | readonly [revision: Revision, expiresAtMs: number];

/**
 * The tables. A value is written once, into `log`, under its revision; all other tables refer to it by revision. `live` has the current revision of
 * each key. A row of `past` says that `key` had the value of `revision` until the revision in the row; current values have no row in it.
 */
export interface Tables {
  readonly root: RootDatabase<Buffer, string>;
  readonly live: Database<Live, Key>;
  readonly log: Database<Buffer, Revision>;
  readonly past: Database<Revision, [key: Key, revision: Revision]>;
  readonly expiries: Database<Revision, [atMs: number, key: Key]>;
  readonly meta: Database<unknown, string>;
}

/** Opens the tables of an existing store read-only. Throws `StorageFailure`. */
export function openTablesToRead(folder: string): Tables {
  return open(join(folder, FILE), { readOnly: true });
}

/** Opens the tables of the store in `folder`, or creates them. Throws `StorageFailure`. */
export function openTables(folder: string): Tables {
  makeStoreFolder(folder);
  return open(join(folder, FILE), {});
}

/** Creates the folder of a store where it is missing. Throws `StorageFailure`. */
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
    checkRoomForLocks(path);
    const opened = (root = openRoot(path, readOnly));
    // In one transaction: a new store waits for the disk once.
    return readOnly ? openEach(opened, path, readOnly) : opened.transactionSync(() => openEach(opened, path, readOnly));
  } catch (cause) {
    void root?.close();
    throw openFailure(cause, path);
  }
}

function openEach(root: Tables['root'], path: string, readOnly: boolean): Tables {
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
}

function openRoot(path: string, readOnly: boolean): RootDatabase<Buffer, string> {
  return openLmdb<Buffer, string>({ path, maxDbs: 8, overlappingSync: false, ...BATCHING, ...OWNER_ONLY, encoding: 'binary', readOnly, ...(hasAddresses() ? { mapSize: MAP_BYTES } : {}) });
}

/** Whether the address space is unlimited. Under `ulimit -v` the map must begin small and grow: the binding crashes the process when mapping fails. */
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
    const message = `the store ${path} has format ${JSON.stringify(format)}, this program reads formats up to ${FORMAT}`;
    throw new StorageFailure('unavailable', `${message}: start the newer program that wrote it, or give another folder`);
  }
}

/** The failure to open a file, in words that say what to do. */
export function openFailure(cause: unknown, path: string): StorageFailure {
  const known = damage(cause, path);
  if (known !== undefined) return known;
  const text = failureText(cause);
  if (/no space|quota|ENOSPC|EDQUOT/i.test(text)) {
    return new StorageFailure('full', `the store ${path} cannot be opened (${text}): its disk is full, make room on it`, { cause });
  }
  const help = (isRefused(text) ? helpWithOwner([path, `${path}-lock`, dirname(path)]) : undefined) ?? 'check that the folder is writable';
  return new StorageFailure('unavailable', `the store ${path} cannot be opened (${text}): ${help}`, { cause });
}

const isRefused = (text: string): boolean => /permission denied|EACCES|EPERM/i.test(text);

/** The failure to read an open file, in words that say what to do. */
export const readFailure = (cause: unknown, path: string): StorageFailure =>
  damage(cause, path) ?? new StorageFailure('unavailable', `the store ${path} could not be read: ${failureText(cause)}`, { cause });

/** A `StorageFailure` as it is, and an error of LMDB that means a damaged file; undefined: another error. */
function damage(cause: unknown, path: string): StorageFailure | undefined {
  if (cause instanceof StorageFailure) return cause;
  const text = failureText(cause);
  if (!/MDB_INVALID|MDB_CORRUPTED|MDB_VERSION_MISMATCH|MDB_PAGE_NOTFOUND|MDB_BAD_TXN|MDB_INCOMPATIBLE/.test(text)) return undefined;
  const message = `${path} is not a store of this program or is damaged (${text}): restore a backup or give another folder`;
  return new StorageFailure('corrupt', message, { cause });
}

/** The newest revision in the snapshot being read. */
export const readHead = ({ meta }: Pick<Tables, 'meta'>): Revision => (meta.get('head') as Revision | undefined) ?? FIRST_REVISION;

/**
 * Raises `head` to the newest revision in the log. `GroupCommit` writes both in one transaction, but if a log ever goes beyond its head, those
 * revisions must not be given out again. The head may be above the log: compaction removes the record of a delete. The writing process calls this
 * before its first write.
 *
 * It uses a write transaction although there is mostly nothing to write: a process killed after its last page reached the file, but before it
 * published that in the shared memory of LMDB, leaves a commit that becomes visible only when another process takes the write lock. Reading the head
 * before that would lead to giving out the revisions of that commit again.
 */
export function mendHead({ root, log, meta }: Tables): void {
  root.transactionSync(() => {
    for (const newest of log.getKeys({ reverse: true, limit: 1 })) {
      if (newest > readHead({ meta })) meta.putSync('head', newest);
    }
  });
}

/** The oldest transaction of LMDB that a process reads at present; without end: none is read. */
export function oldestRead({ root }: Pick<Tables, 'root'>): number {
  // A line has the process, its thread and the transaction; `-` instead of that: nothing is read.
  const read = root.readerList().matchAll(/^ *\d+ +[\da-f]+ +(\d+)$/gm);
  return Math.min(...[...read].map(([, transaction]) => Number(transaction)));
}

/** The ids of the living processes that read the file at present, or could at once. */
export function readers({ root }: Pick<Tables, 'root'>): readonly number[] {
  // Those that have died are in the list until somebody looks.
  root.readerCheck();
  return [...root.readerList().matchAll(/^ *(\d+) +[\da-f]+ +(?:\d+|-)$/gm)].map(([, pid]) => Number(pid));
}

/** The oldest revision that can still be read, in the snapshot being read. */
export const readCompacted = ({ meta }: Tables): Revision => (meta.get('compacted') as Revision | undefined) ?? FIRST_REVISION;

/**
 * Runs the puts of `work` as one atomic transaction; resolves with true when it is durable. Resolves with false, and puts nothing, when the log
 * already has a record of revision `first`: another process has given that revision out.
 */
export function transact({ root, log }: Tables, work: () => void, first?: Revision): Promise<boolean> {
  const written = first === undefined ? root.batch(work) : log.ifNoExists(first, work);
  startWriting(root);
  return written;
}

/**
 * Makes LMDB start at once with what is queued, in a thread of its own. With only one instruction queued, the binding would wait for the end of the turn
 * of the event loop; it starts at the second one (`txnStartThreshold`), so it gets a second one: a batch without any put.
 */
export const startWriting = (root: Pick<RootDatabase, 'batch'>): void => handleRejection(root.batch(() => {}));

/**
 * Writes the log record of a new revision. As revisions only grow, the put appends: pages are filled completely, while they would be split in halves
 * otherwise. The binding's types know these options for `putSync` only.
 */
export function append(log: Tables['log'], revision: Revision, record: Buffer): void {
  // Unlike the other puts of a batch, it returns a promise of its own.
  handleRejection(Reflect.apply(log.put, log, [revision, record, { append: true }]) as Promise<unknown>);
}

/** Marks a rejection, and that of its reason, as handled: unhandled, it would end the process. The promise of the transaction reports the same failure. */
function handleRejection(written: Promise<unknown>): void {
  written.catch(reasonOf);
}

/** The error of the system behind a failed put. The binding hides it in a promise of its own (`commitError`). Never rejects. */
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
