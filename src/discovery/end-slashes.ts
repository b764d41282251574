const GROUPS = '/apis';

/** Strips trailing slashes from a document's path: any number, but at most one behind the list of groups, and none behind `/`. */
export function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (end > 1 && path.endsWith('/', end)) end--;
  const plain = path.slice(0, end);
  if (plain === '/' || (plain === GROUPS && path.length - end > 1)) return path;
  return plain;
}
