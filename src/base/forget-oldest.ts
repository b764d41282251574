/** Makes room for one more where at most `max` are kept: what was put in first goes first. */
export function forgetOldest(map: Map<unknown, unknown>, max: number): void {
  for (const key of map.keys()) {
    if (map.size < max) return;
    map.delete(key);
  }
}
