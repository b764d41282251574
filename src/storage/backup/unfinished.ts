import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/**
 * The path at which to build a file or folder that is renamed to `place` when it is complete: beside it, with the id of this process in its name.
 * Removes unfinished ones of processes that have ended, or that had the same id. Throws the error of the system.
 */
export async function unfinishedPath(place: string, making: string): Promise<string> {
  const folder = dirname(place);
  const beginning = `${basename(place)}.${making}-`;
  // A folder that does not exist yet has no entries.
  for (const name of await readdir(folder).catch(() => [])) {
    if (name.startsWith(beginning) && hasEnded(name.slice(beginning.length))) await rm(join(folder, name), { recursive: true, force: true });
  }
  return join(folder, `${beginning}${process.pid}`);
}

function hasEnded(number: string): boolean {
  if (!/^[1-9]\d*$/.test(number)) return false;
  if (Number(number) === process.pid) return true;
  try {
    process.kill(Number(number), 0);
    return false;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
