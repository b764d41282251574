/** The positions of texts that stood in the list before, found in one look at it: such lists are as long as clients like. */
export function repeatsIn(texts: readonly string[]): ReadonlySet<number> {
  const seen = new Set<string>();
  const repeats = new Set<number>();
  for (const [position, text] of texts.entries()) {
    if (seen.has(text)) repeats.add(position);
    seen.add(text);
  }
  return repeats;
}
