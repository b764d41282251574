import { compareUtf8, concatenated, goFloatText, isTexts } from '#base';

/**
 * Formats values for error messages in the notation of Go, as kube-apiserver does.
 */

/**
 * A value in Go notation. Its text may be made when it is first read: a fault of each item may show the whole list, and of very many faults only the
 * first are told.
 */
export class GoValue {
  #text: string | (() => string);

  constructor(text: string | (() => string)) {
    this.#text = text;
  }

  get text(): string {
    if (typeof this.#text !== 'string') this.#text = this.#text();
    return this.#text;
  }
}

/** Texts that need no escaping, as nearly all are. */
const PLAIN = /^[\w ./:@=-]*$/;
const ESCAPED = /["\\]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** A text as Go's `%q` prints it: in quotes, with unprintable characters escaped. */
export function goQuoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : `"${text.replace(ESCAPED, escape)}"`;
}

/** Texts as Go's `%q` prints a list of them. */
export const goQuotedList = (texts: readonly string[]): string => `[${texts.map(goQuoted).join(' ')}]`;

function escape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const digits = (count: number): string => code.toString(16).padStart(count, '0');
  if (code >= 0xd800 && code <= 0xdfff) return '\ufffd';
  return ESCAPES[character] ?? (code < 0x80 ? `\\x${digits(2)}` : code < 0x10000 ? `\\u${digits(4)}` : `\\U${digits(8)}`);
}

/** A list of strings as `%#v` prints it; `type` is the Go type of the items. A missing list is shown as nil, not as empty. */
export function goTexts(list: readonly string[] | null | undefined, type = 'string'): GoValue {
  return new GoValue(() => (list === null || list === undefined ? `[]${type}(nil)` : `[]${type}{${list.map(goQuoted).join(', ')}}`));
}

/** A map of strings as Go's `%#v` prints it. Keys are sorted. */
export function goTextMap(map: Readonly<Record<string, string>> | null | undefined): GoValue {
  if (map === null || map === undefined) return new GoValue('map[string]string(nil)');
  const entries = (): readonly string[] => Object.keys(map).sort().map((key) => `${goQuoted(key)}:${goQuoted(map[key] ?? '')}`);
  return new GoValue(() => `map[string]string{${entries().join(', ')}}`);
}

/** Whether Go decodes a number as floating point: with a fraction, or beyond 64 bits. Safe integers and `bigint` are integers there. */
const isFloat = (value: unknown): value is number => typeof value === 'number' && !Number.isSafeInteger(value);

/** A value without Go types of its own, as in custom resources, for `showValue`. Keys are sorted. */
export function goUntyped(value: unknown): unknown {
  if (isFloat(value)) return new GoValue(goFloatText(value));
  return typeof value === 'object' && value !== null ? new GoValue(() => goUntypedText(value)) : value;
}

/** The same as a text, as Go's `%#v` prints it. */
export function goUntypedText(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${concatenated(value, ', ', goUntypedText)}}`;
  if (typeof value !== 'object') return showValue(goUntyped(value));
  const entries = Object.entries(value).sort(([a], [b]) => compareUtf8(a, b));
  return `map[string]interface {}{${concatenated(entries, ', ', ([name, member]) => `${goQuoted(name)}:${goUntypedText(member)}`)}}`;
}

/** A value without Go types of its own, as Go's `%v` prints it. */
export function goPlain(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (isFloat(value)) return goFloatText(value);
  if (Array.isArray(value)) return `[${concatenated(value, ' ', goPlain)}]`;
  if (typeof value !== 'object') return `${value as string | number | boolean}`;
  const entries = Object.entries(value).sort(([a], [b]) => compareUtf8(a, b));
  return `map[${concatenated(entries, ' ', ([name, member]) => `${name}:${goPlain(member)}`)}]`;
}

/** The name of a JSON type in the messages of Go's JSON decoders. */
export function goJsonType(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'bigint' ? 'number' : type === 'boolean' ? 'bool' : type;
}

/** The Go type of a decoded JSON value, as `%T` prints it. */
export function goTypeOf(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number' || typeof value === 'bigint') return isFloat(value) ? 'float64' : 'int64';
  return typeof value === 'object' ? 'map[string]interface {}' : typeof value === 'boolean' ? 'bool' : 'string';
}

/** A struct as Go's `%#v` prints it. Members, in order, are strings, numbers, booleans or values in Go notation. */
export function goStruct(type: string, members: Readonly<Record<string, string | number | bigint | boolean | GoValue>>): GoValue {
  const shown = (): readonly string[] => Object.entries(members).map(([name, value]) => `${name}:${showValue(value)}`);
  return new GoValue(() => `${type}{${shown().join(', ')}}`);
}

const isTextMap = (value: object): value is Readonly<Record<string, string>> => Object.values(value).every((item) => typeof item === 'string');

/**
 * Any value of an object: strings quoted, other scalars as they are, an absent value as "null", lists and maps of strings as in Go, the rest by
 * `otherwise`.
 */
export function showValue(value: unknown, otherwise: (value: unknown) => string = JSON.stringify): string {
  if (value === undefined || value === null) return '"null"';
  if (value instanceof GoValue) return value.text;
  if (typeof value === 'string') return goQuoted(value);
  if (typeof value !== 'object') return `${value as number}`;
  if (isTexts(value)) return goTexts(value).text;
  return !Array.isArray(value) && isTextMap(value) ? goTextMap(value).text : otherwise(value);
}
