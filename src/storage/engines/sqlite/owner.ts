import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { failureText } from '#base';
import { StorageFailure } from '../../storage-failure.ts';
import { openFile, type Sqlite } from './binding.ts';
import { makePrivate } from './database.ts';
import { openFailure } from './failures.ts';
import { FILE, OWNER_FILE } from './files.ts';

/** The folders that this process has open. */
const open = new Set<string>();

/**
 * Makes this process the only one that may open the store as a server, and returns a function that gives that up. SQLite holds a lock of the system on
 * a file beside the store; the lock ends with the process, however that ends, and is seen by every container on the machine.
 * Throws `StorageFailure` when another process has the store open.
 */
export function takeOwnership(folder: string): () => void {
  const place = realpathSync(folder);
  const path = join(folder, FILE);
  if (open.has(place)) throw new StorageFailure('unavailable', `the store ${path} is already open in this process`);
  let lock: Sqlite | undefined;
  try {
    makePrivate(join(folder, OWNER_FILE));
    lock = openFile(join(folder, OWNER_FILE));
    lock.exec('PRAGMA journal_mode = DELETE');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock?.close();
    if (!/locked|busy/.test(failureText(cause))) throw openFailure(folder, cause);
    throw new StorageFailure('unavailable', `the store ${path} is in use by another process: stop it first, or give another folder`, { cause });
  }
  open.add(place);
  return () => {
    open.delete(place);
    lock.close();
  };
}
