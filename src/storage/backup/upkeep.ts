import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { failureText, makeFolder, setImmediate } from '#base';
import { StorageFailure, type KeptEntry, type Revision, type Snapshot, type Upkeep } from '../engine.ts';
import { driverOf } from '../open.ts';
import { readBackup, writeBackup } from './backup-file.ts';
import { renameDurably } from './rename-durably.ts';
import { valueProblem } from './value-problem.ts';

/** Told now and then how far it is. */
export type Progress = (done: number, total: number) => void;

export interface Copied {
  readonly path: string;
  readonly revision: Revision;
  readonly count: number;
}

export interface Checked {
  readonly revision: Revision;
  readonly count: number;
  /** The first ones; how many there are is in `problemCount`. */
  readonly problems: readonly string[];
  readonly problemCount: number;
}

/**
 * The counter of a restored store goes on so far after that of the backup: revisions that the server gave out after the backup was made
 * are not given again, and who comes with one of them is told to read anew.
 */
export const BUMP = 1_000_000_000;
const MAX_PROBLEMS = 20;
/** A turn of the event loop between so many rows. */
const SLICE = 1_024;

/**
 * Writes all entries of a store, as of one revision, to a new file; in a folder the file is named after the revision. Its server may go on
 * writing. Throws `StorageFailure`.
 */
export async function backUp(url: string, target: string, nowMs: number, progress: Progress): Promise<Copied> {
  const { upkeep, location } = upkeepOf(url, 'back up');
  const snapshot = await upkeep.snapshot(location);
  try {
    const { revision, count } = snapshot;
    const isFolder = (await stat(target).catch(() => undefined))?.isDirectory() === true;
    const path = isFolder ? join(target, `store-${revision}.backup`) : target;
    await writeBackup(path, { revision, count, madeAtMs: nowMs }, counted(snapshot, progress));
    return { path, revision, count };
  } finally {
    await snapshot.close();
  }
}

/** Makes a store from a backup; its folder must be empty or missing, and is complete when it appears. Throws `StorageFailure`. */
export async function restore(path: string, url: string, bump: number, progress: Progress): Promise<Copied> {
  const { upkeep, location } = upkeepOf(url, 'restore');
  await checkEmpty(location);
  const { revision: made, count, entries } = await readBackup(path);
  const partial = `${location.replace(/\/+$/, '')}.restoring-${process.pid}`;
  const revision = made + bump;
  try {
    makeFolder(dirname(partial), 0o777);
    await upkeep.load(partial, { revision, entries: countedLater(entries, count, progress) });
    await rmdir(location).catch(() => {});
    await renameDurably(partial, location);
  } catch (cause) {
    await rm(partial, { recursive: true, force: true });
    if (cause instanceof StorageFailure) throw cause;
    throw new StorageFailure('unavailable', `the store ${location} cannot be written: ${String(cause)}`, { cause });
  }
  return { path: location, revision, count };
}

/** Reads all that a store holds and says what contradicts itself. Its server may go on writing. Throws `StorageFailure` when it cannot be read. */
export async function checkStore(url: string, progress: Progress): Promise<Checked> {
  const { upkeep, location } = upkeepOf(url, 'check');
  const snapshot = await upkeep.snapshot(location);
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
      // A store that contradicts itself need not be readable to its end.
      if (problems.count === 0) for (const entry of snapshot.entries()) await step(valueProblem(entry));
    } catch (cause) {
      problems.add(`it cannot be read to its end: ${failureText(cause)}`);
    }
    return { revision, count, ...problems.told() };
  } finally {
    await snapshot.close();
  }
}

/** Reads a whole backup. Throws `StorageFailure` when it is damaged. */
export async function checkBackup(path: string, progress: Progress): Promise<Checked> {
  const { revision, count, entries } = await readBackup(path);
  const problems = new Problems();
  for await (const entry of countedLater(entries, count, progress)) problems.add(valueProblem(entry));
  return { revision, count, ...problems.told() };
}

class Problems {
  readonly #first: string[] = [];
  count = 0;

  add(problem: string | undefined): void {
    if (problem === undefined) return;
    this.count++;
    if (this.#first.length < MAX_PROBLEMS) this.#first.push(problem);
  }

  told(): Pick<Checked, 'problems' | 'problemCount'> {
    return { problems: this.#first, problemCount: this.count };
  }
}

function upkeepOf(url: string, verb: string): { readonly upkeep: Upkeep; readonly location: string } {
  const { driver, location } = driverOf(url);
  if (driver.upkeep === undefined) {
    throw new StorageFailure('unavailable', `nothing to ${verb} in a ${driver.scheme} store: this is for stores in a folder; a cluster of its own has its own tools`);
  }
  return { upkeep: driver.upkeep, location };
}

async function checkEmpty(folder: string): Promise<void> {
  const found = await readdir(folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new StorageFailure('unavailable', `the folder ${folder} cannot be used: ${cause.message}`, { cause });
  });
  if (found.length > 0) throw new StorageFailure('unavailable', `the folder ${folder} is not empty: restore into a new one, or move this one away first`);
}

function* counted(snapshot: Snapshot, progress: Progress): Generator<KeptEntry> {
  let done = 0;
  for (const entry of snapshot.entries()) {
    yield entry;
    if (++done % SLICE === 0) progress(done, snapshot.count);
  }
}

async function* countedLater(entries: AsyncIterable<KeptEntry>, count: number, progress: Progress): AsyncGenerator<KeptEntry> {
  let done = 0;
  for await (const entry of entries) {
    yield entry;
    if (++done % SLICE === 0) progress(done, count);
  }
}
