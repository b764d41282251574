import { open, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { TransportFailure } from '#transport';

/** Where `orch serve` writes a kubeconfig unless it is told otherwise. */
export const OWN_KUBECONFIG = './orch-data/kubeconfig';

/** Whether `orch serve` has written a kubeconfig here. Throws `TransportFailure` that names its owner where it may not be read. */
export async function hasOwnKubeconfig(path = OWN_KUBECONFIG): Promise<boolean> {
  try {
    await (await open(path)).close();
    return true;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== 'EACCES' && code !== 'EPERM') return false;
    const why = `${path} may not be read by this user${await belonging(path)}`;
    throw new TransportFailure('configuration', `${why}: run it as the owner, or give a kubeconfig with --kubeconfig`, { cause });
  }
}

/** To whom a file belongs, or the folder that hides it. */
async function belonging(path: string): Promise<string> {
  for (const place of [path, dirname(path)]) {
    const found = await stat(place).catch(() => undefined);
    if (found !== undefined) return `; ${place} belongs to the user with id ${found.uid}`;
  }
  return '';
}
