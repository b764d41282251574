/** The known word that is most similar to `word`; undefined: none is similar enough. */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  let best: { readonly name: string; readonly far: number } | undefined;
  for (const name of known) {
    const far = distance(word, name);
    if (best === undefined || far < best.far || (far === best.far && isNextBelow(name, best.name, word))) best = { name, far };
  }
  const isNear = best !== undefined && best.far <= Math.max(2, Math.floor(Math.max(word.length, best.name.length) / 2));
  return isNear ? best?.name : undefined;
}

/** What a message about a word that nobody knows ends with: the similar word, as `show` writes it, or nothing. */
export function didYouMean(word: string, known: Iterable<string>, show = (name: string): string => name): string {
  const near = nearest(word, known);
  return near === undefined ? '' : `; did you mean ${show(near)}?`;
}

/** Of words that are equally similar the one that comes right before: for `v14` it is `v13`, and not `v10`. */
const isNextBelow = (name: string, best: string, word: string): boolean => name < word && (best > word || name > best);

/** The Levenshtein distance: letters to insert, delete or substitute. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}
