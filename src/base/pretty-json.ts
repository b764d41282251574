/** The beginning of a string, or any other token as a whole. */
const TOKENS = /["{}[\],:]|[^\s"{}[\],:]+/g;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/**
 * The most spaces before lines: a number for every document, and more for each of its bytes. Real objects have a few for each byte. Without a limit a
 * deep list of two megabytes would be a gigabyte.
 */
const FREE_SPACES = 4 * 1024 * 1024;
const SPACES_PER_BYTE = 8;

/** The same JSON, indented by two spaces, as requested by `?pretty=1`. Numbers and the order of members stay as they are. */
export const pretty = (bytes: Uint8Array): Uint8Array => new PrettyJson().next(bytes);

/** The same for a JSON text in pieces, none of which ends within a literal, a number or a string. */
export class PrettyJson {
  #indent = '\n';
  /** Whether the last token began an object or a list, of which it is not known yet whether it is empty. */
  #isOpen = false;
  #spacesLeft = FREE_SPACES;

  next(piece: Uint8Array): Uint8Array {
    this.#spacesLeft += piece.length * SPACES_PER_BYTE;
    const text = decoder.decode(piece);
    let out = '';
    TOKENS.lastIndex = 0;
    for (let found = TOKENS.exec(text); found !== null; found = TOKENS.exec(text)) {
      const [token] = found;
      if (token === '"') {
        TOKENS.lastIndex = endOfString(text, found.index);
        out += this.#print(text.slice(found.index, TOKENS.lastIndex));
      } else out += this.#print(token);
    }
    return encoder.encode(out);
  }

  #print(token: string): string {
    const wasOpen = this.#isOpen;
    this.#isOpen = token === '{' || token === '[';
    if (token === '}' || token === ']') {
      this.#indent = this.#indent.slice(0, -2);
      return wasOpen ? token : this.#lineBreak() + token;
    }
    const before = wasOpen ? this.#lineBreak() : '';
    if (this.#isOpen) this.#indent += '  ';
    if (token === ',') return token + this.#lineBreak();
    return before + (token === ':' ? ': ' : token);
  }

  /** Where there are too many spaces already, what follows stands on the same line. */
  #lineBreak(): string {
    if (this.#indent.length > this.#spacesLeft) return '';
    this.#spacesLeft -= this.#indent.length;
    return this.#indent;
  }
}

/** Where a string ends that begins at `start`. A regular expression would take stack for each of its characters, and a string may have millions. */
function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
  return quote < 0 ? text.length : quote + 1;
}

function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first--;
  return (at - first) % 2 === 1;
}
