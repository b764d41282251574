import { rmdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { makeFolder } from '#base';

/** Makes the folders above a place that are missing. The function it resolves to removes them again, but for those in which something lies. */
export async function makeFoldersAbove(place: string, mode: number): Promise<() => Promise<void>> {
  const missing: string[] = [];
  for (let folder = dirname(place); (await stat(folder).catch(() => undefined)) === undefined; folder = dirname(folder)) missing.push(folder);
  makeFolder(dirname(place), mode);
  return async () => {
    for (const folder of missing) await rmdir(folder).catch(() => {});
  };
}
