const { mkdirSync, statSync } = process.getBuiltinModule('node:fs');
const { dirname } = process.getBuiltinModule('node:path');

/**
 * Makes a folder, and those that it lies in, where they are missing. Throws the system's error. Node's own way to do so never ends where nothing is
 * there and nothing can be made either, as in /proc.
 */
export function makeFolder(folder: string, mode = 0o700): void {
  if (isFolder(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder && !isFolder(parent)) makeFolder(parent, mode);
  try {
    mkdirSync(folder, { mode });
  } catch (cause) {
    // Another process may have been faster.
    if (!isFolder(folder)) throw cause;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
