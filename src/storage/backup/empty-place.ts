import { lstat, readdir, realpath, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { failureText } from '#base';
import { StorageFailure } from '../storage-failure.ts';

/** The folder for a new store, where links lead. It is empty or missing. Throws a `StorageFailure` that says what stands in the way. */
export async function emptyPlace(folder: string): Promise<string> {
  const place = await realpath(folder).catch(() => undefined);
  if (place === undefined && (await lstat(folder).catch(() => undefined))?.isSymbolicLink() === true) {
    throw new StorageFailure('unavailable', `${folder} is a link that leads to no folder: make that folder first, or remove the link`);
  }
  const found = await readdir(place ?? folder).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return [];
    throw new StorageFailure('unavailable', `the folder ${folder} cannot be used: ${cause.message}`, { cause });
  });
  if (found.length > 0) throw new StorageFailure('unavailable', `the folder ${folder} is not empty: restore into a new one, or move this one away first`);
  return place ?? missingPlace(folder);
}

/** A folder that is missing, without steps back out of folders that are missing as well: the system does not take these. */
async function missingPlace(folder: string): Promise<string> {
  const above = await realpath(dirname(folder)).catch(() => dirname(folder));
  return join(above, basename(folder));
}

/**
 * Checks that another folder can take the place of an empty one, before much is written for it: moves that one to `aside` and back, so that it stays what
 * it is. A missing one is no obstacle. Throws a `StorageFailure` that says what to do.
 */
export async function checkReplaceable(place: string, aside: string): Promise<void> {
  try {
    await rename(place, aside);
  } catch (cause) {
    const { code = '' } = cause as NodeJS.ErrnoException;
    // A folder of a lower layer (overlayfs) cannot be moved, and can be replaced.
    if (code === 'ENOENT' || code === 'EXDEV') return;
    const why = code === 'EBUSY' ? 'a file system is mounted there, restore into a folder in it' : failureText(cause);
    throw new StorageFailure('unavailable', `the folder ${place} cannot be replaced: ${why}`, { cause });
  }
  await rename(aside, place);
}
