import { statSync } from 'node:fs';

/**
 * What to do where the system does not let this process have files of a store, as far as that is because the first of them belongs to another user;
 * undefined: none does, or it is not known. Root may have all files.
 */
export function helpWithOwner(paths: readonly string[]): string | undefined {
  const user = process.geteuid?.();
  if (user === undefined || user === 0) return undefined;
  for (const path of paths) {
    const owner = ownerOf(path);
    if (owner !== undefined && owner !== user) return `${path} belongs to the user with id ${owner}, and this is the one with id ${user}: run it as that one, or give the files of the store to this one`;
  }
  return undefined;
}

function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}
