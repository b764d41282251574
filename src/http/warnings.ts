/** When all texts together have more characters than this, each is shortened to `MAX_ITEM`. */
const MAX_TOTAL = 4_096;
const MAX_ITEM = 256;

/** The `Warning` texts of one response, without duplicates, in the order they were added, bounded in size. */
export class Warnings {
  readonly #texts = new Set<string>();

  /** Adds a text; an empty one is ignored. */
  add(text: string): void {
    if (text !== '') this.#texts.add(text);
  }

  /** One header value per text, in the bytes-as-characters form that Node writes to the wire. */
  headerValues(): readonly string[] {
    return fit([...this.#texts]).map(formatWarning);
  }
}

function fit(texts: readonly string[]): readonly string[] {
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  if (total <= MAX_TOTAL) return texts;
  const kept: string[] = [];
  let left = MAX_TOTAL;
  for (const text of texts) {
    const short = [...text.slice(0, MAX_ITEM * 2)].slice(0, MAX_ITEM).join('');
    left -= short.length;
    if (left < 0) break;
    kept.push(short);
  }
  return kept;
}

/**
 * `299 - "text"`: quotes and backslashes escaped, control characters turned into spaces, other characters as UTF-8 bytes.
 * @spec 6
 */
export function formatWarning(text: string): string {
  // oxlint-disable-next-line no-control-regex -- a header value must not carry them
  const clean = text.replace(/[\u0000-\u001f\u007f]/g, ' ').replace(/["\\]/g, '\\$&');
  return `299 - "${Buffer.from(clean, 'utf8').toString('latin1')}"`;
}
