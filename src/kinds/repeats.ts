/** The positions of texts that occur earlier in the list. Linear time, since clients decide how long such lists are. */
export function repeatsIn(texts: readonly string[]): ReadonlySet<number> {
  const seen = new Set<string>();
  const repeats = new Set<number>();
  for (const [position, text] of texts.entries()) {
    if (seen.has(text)) repeats.add(position);
    seen.add(text);
  }
  return repeats;
}
