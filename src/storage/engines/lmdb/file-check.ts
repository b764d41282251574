import { accessSync, closeSync, constants, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { StorageFailure } from '../../storage-failure.ts';
import { META, META_PAGES, pageDamage } from './pages.ts';

/** LMDB flushes the beginning of a new file with its first commit, which makes the file longer than this. */
const UNCOMMITTED_BYTES = 3 * 4096;

/**
 * Checks a file in which nothing is kept before LMDB maps it, on which the binding may crash the process, too: one that a power failure left without any
 * commit is removed. Throws `StorageFailure` where it is damaged, or the error of the system. No process may be writing to the file.
 */
export function checkEmpty(path: string): void {
  const head = readHeadOf(path);
  if (head === undefined || head.size === 0) return;
  if (isUncommitted(head)) return rmSync(path);
  const damage = isLmdb(head) ? pageDamage(path, 'all') : 'its beginning cannot be read';
  if (damage === undefined) return;
  throw new StorageFailure('corrupt', `${path} is damaged (${damage}), and nothing is kept in it: end all processes that have the store open, and remove this file`);
}

/**
 * Checks the first bytes before LMDB maps the file: the binding crashes the process on a file that is not LMDB's, and on an empty one that is opened
 * for reading. For writing, a missing or empty file is a new store, and one without any commit is removed. Throws `StorageFailure`, or the error of the
 * system. No process may be writing to the file.
 */
export function checkFile(path: string, use: 'read' | 'write'): void {
  const head = readHeadOf(path);
  if (head === undefined || (head.size === 0 && use === 'write')) return;
  if (head.size === 0) throw new StorageFailure('unavailable', `the store ${path} is empty: no server has written to it yet, or what it held is lost; then restore a backup`);
  if (use === 'write' && isUncommitted(head)) return rmSync(path);
  accessSync(path, use === 'read' ? constants.R_OK : constants.R_OK | constants.W_OK);
  if (!isLmdb(head)) throw new StorageFailure('corrupt', `${path} is not a store of this program, or is damaged: restore a backup or give another folder`);
  checkPages(path, 'roots');
}

/** Throws `StorageFailure` where a page that is in use is damaged. */
export function checkPages(path: string, which: 'all' | 'roots'): void {
  const damage = pageDamage(path, which);
  if (damage !== undefined) throw new StorageFailure('corrupt', `${path} is damaged (${damage}): restore a backup or give another folder`);
}

interface Head {
  readonly bytes: Buffer;
  readonly size: number;
}

/** Whether the file never had a commit: its beginning is cut off, or was never written and reads as zeros. The binding would crash on it. */
function isUncommitted(head: Head): boolean {
  const { bytes, size } = head;
  if (size === 0 || size > UNCOMMITTED_BYTES || isLmdb(head)) return false;
  return isBegun(bytes) || bytes.every((byte) => byte === 0);
}

function isBegun(bytes: Buffer): boolean {
  return bytes.readUInt32LE(META.magicAt) === META.magic && bytes.readUInt16LE(META.versionAt) === META.version;
}

function isLmdb({ bytes, size }: Head): boolean {
  return isBegun(bytes) && size >= META_PAGES * bytes.readUInt32LE(META.freeAt);
}

function readHeadOf(path: string): Head | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const bytes = Buffer.alloc(META.freeAt + 4);
    readSync(file, bytes, 0, bytes.length, 0);
    return { bytes, size: fstatSync(file).size };
  } finally {
    closeSync(file);
  }
}
