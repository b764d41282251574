import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { failureText } from '#base';
import { StorageFailure } from './storage-failure.ts';

/** The path of the file of an existing store. Throws a `StorageFailure` that says what stands in the way where it cannot be found. */
export function presentFile(folder: string, file: string): string {
  const named = folder === '' ? '.' : folder;
  const path = join(named, file);
  try {
    statSync(path);
    return path;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = (code === undefined ? undefined : OBSTACLES[code])?.(named, file) ?? `the store ${path} cannot be found (${failureText(cause)})`;
    throw new StorageFailure('unavailable', why, { cause });
  }
}

const missing = (folder: string, file: string): string => `there is no store in the folder ${folder}: no file ${file}`;
const hidden = (folder: string, file: string): string => `the store ${join(folder, file)} may not be looked for by this user: ${hiding(folder)}run this as the owner`;

/** What it means that the system does not show the file. */
const OBSTACLES: Readonly<Record<string, (folder: string, file: string) => string>> = {
  ENOENT: missing,
  ENOTDIR: (folder) => `there is no store in ${folder}: it is no folder, or stands in none`,
  EACCES: hidden,
  EPERM: hidden,
};

/** The innermost folder that can be seen, which is the one that may not be entered. */
function hiding(folder: string): string {
  try {
    return `the folder ${folder} belongs to the user with id ${statSync(folder).uid}; `;
  } catch {
    const parent = dirname(folder);
    return parent === folder ? '' : hiding(parent);
  }
}
