/** The first of the items with each key. */
export function firstBy<T>(items: readonly T[], keyOf: (item: T) => string): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const item of items) {
    const key = keyOf(item);
    if (!found.has(key)) found.set(key, item);
  }
  return found;
}
