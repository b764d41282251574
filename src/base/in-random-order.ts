/** The same items, in an order that is another one each time. */
export function inRandomOrder<T>(items: readonly T[]): readonly T[] {
  const left = [...items];
  return items.map(() => left.splice(Math.floor(Math.random() * left.length), 1)[0] as T);
}
