import { canonicalJson, compareUtf8, hasOneOrder, isJsonObject, NestingFailure, parseJsonText } from '#base';

/**
 * One element of a path, in the text form of `fieldsV1`: `f:name` a field, `k:{…}` a list item by its keys, `v:…` a list item by its value,
 * `i:3` a list item by its index. The text is canonical (members sorted, no white space), so equal elements are equal strings.
 * @spec 4.9
 */
export type PathElement = string;

export const fieldElement = (name: string): PathElement => `f:${name}`;

export const valueElement = (value: unknown): PathElement => `v:${elementJson(value)}`;

export const indexElement = (index: number): PathElement => `i:${index}`;

/** One key with its value, as a part of a `k:` element. The parts of an element are ordered by their names. */
export const keyPart = (name: string, value: unknown): string => `${elementJson(name)}:${elementJson(value)}`;

/** A `k:` element from its ordered parts, joined by commas. */
export const keyElementOf = (parts: string): PathElement => `k:{${parts}}`;

/** A `k:` element from keys in any order. */
export function keyElement(keys: readonly (readonly [name: string, value: unknown])[]): PathElement {
  const sorted = [...keys].sort(([a], [b]) => compareUtf8(a, b));
  return keyElementOf(sorted.map(([name, value]) => keyPart(name, value)).join(','));
}

export const isFieldElement = (element: PathElement): boolean => element.startsWith('f:');

export const fieldNameOf = (element: PathElement): string => element.slice(2);

/** A path element that cannot be parsed. */
export class PathElementFailure extends Error {
  override readonly name = 'PathElementFailure';
}

/**
 * Parses the text of an element into its canonical form; undefined for unknown kinds of elements, which readers skip.
 * Throws PathElementFailure when the text is malformed.
 */
export function parseElement(text: string): PathElement | undefined {
  if (text.charCodeAt(1) !== COLON) {
    throw new PathElementFailure(`${JSON.stringify(text)} is no path element: a letter and ":" must come first`);
  }
  switch (text.charCodeAt(0)) {
    case LETTER_F:
      return text;
    case LETTER_K:
      return parseKeys(text);
    case LETTER_V:
      return valueElement(valueIn(text));
    case LETTER_I:
      return parseIndex(text);
    default:
      return undefined;
  }
}

/** How deep a value in an element may be nested. Real elements have scalars only. */
const MAX_DEPTH = 64;

const COLON = 58;
const LETTER_F = 102;
const LETTER_I = 105;
const LETTER_K = 107;
const LETTER_V = 118;

/** A number that a double may not represent exactly. */
const LONG_NUMBER = /\d{16}/;

/** The JSON value of a `k:` or `v:` element. Throws PathElementFailure when it is not JSON. */
export function valueIn(element: PathElement): unknown {
  const text = element.slice(2);
  try {
    return LONG_NUMBER.test(text) ? parseJsonText(text) : JSON.parse(text);
  } catch {
    throw new PathElementFailure(`${JSON.stringify(element)} is no path element: what follows ":" is not JSON`);
  }
}

function parseKeys(text: string): PathElement {
  const keys = valueIn(text);
  if (!isJsonObject(keys)) throw new PathElementFailure(`${JSON.stringify(text)} is no path element: keys must be a JSON object`);
  return keyElement(Object.entries(keys));
}

function parseIndex(text: string): PathElement {
  const digits = text.slice(2);
  if (!/^-?\d{1,15}$/.test(digits)) throw new PathElementFailure(`${JSON.stringify(text)} is no path element: an index must be a number`);
  return indexElement(Number(digits));
}

/** Canonical JSON, so that equal elements are equal strings. Throws PathElementFailure. */
function elementJson(value: unknown): string {
  try {
    return canonicalJson(value, MAX_DEPTH);
  } catch (error) {
    throw error instanceof NestingFailure ? new PathElementFailure('a path element is nested too deeply') : error;
  }
}

/** Sorts elements in place, as kube-apiserver writes them: fields, keys, values, indexes; each kind in its own order. */
export function sortElements(elements: PathElement[]): PathElement[] {
  if (elements.length < 2) return elements;
  // Nearly all are names of members in plain letters.
  return elements.every((element) => isFieldElement(element) && hasOneOrder(element)) ? elements.sort(inUtf16Order) : elements.sort(compareElements);
}

const inUtf16Order = (a: string, b: string): number => (a < b ? -1 : 1);

function compareElements(a: PathElement, b: PathElement): number {
  const kind = RANK.indexOf(a.charAt(0)) - RANK.indexOf(b.charAt(0));
  if (kind !== 0) return kind;
  switch (a.charCodeAt(0)) {
    case LETTER_F:
      return compareUtf8(a, b);
    case LETTER_I:
      return Number(a.slice(2)) - Number(b.slice(2));
    case LETTER_K:
      return compareKeys(valueIn(a) as Record<string, unknown>, valueIn(b) as Record<string, unknown>);
    default:
      return compareValues(valueIn(a), valueIn(b));
  }
}

const RANK = 'fkvi';

function compareKeys(a: Record<string, unknown>, b: Record<string, unknown>): number {
  const left = Object.keys(a).sort(compareUtf8);
  const right = Object.keys(b).sort(compareUtf8);
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const order = compareUtf8(left[at]!, right[at]!) || compareValues(a[left[at]!], b[right[at]!]);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

/** Orders values by type: numbers, strings, booleans, lists, objects, null. */
function compareValues(a: unknown, b: unknown): number {
  const order = valueRank(a) - valueRank(b);
  if (order !== 0) return order;
  if (isNumber(a) && isNumber(b)) return a < b ? -1 : a > b ? 1 : 0;
  if (typeof a === 'string' && typeof b === 'string') return compareUtf8(a, b);
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  return compareUtf8(elementJson(a), elementJson(b));
}

const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

function valueRank(value: unknown): number {
  if (isNumber(value)) return 0;
  if (value === null || value === undefined) return 5;
  if (Array.isArray(value)) return 3;
  return ['', 'string', 'boolean', '', 'object'].indexOf(typeof value);
}
