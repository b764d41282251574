import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { failureText } from '#base';
import { StorageFailure } from '../../engine.ts';
import { openFile, type Sqlite } from './binding.ts';
import { FILE } from './database.ts';

/** The file that the one process which may write has locked. */
export const OWNER_FILE = `${FILE}.owner`;

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
    lock = openFile(join(folder, OWNER_FILE));
    lock.exec('PRAGMA journal_mode = DELETE');
    lock.exec('BEGIN EXCLUSIVE');
  } catch (cause) {
    lock?.close();
    const text = failureText(cause);
    const why = /locked|busy/.test(text) ? 'is in use by another process: stop it first, or give another folder' : `cannot be opened (${text}): check that the folder is writable`;
    throw new StorageFailure('unavailable', `the store ${path} ${why}`, { cause });
  }
  open.add(place);
  return () => {
    open.delete(place);
    lock.close();
  };
}
