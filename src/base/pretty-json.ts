/** The beginning of a string, or any other token as a whole. */
const TOKENS = /["{}[\],:]|[^\s"{}[\],:]+/g;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

/** The same JSON, indented by two spaces, as requested by `?pretty=1`. Numbers and the order of members stay as they are. */
export const pretty = (bytes: Uint8Array): Uint8Array => new PrettyJson().next(bytes);

/** The same for a JSON text in pieces, none of which ends within a literal, a number or a string. */
export class PrettyJson {
  #indent = '\n';
  /** Whether the last token began an object or a list, of which it is not known yet whether it is empty. */
  #isOpen = false;

  next(piece: Uint8Array): Uint8Array {
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
      return wasOpen ? token : this.#indent + token;
    }
    const before = wasOpen ? this.#indent : '';
    if (this.#isOpen) this.#indent += '  ';
    if (token === ',') return token + this.#indent;
    return before + (token === ':' ? ': ' : token);
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
