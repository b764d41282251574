/** How often this process has the file of each folder open to read it beside the process that writes. */
const counts = new Map<string, number>();

/** The file in that folder was opened. Returns what to call when it is closed. */
export function openedHere(folder: string): () => void {
  counts.set(folder, (counts.get(folder) ?? 0) + 1);
  return () => {
    const left = (counts.get(folder) ?? 0) - 1;
    if (left > 0) counts.set(folder, left);
    else counts.delete(folder);
  };
}

export const isOpenHere = (folder: string): boolean => counts.has(folder);
