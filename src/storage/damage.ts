import type { Entry, Key, Revision } from './entry.ts';
import { StorageFailure } from './storage-failure.ts';

/** The failure of reading a value that the store should have: that of an entry, or of a change that is kept. */
export const missingValueFailure = (revision: Revision): StorageFailure =>
  new StorageFailure('corrupt', `the value of revision ${revision} is missing: restore a backup`);

/** The entry, if it was written to `key`. In a damaged store an entry may belong to another key: throws `StorageFailure` (`corrupt`) then. */
export function writtenTo(key: Key, entry: Entry): Entry {
  if (entry.key === key) return entry;
  throw new StorageFailure('corrupt', `revision ${entry.revision} stands at ${key} and was written to ${entry.key}: run the check, restore a backup`);
}

/** No store comes so far by writing: it takes a million writes a second for half a century. */
export const MAX_RESTORED_REVISION: Revision = 2 ** 51;
/** Nor so far by writing after it was restored. As much again is left below the last safe integer. */
const MAX_REVISION: Revision = 2 ** 52;

/** Throws `StorageFailure` (`corrupt`) where the store at `path` is at a revision that none reaches: soon nothing could be written to it. */
export function checkPlausible(revision: Revision, path: string): void {
  if (revision <= MAX_REVISION) return;
  throw new StorageFailure('corrupt', `${path} is damaged: it is at revision ${revision}, and no store comes that far: restore a backup or give another folder`);
}
