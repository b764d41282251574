import { join } from 'node:path';
import { failureText } from '#base';
import { freeBytes } from '../../free-bytes.ts';
import { helpWithOwner } from '../../file-owner.ts';
import { StorageFailure, type StorageFailureCode } from '../../storage-failure.ts';
import { FILE, FILES } from './files.ts';
import { RESERVED_DISK_BYTES } from './limits.ts';

const IS_DAMAGE = /not a database|malformed|no such table|no such column/;
/** With less free space than this a disk counts as full. */
const NO_SPACE_BYTES = 64 * 1024;
const IS_REFUSAL = /unable to open|readonly|EACCES|EPERM|EROFS/;
const IS_FULL = /disk is full|ENOSPC|EDQUOT/;
const IS_IO_ERROR = /I\/O error|EIO/;
/** SQLite calls only ENOSPC a full disk, and does not tell the system's other reasons. */
const IO_HELP = 'see whether a quota of its user or a limit on the size of files is reached, and look for what the system says about its disk';

/** Why a store cannot be opened, by what the system or SQLite says, and what to do about it. */
const OBSTACLES: readonly { readonly said: RegExp; readonly code: StorageFailureCode; readonly help: string }[] = [
  { said: IS_FULL, code: 'full', help: 'the disk is full, free some space' },
  { said: /locked|busy/, code: 'unavailable', help: 'another process uses the file, stop it or wait until it has finished' },
  { said: /EEXIST|ENOTDIR/, code: 'unavailable', help: 'a file is where the folder should be, give another folder' },
  { said: IS_REFUSAL, code: 'unavailable', help: 'check that the folder is writable' },
  { said: IS_IO_ERROR, code: 'unavailable', help: IO_HELP },
];

/** Runs `open` and returns its result. Throws its errors as `openFailure` puts them. */
export function inWords<T>(folder: string, open: () => T): T {
  try {
    return open();
  } catch (cause) {
    throw openFailure(folder, cause);
  }
}

/** The failure to open a store, in words that say what to do. */
export function openFailure(folder: string, cause: unknown): StorageFailure {
  const known = damage(folder, cause);
  if (known !== undefined) return known;
  const text = failureText(cause);
  const isForWantOfSpace = /I\/O error/.test(text) && isFull(folder);
  const { code, help } = OBSTACLES.find(({ said, code: one }) => (isForWantOfSpace ? one === 'full' : said.test(text))) ?? { code: 'unavailable', help: undefined };
  const told = (IS_REFUSAL.test(text) ? helpWithOwner([...FILES.map((file) => join(folder, file)), folder]) : undefined) ?? help;
  return new StorageFailure(code, `the store ${join(folder, FILE)} cannot be opened (${text})${told === undefined ? '' : `: ${told}`}`, { cause });
}

/** The failure to read an open store, in words that say what to do. */
export const readFailure = (folder: string, cause: unknown): StorageFailure =>
  damage(folder, cause) ?? new StorageFailure('unavailable', `the store ${join(folder, FILE)} could not be read: ${failureText(cause)}`, { cause });

/** The failure of the writing thread, in words that say what to do. `why`: what SQLite said there. `isUnconfirmed`: it said so of a flush. */
export function writeFailure(folder: string, why: string, isUnconfirmed: boolean): StorageFailure {
  if (!isUnconfirmed) {
    const known = damage(folder, new Error(why));
    if (known !== undefined) return known;
    if (IS_FULL.test(why) || isFull(folder)) return fullFailure(folder, why);
  }
  const problem = `the store ${join(folder, FILE)} could not write`;
  return new StorageFailure('unavailable', IS_IO_ERROR.test(why) ? `${problem} (${why}): ${IO_HELP}` : `${problem}: ${why}`, { isUnconfirmed });
}

/** The failure of a write for which the disk has no room. */
export const noSpaceFailure = (folder: string): StorageFailure => fullFailure(folder, `it would leave less than ${RESERVED_DISK_BYTES / 1024 / 1024} MiB free`);

const fullFailure = (folder: string, why: string): StorageFailure =>
  new StorageFailure('full', `the store ${join(folder, FILE)} has no space left (${why}): make room on its disk or delete objects; until then nothing else is written`);

/** SQLite reports some of what it cannot do for want of space as an input/output error. */
const isFull = (folder: string): boolean => freeBytes(folder) < NO_SPACE_BYTES;

/** A `StorageFailure` as it is, and an error of SQLite that means a damaged file; undefined: another error. */
function damage(folder: string, cause: unknown): StorageFailure | undefined {
  if (cause instanceof StorageFailure) return cause;
  const text = failureText(cause);
  if (!IS_DAMAGE.test(text)) return undefined;
  const problem = `${join(folder, FILE)} is not a store of this program or is damaged (${text}): restore a backup or give another folder`;
  return new StorageFailure('corrupt', problem, { cause });
}
