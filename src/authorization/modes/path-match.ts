const STAR = '*';

/** Whether a pattern matches a non-resource path: exactly, or as a prefix where the pattern ends with stars. */
export function pathMatches(pattern: string, path: string): boolean {
  if (pattern === path) return true;
  let end = pattern.length;
  while (pattern[end - 1] === STAR) end--;
  return end < pattern.length && path.startsWith(pattern.slice(0, end));
}
