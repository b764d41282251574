import { concatenated } from './concatenated.ts';
import { MAX_JSON_DEPTH, parseJsonText } from './json-parser.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const encoder = new TextEncoder();

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const DOT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;

/** Integers with fewer digits are exact in a double: 2^53 has 16 digits. */
const LONG_RUN = 16;
/** The escape of a surrogate, `\ud8…` to `\udf…`, which may be a lone one. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;
/**
 * An exponent of at least three digits followed by the end of a number, which may be infinite. Identifiers often contain the same without that end.
 */
const LARGE_EXPONENT = /\d[eE]\+?\d{3,}(?:[,\]} \t\n\r]|$)/;

/** What may follow a number, or go on with its exponent. Strings may contain the same. */
const AFTER_NUMBER: ReadonlySet<number> = new Set(encoder.encode(' \t\n\r,]}eE'));

/**
 * Parses JSON from bytes. Integers that a double cannot hold become bigint. Bytes that are not UTF-8 become U+FFFD.
 * Throws `JsonSyntaxError` when the bytes are not JSON, or are nested deeper than `maxDepth` levels.
 */
export function parseJson(bytes: Uint8Array, maxDepth = MAX_JSON_DEPTH): unknown {
  const text = decoder.decode(bytes);
  if (!isOrdinary(bytes, text, maxDepth)) return parseJsonText(text, maxDepth);
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Parsed again for the wording of the error.
    return parseJsonText(text, maxDepth);
  }
}

/**
 * The same JSON, read before, with each `WholeFloat` as such. undefined: there is none that ends in `.0`. Those that have an exponent alone are not
 * looked for: programs write them for numbers that are no integers of 64 bits.
 */
export function parseWholeFloats(bytes: Uint8Array): unknown {
  for (let at = bytes.indexOf(DOT); at >= 0; at = bytes.indexOf(DOT, at + 1)) {
    if (bytes[at + 1] !== ZERO || !isDigit(bytes[at - 1])) continue;
    let end = at + 2;
    while (bytes[end] === ZERO) end++;
    if (end === bytes.length || AFTER_NUMBER.has(bytes[end] as number)) return parseJsonText(decoder.decode(bytes), MAX_JSON_DEPTH, true);
  }
  return undefined;
}

/**
 * The same for JSON that a server wrote: what is stored, an answer, what was encoded here. An object in it is nested deeper than any that was sent,
 * because its owners name its fields, and because it stands in a list or an event. Whatever is written can be read.
 */
export const parseWrittenJson = (bytes: Uint8Array): unknown => parseJson(bytes, 2 * MAX_JSON_DEPTH);

/**
 * Whether `JSON.parse` reads these bytes as `parseJsonText` would. The checks ignore where strings begin, so the result may be false needlessly, but
 * never true wrongly. Each check is fast, because it examines many bytes at a time.
 */
const isOrdinary = (bytes: Uint8Array, text: string, maxDepth: number): boolean =>
  !hasLongRun(bytes) && !SURROGATE_ESCAPE.test(text) && !LARGE_EXPONENT.test(text) && isShallow(bytes, text, maxDepth);

/** Whether there is a run of at least `LONG_RUN` digits. Looking at every `LONG_RUN`-th byte finds each of them. */
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

/** Whether the nesting is allowed. A text with no more opening brackets than that need not be examined further. */
const isShallow = (bytes: Uint8Array, text: string, maxDepth: number): boolean =>
  !opensMoreOften(text, maxDepth) || depthOf(bytes) <= maxDepth;

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

/** The JSON text of a value that may contain bigint. */
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
  if (Array.isArray(value)) return `[${concatenated(value, ',', (item: unknown) => writeValue(item ?? null))}]`;
  if (typeof value !== 'object' || value === null || value instanceof Date) return JSON.stringify(value) ?? 'null';
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${concatenated(members, ',', ([key, member]) => `${JSON.stringify(key)}:${writeValue(member)}`)}}`;
}

/** JSON as UTF-8 bytes, with a line feed at the end. */
export const jsonLine = (value: unknown): Uint8Array => encoder.encode(`${jsonText(value)}\n`);

/** JSON as UTF-8 bytes, without a line feed at the end. */
export const stringifyJson = (value: unknown): Uint8Array => encoder.encode(jsonText(value));
