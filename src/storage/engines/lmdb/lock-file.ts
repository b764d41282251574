import { accessSync, closeSync, constants, openSync, readSync, statSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { freeBytes } from '../../free-bytes.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { SPARE_DISK_BYTES } from './limits.ts';
import { isOutOfSpace } from './preallocation.ts';

/**
 * Call it before LMDB opens the file at `path`. LMDB makes a lock file beside it and writes to that through a memory map: where the disk has no place for
 * a page of the map, the system ends the process. Throws `StorageFailure` (`full`) where a lock file must be made and there is no room.
 */
export function checkRoomForLocks(path: string): void {
  if (hasPlace(`${path}-lock`) || isReadOnly(dirname(path))) return;
  if (freeBytes(dirname(path)) < SPARE_DISK_BYTES) throw new StorageFailure('full', `the store ${path} cannot be opened: its disk is full, make room on it`);
}

/**
 * Call it, too, before LMDB opens the file at `path`, where its first byte never changes. File systems that write what a file has elsewhere first, as
 * btrfs, need space for each page of the map that is written again, and the system ends the process where there is none, or a quota is used up: a write
 * is refused with the reason instead. Throws that error; others are left for LMDB to meet.
 */
export function checkRoomToRewrite(path: string): void {
  try {
    const file = openSync(path, 'r+');
    try {
      const first = new Uint8Array(1);
      if (readSync(file, first, 0, 1, 0) > 0) writeSync(file, first, 0, 1, 0);
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    if (isOutOfSpace(cause)) throw cause;
  }
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
