import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { StorageFailure } from '../../engine.ts';
import { FILE } from './database.ts';

/** With less than this a disk counts as full: LMDB calls a write that was cut short for want of space an input/output error. */
const NO_SPACE_BYTES = 1024 * 1024;

/** Why a group of writes failed, and what helps. */
export function writeFailure(folder: string, reason: unknown): StorageFailure {
  const text = reason instanceof Error ? reason.message : String(reason);
  const path = join(folder, FILE);
  if (/no space|quota|too large|MDB_MAP_FULL/i.test(text) || freeBytes(folder) < NO_SPACE_BYTES) {
    return new StorageFailure('full', `the store ${path} has no space left (${text}): make room on its disk; until then it is read only`, { cause: reason });
  }
  return new StorageFailure('unavailable', `the store ${path} could not write: ${text}`, { cause: reason });
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
