/** Removes the oldest entries of a map, in order of insertion, until there is room for one more with a limit of `max`. */
export function forgetOldest(map: Map<unknown, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size < max) return;
    map.delete(key);
  }
}
