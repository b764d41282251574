import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { StorageFailure } from '../../engine.ts';
import { FILE } from './database.ts';
import { RESERVED_DISK_BYTES } from './limits.ts';

/** With less than this a disk counts as full: LMDB calls a write that was cut short for want of space an input/output error. */
const NO_SPACE_BYTES = 1024 * 1024;

/** Why a group of writes failed, and what helps. */
export function writeFailure(folder: string, reason: unknown): StorageFailure {
  const text = reason instanceof Error ? reason.message : String(reason);
  if (/no space|quota|too large|MDB_MAP_FULL/i.test(text) || freeBytes(folder) < NO_SPACE_BYTES) return fullFailure(folder, text, reason);
  return new StorageFailure('unavailable', `the store ${join(folder, FILE)} could not write: ${text}`, { cause: reason });
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
