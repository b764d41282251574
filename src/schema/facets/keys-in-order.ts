/** The keys in the order maps are written, so that equal maps have equal bytes. */
export function keysInOrder(map: Readonly<Record<string, unknown>>): readonly string[] {
  const keys = Object.keys(map);
  for (let at = 1; at < keys.length; at++) {
    if ((keys[at - 1] as string) > (keys[at] as string)) return keys.sort();
  }
  return keys;
}
