import { rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failureText, setImmediate } from '#base';
import { checkPlausible, MAX_RESTORED_REVISION } from '../damage.ts';
import type { KeptEntry, Snapshot, Maintenance, Waiting } from '../driver.ts';
import type { Revision } from '../entry.ts';
import { driverOf } from '../open.ts';
import { StorageFailure } from '../storage-failure.ts';
import { readBackup, writeBackup } from './backup-file.ts';
import { checkReplaceable, emptyPlace } from './empty-place.ts';
import { makeFoldersAbove } from './made-folders.ts';
import { renameFolderDurably } from './rename-durably.ts';
import { unfinishedPath } from './unfinished.ts';
import { valueProblem } from './value-problem.ts';

/** Called from time to time with the number of rows done so far. */
export type Progress = (done: number, total: number) => void;

/** What is asked of a store, for messages. */
export type MaintenanceVerb = 'back up' | 'restore' | 'check';

export interface CopyResult {
  readonly path: string;
  readonly revision: Revision;
  readonly count: number;
}

export interface CheckResult {
  readonly revision: Revision;
  readonly count: number;
  /** The first few problems; `problemCount` counts all of them. */
  readonly problems: readonly string[];
  readonly problemCount: number;
}

/**
 * By default the revision counter of a restored store begins so far above that of the backup. Revisions that the server gave out after the backup was
 * made are then not given out again, and a client that still has one of them is told to list anew.
 */
export const BUMP = 1_000_000_000;
const MAX_PROBLEMS = 20;
/** After so many rows the event loop gets a turn. */
const SLICE = 1_024;

/**
 * Writes all entries of a store, as of one revision, to a new file. If `target` is a folder, the file in it is named after the revision. The store's
 * server may go on writing. Throws `StorageFailure`, also when `stop` aborts: then it leaves nothing. `tell` hears what is waited for
 * where opening the store takes long.
 */
export async function backUp(url: string, target: string, nowMs: number, progress: Progress, stop?: AbortSignal, tell?: Waiting['tell']): Promise<CopyResult> {
  const isFolder = await isFolderFor(target);
  const snapshot = await snapshotOf(url, 'back up', { stop, tell });
  try {
    const { revision, count } = snapshot;
    const path = isFolder ? join(target, `store-${revision}.backup`) : target;
    // One name for all backups of a folder, so that a later process finds and removes what this one may leave unfinished.
    const partial = await unfinishedPath(isFolder ? join(target, 'store.backup') : target, 'partial');
    await writeBackup(path, partial, { revision, count, madeAtMs: nowMs }, counted(snapshot, progress, stop));
    return { path, revision, count };
  } finally {
    await snapshot.close();
  }
}

/**
 * Creates a store from a backup. Its folder must be empty or missing, and appears atomically, when it is complete: an empty one is replaced. Throws
 * `StorageFailure`, also when `stop` aborts: then it leaves what there was.
 */
export async function restore(path: string, url: string, bump: number, progress: Progress, stop?: AbortSignal): Promise<CopyResult> {
  const { maintenance, location } = maintenanceOf(url, 'restore');
  const place = await emptyPlace(location);
  const { revision: made, count, entries } = await readBackup(path);
  const revision = made + bump;
  if (revision > MAX_RESTORED_REVISION) throw new StorageFailure('unavailable', `the store would go on from revision ${revision}, and none comes that far: let revisions jump ahead less`);
  const partial = await unfinishedPath(place, 'restoring');
  let removeFolders = async (): Promise<void> => {};
  try {
    removeFolders = await makeFoldersAbove(partial, 0o777);
    await checkReplaceable(place, partial);
    await maintenance.load(partial, { revision, entries: countedLater(entries, count, progress, stop) });
    await renameFolderDurably(partial, place);
  } catch (cause) {
    await rm(partial, { recursive: true, force: true });
    await removeFolders();
    if (cause instanceof StorageFailure) throw cause;
    throw new StorageFailure('unavailable', `the store ${location} cannot be written: ${failureText(cause)}`, { cause });
  }
  return { path: location, revision, count };
}

/**
 * Reads the whole store and reports contradictions. Its server may go on writing. Throws `StorageFailure` when the store cannot be opened. `tell` as for a
 * backup.
 */
