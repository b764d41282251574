/** The texts of all items, with a separator between them. Unlike `join` it copies none of them: texts within texts would be copied at every level. */
export function concatenated<T>(items: readonly T[], separator: string, textOf: (item: T) => string): string {
  let all = '';
  for (let at = 0; at < items.length; at++) all += at === 0 ? textOf(items[at]!) : separator + textOf(items[at]!);
  return all;
}
