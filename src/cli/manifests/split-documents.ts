/** One document of a YAML text. */
export interface DocumentText {
  readonly text: string;
  /** Line of the whole text on which the document begins, from 0. */
  readonly line: number;
}

/** Splits a YAML text at its document markers, `---` and `...` at the start of a line. Documents without content are left out. */
export function splitDocuments(text: string): readonly DocumentText[] {
  const documents: DocumentText[] = [];
  let from = 0;
  let line = 0;
  const take = (to: number): void => {
    const part = text.slice(from, to);
    if (hasContent(part)) documents.push({ text: part, line });
    line += part.split('\n').length - 1;
    from = to;
  };
  for (const marker of text.matchAll(/^(?:---|\.\.\.)(?=\s|$)/gm)) {
    take(marker.index);
    from = marker.index + marker[0].length;
  }
  take(text.length);
  return documents;
}

/** Whether a text has more than blank lines, comments and directives. */
const hasContent = (text: string): boolean => text.split('\n').some((line) => !/^\s*(?:[#%].*)?$/.test(line));
