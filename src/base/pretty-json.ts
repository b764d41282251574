const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g;

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
    let out = '';
    for (const [token] of decoder.decode(piece).matchAll(TOKENS)) out += this.#print(token);
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
