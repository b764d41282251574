import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { failureText } from '#base';
import { StorageFailure } from '../../engine.ts';
import { FILE } from './database.ts';
import { RESERVED_DISK_BYTES } from './limits.ts';

/** With less than this a disk counts as full: LMDB calls a write that was cut short for want of space an input/output error. */
const NO_SPACE_BYTES = 1024 * 1024;

/** The library writes its message about such a call beyond the room it has for it: nobody knows what it has hit. */
const IS_HARMFUL = /Attempting to write page|read-only file system/i;

export interface WriteFailure {
  readonly failure: StorageFailure;
  /** There must be no other attempt, to write or to read. */
  readonly isFinal: boolean;
}

/** Why a group of writes failed, and what helps. `canRead`: whether the store can be read after it. */
export function writeFailure(folder: string, reason: unknown, canRead: boolean): WriteFailure {
  const text = failureText(reason);
  if (/no space|quota|too large|MDB_MAP_FULL/i.test(text) || freeBytes(folder) < NO_SPACE_BYTES) return { failure: fullFailure(folder, text, reason), isFinal: false };
  const file = join(folder, FILE);
  const isFinal = !canRead || IS_HARMFUL.test(text);
  const told = isFinal
    ? `the disk of the store ${file} failed (${text.split(':')[0]}): nothing is written to it or read from it any more. See to the disk, then start this server anew`
    : `the store ${file} could not write: ${text}`;
  return { failure: new StorageFailure('unavailable', told, { cause: reason }), isFinal };
}

/** What a write is answered that would not fit. */
export const noRoom = (folder: string): StorageFailure => fullFailure(folder, `less than ${RESERVED_DISK_BYTES / 1024 / 1024} MiB are free`);

/** Bytes that writes may take from the disk; negative when it is fuller than it may be. */
export const roomFor = (folder: string): number => freeBytes(folder) - RESERVED_DISK_BYTES;

const fullFailure = (folder: string, why: string, cause?: unknown): StorageFailure =>
  new StorageFailure('full', `the store ${join(folder, FILE)} has no space left (${why}): make room on its disk; until then it is read only`, { cause });

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
