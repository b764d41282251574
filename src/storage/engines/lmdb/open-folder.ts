import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { StorageFailure } from '../../storage-failure.ts';
import { FILE, makeStoreFolder } from './database.ts';
import { isOpenHere } from './open-here.ts';
import { OpenLock } from './open-lock.ts';

/** The folders that this process has open. */
const open = new Set<string>();

/** The folder of an open store. A process opens each folder at most once. */
export interface OpenFolder {
  readonly path: string;
  readonly lock: OpenLock;
  /** Whether other processes may open the store at the same time. */
  readonly isShared: boolean;
  leave(): Promise<void>;
}

/** Claims a folder for one store of this process, and creates it where it is missing. Throws `StorageFailure`. */
export function claimFolder(folder: string, isShared: boolean): OpenFolder {
  makeStoreFolder(folder);
  const place = realpathSync(folder);
  // The library cannot open a file to write where the same process has it open to read, and not even after that once it has tried.
  if (open.has(place) || isOpenHere(place)) throw new StorageFailure('unavailable', `the store ${join(folder, FILE)} is already open in this process`);
  const lock = OpenLock.open(place);
  open.add(place);
  return {
    path: place,
    lock,
    isShared,
    async leave() {
      open.delete(place);
      await lock.close();
    },
  };
}
