/** When all texts together have more characters (code points) than this, each is shortened to `MAX_ITEM`. */
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

/** From the text on that goes beyond the bound, each is shortened, also those before it, and none follows once as much is sent. */
function fit(texts: readonly string[]): readonly string[] {
  let kept: string[] = [];
  let sent = 0;
  let isFull = false;
  for (const text of texts) {
    if (isFull && sent >= MAX_TOTAL) break;
    if (!isFull && sent + lengthOf(text) > MAX_TOTAL) {
      isFull = true;
      kept = kept.map(shortened);
      sent = kept.reduce((sum, one) => sum + lengthOf(one), 0);
    }
    const shown = isFull ? shortened(text) : text;
    kept.push(shown);
    sent += lengthOf(shown);
  }
  return kept;
}

/** In code points. Of a text that is too long anyway, its units. */
const lengthOf = (text: string): number => (text.length > MAX_TOTAL * 2 ? text.length : [...text].length);
const shortened = (text: string): string => [...text.slice(0, MAX_ITEM * 2)].slice(0, MAX_ITEM).join('');

/**
 * `299 - "text"`: quotes and backslashes escaped, control characters turned into spaces, other characters as UTF-8 bytes.
 * @spec 6
 */
export function formatWarning(text: string): string {
  // oxlint-disable-next-line no-control-regex -- a header value must not carry them
  const clean = text.replace(/[\u0000-\u001f\u007f]/g, ' ').replace(/["\\]/g, '\\$&');
  return `299 - "${Buffer.from(clean, 'utf8').toString('latin1')}"`;
}
