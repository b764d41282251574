/** One block of PEM text. */
export interface PemBlock {
  readonly label: string;
  readonly hasHeaders: boolean;
  readonly bytes: Uint8Array;
}

const BLOCK = /-----BEGIN ([^\n-]*)-----\r?\n([^]*?)-----END \1-----/g;

/** The blocks of a text, those with broken content left out. */
export function pemBlocks(text: string): readonly PemBlock[] {
  const blocks: PemBlock[] = [];
  for (const [, label = '', content = ''] of text.matchAll(BLOCK)) {
    const hasHeaders = /^[^\n]*:/.test(content);
    const base64 = (hasHeaders ? content.slice(content.search(/\r?\n\r?\n/) + 1) : content).replaceAll(/\s/g, '');
    if (/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(base64)) {
      blocks.push({ label, hasHeaders, bytes: Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)) });
    }
  }
  return blocks;
}

const SEQUENCE = 0x30;
const BIT_STRING = 0x03;

/** Whether the bytes are what certificates and requests for them are made of: content, algorithm and signature, and nothing after that. */
export function isSignedStructure(bytes: Uint8Array): boolean {
  const outer = readElement(bytes, 0, bytes.length);
  if (outer?.tag !== SEQUENCE || outer.end !== bytes.length) return false;
  let at = outer.start;
  for (const tag of [SEQUENCE, SEQUENCE, BIT_STRING]) {
    const part = readElement(bytes, at, outer.end);
    if (part?.tag !== tag) return false;
    at = part.end;
  }
  return at === outer.end;
}

interface Element {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

/** One element of DER; undefined where it does not fit in before `limit`. */
function readElement(bytes: Uint8Array, at: number, limit: number): Element | undefined {
  const tag = bytes[at];
  const first = bytes[at + 1];
  if (tag === undefined || first === undefined || at + 2 > limit) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  if (lengthBytes > 4 || first === 0x80) return undefined;
  let length = lengthBytes === 0 ? first : 0;
  for (let i = 0; i < lengthBytes; i++) length = length * 256 + (bytes[at + 2 + i] ?? 0);
  const start = at + 2 + lengthBytes;
  return start + length <= limit ? { tag, start, end: start + length } : undefined;
}
