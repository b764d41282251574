import { chmod, lstat, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ENVTEST_PROGRAMS, MADE_BY } from './programs.ts';

/**
 * Writes the programs into a folder, over those that an earlier call wrote there. Resolves to the first path where something else lies, and has
 * written none then; undefined: all are written. Throws the error of the system.
 */
export async function placePrograms(folder: string): Promise<string | undefined> {
  const programs = Object.entries(ENVTEST_PROGRAMS).map(([name, text]) => ({ path: join(folder, name), text }));
  for (const { path } of programs) if (await isForeign(path)) return path;
  for (const { path, text } of programs) await placeProgram(path, text);
  return undefined;
}

/** A link is foreign wherever it leads: the program behind it belongs to others. */
async function isForeign(path: string): Promise<boolean> {
  const found = await lstat(path).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code === 'ENOENT') return undefined;
    throw cause;
  });
  return found !== undefined && !(found.isFile() && (await beginningOf(path, MADE_BY.length)) === MADE_BY);
}

/** The first bytes of a file: a real etcd has many megabytes. */
async function beginningOf(path: string, length: number): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The program appears complete: an envtest that starts at this moment finds the old one or the new one. */
async function placeProgram(path: string, text: string): Promise<void> {
  const partial = `${path}.partial-${process.pid}`;
  try {
    await rm(partial, { force: true });
    await writeFile(partial, text, { flag: 'wx' });
    await chmod(partial, 0o755);
    await rename(partial, path);
  } catch (cause) {
    await rm(partial, { force: true });
    throw cause;
  }
}
