const STAR = '*';

/** Whether a path that is not one of a resource is among those that a pattern means: that very one, or with stars at the end any that begins so. */
export function pathMatches(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  let end = pattern.length;
  while (pattern[end - 1] === STAR) end--;
  return end < pattern.length && path.startsWith(pattern.slice(0, end));
}
