import { accessSync, closeSync, constants, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { StorageFailure } from '../../engine.ts';
import { META, META_PAGES, pageDamage } from './pages.ts';

/** LMDB flushes what it put at the beginning of a new file with its first commit, which makes it longer than this. */
const UNCOMMITTED_BYTES = 3 * 4096;

/** Removes a file that a failing power left before its first commit. Nobody may be writing. */
export function removeUncommitted(path: string): void {
  const head = readHeadOf(path);
  if (head !== undefined && isUncommitted(head)) rmSync(path);
}

/**
 * Looks at the first bytes before LMDB maps the file: the binding takes the process down over a file that is none of LMDB's. A file that is missing
 * or empty is a new store, and one that was left before its first commit is removed before it is written. Throws `StorageFailure`. Nobody may be
 * writing.
 */
export function checkFile(path: string, use: 'read' | 'write'): void {
  const head = readHeadOf(path);
  if (head === undefined || head.size === 0) return;
  if (use === 'write' && isUncommitted(head)) return rmSync(path);
  accessSync(path, use === 'read' ? constants.R_OK : constants.R_OK | constants.W_OK);
  if (!isLmdb(head)) throw new StorageFailure('corrupt', `${path} is not a store of this program, or is damaged: restore a backup or give another folder`);
  checkPages(path, 'roots');
}

/** Throws `StorageFailure` where a page that is in use is none. */
export function checkPages(path: string, which: 'all' | 'roots'): void {
  const damage = pageDamage(path, which);
  if (damage !== undefined) throw new StorageFailure('corrupt', `${path} is damaged (${damage}): restore a backup or give another folder`);
}

interface Head {
  readonly bytes: Buffer;
  readonly size: number;
}

/** Its beginning is missing, or was never written and reads as zeros. Nothing was ever in it, and the binding takes the process down over it. */
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
