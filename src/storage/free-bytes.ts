import { statfsSync } from 'node:fs';

/** The number of free bytes on the disk of a folder; without end where the system does not say. */
export function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return Infinity;
  }
}
