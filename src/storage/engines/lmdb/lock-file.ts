import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StorageFailure } from '../../engine.ts';
import { freeBytes } from '../../free-bytes.ts';
import { SPARE_DISK_BYTES } from './limits.ts';

/**
 * Call it before LMDB opens the file at `path`. LMDB makes a lock file beside it and writes to that through a memory map: where the disk has no place for
 * a page of the map, the system ends the process. Throws `StorageFailure` (`full`) where a lock file must be made and there is no room.
 */
export function checkRoomForLocks(path: string): void {
  if (hasPlace(`${path}-lock`) || isReadOnly(dirname(path))) return;
  if (freeBytes(dirname(path)) < SPARE_DISK_BYTES) throw new StorageFailure('full', `the store ${path} cannot be opened: its disk is full, make room on it`);
}

function hasPlace(path: string): boolean {
  const { blocks = 0 } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return blocks > 0;
}

/** On a read-only file system no process can write, so no lock is needed. */
export function isReadOnly(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return false;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EROFS';
  }
}
