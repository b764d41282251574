import { join } from 'node:path';
import { failureText } from '#base';
import { freeBytes } from '../../free-bytes.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { FILE } from './database.ts';
import { RESERVED_DISK_BYTES } from './limits.ts';

/** With less free space than this a disk counts as full: LMDB reports a write cut short for want of space as an input/output error. */
const NO_SPACE_BYTES = 1024 * 1024;

/** After these errors memory may be corrupt: the library formats their message into a buffer that is too small. */
const IS_HARMFUL = /Attempting to write page|read-only file system/i;

/** The failure of a group, and whether the store can be used after it. */
export interface WriteFailure {
  readonly failure: StorageFailure;
  /** The store must not be written or read any more. */
  readonly isFinal: boolean;
}

/** The failure of a group of writes, in words that say what to do. `canRead`: whether the store can still be read. */
export function writeFailure(folder: string, reason: unknown, canRead: boolean): WriteFailure {
  if (reason instanceof StorageFailure) return { failure: reason, isFinal: false };
  const text = failureText(reason);
  const isFinal = !canRead || IS_HARMFUL.test(text);
  if (/no space|quota|too large|MDB_MAP_FULL/i.test(text) || (!isFinal && freeBytes(folder) < NO_SPACE_BYTES)) {
    return { failure: fullFailure(folder, text, undefined, reason), isFinal: false };
  }
  const file = join(folder, FILE);
  const message = isFinal
    ? `the disk of the store ${file} failed (${text.split(':')[0]}): nothing is written to it or read from it any more. See to the disk, then start this server anew`
    : `the store ${file} could not write: ${text}`;
  return { failure: new StorageFailure('unavailable', message, { cause: reason }), isFinal };
}

/** The failure of a write for which the disk has no room. `canReuse`: what is deleted makes room in the file. */
export function noSpaceFailure(folder: string, canReuse: boolean): StorageFailure {
  const whatToDo = canReuse ? 'make room on its disk, or delete objects and wait until history has forgotten them' : undefined;
  return fullFailure(folder, `less than ${RESERVED_DISK_BYTES / 1024 / 1024} MiB are free`, whatToDo);
}

/** The number of bytes that writes may use on the disk of a folder; negative when less than the reserve is free. */
export const usableBytes = (folder: string): number => freeBytes(folder) - RESERVED_DISK_BYTES;

const fullFailure = (folder: string, why: string, whatToDo = 'make room on its disk', cause?: unknown): StorageFailure =>
  new StorageFailure('full', `the store ${join(folder, FILE)} has no space left (${why}): ${whatToDo}; until then it is read only`, { cause });
