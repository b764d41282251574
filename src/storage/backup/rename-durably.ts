import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Renames a file or folder and syncs the folder, so that the new name survives a power cut. Throws the error of the system. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  await keepEntries(dirname(to));
}

/** The same for a folder in which files were made, these included. */
export async function renameFolderDurably(from: string, to: string): Promise<void> {
  await keepEntries(from);
  await renameDurably(from, to);
}

/** Syncs the entries of a folder: which files are in it, not what these contain. */
async function keepEntries(path: string): Promise<void> {
  const folder = await open(path);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
