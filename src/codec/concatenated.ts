/** The texts of all items, with a separator between them. Unlike `join` it copies none of them: texts within texts would be copied at every level. */
export function concatenated<T>(items: readonly T[], separator: string, textOf: (item: T) => string): string {
  let all = '';
  for (const [at, item] of items.entries()) all += at === 0 ? textOf(item) : separator + textOf(item);
  return all;
}
