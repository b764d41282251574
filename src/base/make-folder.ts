const { mkdirSync, statSync } = process.getBuiltinModule('node:fs');
const { dirname } = process.getBuiltinModule('node:path');

/**
 * Creates a folder and its parents where they are missing. Throws the error of the system. Node's recursive `mkdir` never ends where a folder neither
 * exists nor can be created, as in /proc.
 */
export function makeFolder(folder: string, mode = 0o700): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder && !isFolder(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (cause) {
    // Another process may have created it meanwhile.
    if (!isFolder(folder)) throw cause;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
