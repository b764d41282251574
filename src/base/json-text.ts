import { MAX_JSON_DEPTH, parseJsonText } from './json-parser.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What the scan looks at; 0: everything else. */
const DIGIT = 1;
const OPEN = 2;
const ESCAPE = 3;
const EXPONENT = 4;
const CLASSES = new Uint8Array(256);
for (let digit = 0x30; digit <= 0x39; digit++) CLASSES[digit] = DIGIT;
CLASSES[0x5b] = OPEN;
CLASSES[0x7b] = OPEN;
CLASSES[BACKSLASH] = ESCAPE;
CLASSES[0x45] = EXPONENT;
CLASSES[0x65] = EXPONENT;

const SPACE = 0x20;
/** What can follow a number: `,`, `]`, `}` and white space. */
const ENDS: ReadonlySet<number> = new Set([0x2c, 0x5d, 0x7d, SPACE, 0x09, 0x0a, 0x0d]);

/** 2^53 has 16 digits. */
const LONG_RUN = 16;

/**
 * Bytes → JSON value. Whole numbers that a double cannot hold become bigint. Bytes that are not UTF-8 become U+FFFD.
 * Throws `JsonSyntaxError` where the bytes are not JSON, or are nested deeper than 512 levels.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decoder.decode(bytes);
  if (!isOrdinary(bytes)) return parseJsonText(text);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Once more, for the wording of the error.
    return parseJsonText(text);
  }
}

/**
 * Whether `JSON.parse` reads these bytes exactly as we need them. One pass that does not know where strings begin:
 * it may say no without need, never yes wrongly.
 */
function isOrdinary(bytes: Uint8Array): boolean {
  let run = 0;
  let opened = 0;
  for (let at = 0; at < bytes.length; at++) {
    const kind = CLASSES[bytes[at] as number];
    if (kind === DIGIT) {
      if (++run >= LONG_RUN) return false;
      continue;
    }
    if (kind === OPEN) opened++;
    else if (kind === ESCAPE && isSurrogateEscape(bytes, at)) return false;
    else if (kind === EXPONENT && run > 0 && isLargeExponent(bytes, at + 1)) return false;
    run = 0;
  }
  return opened <= MAX_JSON_DEPTH || depthOf(bytes) <= MAX_JSON_DEPTH;
}

/** `\ud8…` to `\udf…`: may stand alone. */
const isSurrogateEscape = (bytes: Uint8Array, at: number): boolean =>
  bytes[at + 1] === 0x75 && ((bytes[at + 2] ?? 0) | 0x20) === 0x64 && (bytes[at + 3] ?? 0) >= 0x38;

/** Three digits, and an end as numbers have it: the number may be infinite. Identifiers are full of the like, and go on behind it. */
function isLargeExponent(bytes: Uint8Array, at: number): boolean {
  const from = bytes[at] === 0x2b ? at + 1 : at;
  let end = from;
  while (CLASSES[bytes[end] ?? 0] === DIGIT) end++;
  return end - from >= 3 && ENDS.has(bytes[end] ?? SPACE);
}

function depthOf(bytes: Uint8Array): number {
  let depth = 0;
  let deepest = 0;
  let isInString = false;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at];
    if (isInString) {
      if (byte === BACKSLASH) at++;
      else if (byte === QUOTE) isInString = false;
    } else if (byte === QUOTE) isInString = true;
    else if (byte === 0x5b || byte === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (byte === 0x5d || byte === 0x7d) depth--;
  }
  return deepest;
}

/** JSON text of a value that may hold bigint. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof TypeError) return writeValue(value);
    throw error;
  }
}

function writeValue(value: unknown): string {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map((item: unknown) => writeValue(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${writeValue(member)}`).join(',')}}`;
}

/** JSON text as UTF-8, without a line break at the end. */
export const stringifyJson = (value: unknown): Uint8Array => encoder.encode(jsonText(value));

/** The same JSON, indented by two spaces, as `?pretty=1` asks. Numbers and order stay as they are. */
export function pretty(bytes: Uint8Array): Uint8Array {
  const text = decoder.decode(bytes);
  let out = '';
  let indent = '\n';
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{[]\s*[}\]]|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    if (token === '{' || token === '[') {
      indent += '  ';
      out += token + indent;
    } else if (token === '}' || token === ']') {
      indent = indent.slice(0, -2);
      out += indent + token;
    } else if (token === ',') out += token + indent;
    else if (token === ':') out += ': ';
    else out += token.startsWith('{') ? '{}' : token.startsWith('[') ? '[]' : token;
  }
  return encoder.encode(out);
}
