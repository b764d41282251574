import { MAX_JSON_DEPTH, parseJsonText } from './json-parser.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZERO = 0x30;
const NINE = 0x39;

/** 2^53 has 16 digits. */
const LONG_RUN = 16;
/** `\ud8…` to `\udf…`: may stand alone. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
/** Three digits, and an end as numbers have it: the number may be infinite. Identifiers are full of the like, and go on behind it. */
const LARGE_EXPONENT = /\d[eE]\+?\d{3,}(?:[,\]} \t\n\r]|$)/;

/**
 * Bytes → JSON value. Whole numbers that a double cannot hold become bigint. Bytes that are not UTF-8 become U+FFFD.
 * Throws `JsonSyntaxError` where the bytes are not JSON, or are nested deeper than 512 levels.
 */
export function parseJson(bytes: Uint8Array): unknown {
  const text = decoder.decode(bytes);
  if (!isOrdinary(bytes, text)) return parseJsonText(text);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Once more, for the wording of the error.
    return parseJsonText(text);
  }
}

/**
 * Whether `JSON.parse` reads these bytes exactly as we need them. Looks for what may be otherwise without knowing where strings begin: it may say
 * no without need, never yes wrongly. Each look is one that the engine does for many bytes at a time.
 */
const isOrdinary = (bytes: Uint8Array, text: string): boolean =>
  !hasLongRun(bytes) && !SURROGATE_ESCAPE.test(text) && !LARGE_EXPONENT.test(text) && isShallow(bytes, text);

/** So many digits in a row. One look in so many bytes finds each such row. */
function hasLongRun(bytes: Uint8Array): boolean {
  for (let at = LONG_RUN - 1; at < bytes.length; at += LONG_RUN) {
    if (!isDigit(bytes[at])) continue;
    let from = at;
    let end = at + 1;
    while (isDigit(bytes[from - 1])) from--;
    while (isDigit(bytes[end])) end++;
    if (end - from >= LONG_RUN) return true;
  }
  return false;
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;

/** What opens no more often than that is not nested deeper. */
const isShallow = (bytes: Uint8Array, text: string): boolean =>
  !opensMoreOften(text, MAX_JSON_DEPTH) || depthOf(bytes) <= MAX_JSON_DEPTH;

function opensMoreOften(text: string, times: number): boolean {
  let opened = 0;
  for (const bracket of '{[') {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) if (++opened > times) return true;
  }
  return false;
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
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${writeValue(member)}`).join(',')}}`;
}

/** JSON text as UTF-8, with a line break at the end. */
export const jsonLine = (value: unknown): Uint8Array => encoder.encode(`${jsonText(value)}\n`);

/** JSON text as UTF-8, without a line break at the end. */
export const stringifyJson = (value: unknown): Uint8Array => encoder.encode(jsonText(value));
