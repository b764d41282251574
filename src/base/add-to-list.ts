/** Adds a value to the list at a key, or makes it the first one there. */
export function addToList<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const there = lists.get(key);
  if (there === undefined) lists.set(key, [value]);
  else there.push(value);
}
