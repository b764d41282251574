import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Gives a file or folder another name, which it has after a power cut, too. Throws what the system says. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  const folder = await open(dirname(to));
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
