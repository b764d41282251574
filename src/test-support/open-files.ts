import { existsSync } from 'node:fs';
import { readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';

const OPEN_FILES = '/proc/self/fd';

/** Why tests cannot see which files are open; false: they can. */
export const NO_OPEN_FILES = existsSync(OPEN_FILES) ? false : 'this system does not show which files are open';

/** The paths of what this process has open in a folder. */
export async function openFilesIn(folder: string): Promise<readonly string[]> {
  const paths = await Promise.all((await readdir(OPEN_FILES)).map((name) => readlink(join(OPEN_FILES, name)).catch(() => '')));
  return paths.filter((path) => path.startsWith(folder));
}