export async function checkStore(url: string, progress: Progress, tell?: Waiting['tell']): Promise<CheckResult> {
  const snapshot = await snapshotOf(url, 'check', { tell });
  try {
    const problems = new Problems();
    const { revision, count, checks } = snapshot;
    let done = 0;
    const step = async (problem: string | undefined): Promise<void> => {
      if (problem !== undefined) problems.add(problem);
      if (++done % SLICE !== 0) return;
      progress(done, checks + count);
      await new Promise((resolve) => setImmediate(resolve));
    };
    try {
      for (const problem of snapshot.check()) await step(problem);
      // Entries of an inconsistent store may not be readable.
      if (problems.count === 0) for (const entry of snapshot.entries()) await step(valueProblem(entry));
    } catch (cause) {
      problems.add(`it cannot be read to its end: ${failureText(cause)}`);
    }
    return { revision, count, ...problems.summary() };
  } finally {
    await snapshot.close();
  }
}

/** Reads a whole backup and reports entries that are not objects. Throws `StorageFailure` when the file is damaged. */
export async function checkBackup(path: string, progress: Progress): Promise<CheckResult> {
  const { revision, count, entries } = await readBackup(path);
  const problems = new Problems();
  for await (const entry of countedLater(entries, count, progress)) problems.add(valueProblem(entry));
  return { revision, count, ...problems.summary() };
}

class Problems {
  readonly #first: string[] = [];
  count = 0;

  add(problem: string | undefined): void {
    if (problem === undefined) return;
    this.count++;
    if (this.#first.length < MAX_PROBLEMS) this.#first.push(problem);
  }

  summary(): Pick<CheckResult, 'problems' | 'problemCount'> {
    return { problems: this.#first, problemCount: this.count };
  }
}

/** Throws `StorageFailure` unless the URL names a store that can be copied and checked here: one in a folder. */
export const checkMaintainable = (url: string, verb: MaintenanceVerb): void => void maintenanceOf(url, verb);

async function snapshotOf(url: string, verb: MaintenanceVerb, waiting: Waiting): Promise<Snapshot> {
  const { maintenance, location } = maintenanceOf(url, verb);
  const snapshot = await maintenance.snapshot(location, waiting);
  try {
    checkPlausible(snapshot.revision, location);
    return snapshot;
  } catch (cause) {
    await snapshot.close();
    throw cause;
  }
}

function maintenanceOf(url: string, verb: MaintenanceVerb): { readonly maintenance: Maintenance; readonly location: string } {
  const { driver, location } = driverOf(url);
  if (driver.maintenance === undefined) {
    const one = /^[aeiou]/.test(driver.scheme) ? 'an' : 'a';
    throw new StorageFailure('unavailable', `nothing to ${verb} in ${one} ${driver.scheme} store: this is for stores in a folder; a cluster of its own has its own tools`);
  }
  if (location === '') throw new StorageFailure('unavailable', `the store needs a folder: ${driver.scheme}://<folder>`);
  return { maintenance: driver.maintenance, location };
}

/** Whether a backup goes into a folder. Throws `StorageFailure` where `target` can only be one and is none, and where the one of a file is missing. */
async function isFolderFor(target: string): Promise<boolean> {
  if (await isFolder(target)) return true;
  if (/[\\/]$/.test(target)) throw new StorageFailure('unavailable', `there is no folder ${target}: make it first, or name a file without the slash at the end`);
  if (await isFolder(dirname(target))) return false;
  throw new StorageFailure('unavailable', `there is no folder ${dirname(target)}: make it first`);
}

const isFolder = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isDirectory() === true;

function* counted(snapshot: Snapshot, progress: Progress, stop?: AbortSignal): Generator<KeptEntry> {
  let done = 0;
  for (const entry of snapshot.entries()) {
    stop?.throwIfAborted();
    yield entry;
    if (++done % SLICE === 0) progress(done, snapshot.count);
  }
}

async function* countedLater(
  entries: AsyncIterable<KeptEntry>,
  count: number,
  progress: Progress,
  stop?: AbortSignal,
): AsyncGenerator<KeptEntry> {
  let done = 0;
  for await (const entry of entries) {
    stop?.throwIfAborted();
    yield entry;
    if (++done % SLICE === 0) progress(done, count);
  }
}
