import { KnownTexts } from '#base';
import type { Scalar } from './scalar.ts';

/** How an amount is written: `12Mi`, `12M` or `12e6`. */
export type QuantityForm = 'binary' | 'decimal' | 'exponent';

/** An exact amount: `mantissa` × 10^`exponent`. */
export interface Quantity {
  readonly mantissa: bigint;
  readonly exponent: number;
  readonly form: QuantityForm;
  /** The original text, where it is canonical enough to be kept. */
  readonly text?: string;
}

/** No amount at all. */
export const ZERO_QUANTITY: Quantity = { mantissa: 0n, exponent: 0, form: 'decimal' };

const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const DECIMAL_NAMES: ReadonlyMap<number, string> = new Map([...DECIMAL_SUFFIXES].map(([name, exponent]) => [exponent, name]));
/** Powers of 1024. */
const BINARY_NAMES = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];

/** Unambiguous: otherwise long texts that are no quantity would cause backtracking. */
const SHAPE = /^[+-]?([0-9]*)(?:\.([0-9]*))?((?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?$/;

/** The smallest exponent kept; finer amounts are rounded away from zero. */
const SMALLEST_EXPONENT = -9;
const LARGEST_BINARY = 2n ** 63n - 1n;
/** A suffix alone is zero, as in Kubernetes; beyond this power of two, and finer than is kept, Kubernetes wants digits. */
const MOST_WITHOUT_DIGITS = 40;
/** Bounds on input, far beyond any real amount. */
const MAX_TEXT = 1_000;
const MAX_EXPONENT = 1_000;

interface Suffix {
  readonly form: QuantityForm;
  /** Power of ten, or of two in binary form. */
  readonly power: number;
}

function parseSuffix(text: string): Suffix | undefined {
  const decimal = DECIMAL_SUFFIXES.get(text);
  if (decimal !== undefined) return { form: 'decimal', power: decimal };
  const binary = BINARY_NAMES.indexOf(text);
  if (binary > 0) return { form: 'binary', power: binary * 10 };
  if (!/^[eE][+-]?[0-9]+$/.test(text)) return undefined;
  const power = Number(text.slice(1));
  return Math.abs(power) > MAX_EXPONENT ? undefined : { form: 'exponent', power };
}

/** Cached, because the same few amounts occur in nearly all objects. */
const known = new KnownTexts<Quantity | undefined>({ max: 2_000, maxLength: 16 }, parse);

/**
 * Parses a quantity such as `500m`, `1.5Gi`, `12e6`; undefined: it is none. Amounts finer than a billionth are rounded away from zero; amounts in
 * binary form are capped at 2^63-1.
 * @spec 2.2
 */
export const parseQuantity = (text: string): Quantity | undefined => known.of(text);

function parse(text: string): Quantity | undefined {
  if (text === '' || text.length > MAX_TEXT) return undefined;
  const parts = SHAPE.exec(text);
  const suffix = parts === null ? undefined : parseSuffix(parts[3] ?? '');
  if (parts === null || suffix === undefined) return undefined;
  const whole = (parts[1] ?? '').replace(/^0+/, '') || '0';
  const fraction = parts[2] ?? '';
  if (parts[1] === '' && fraction === '' && (suffix.form === 'binary' ? suffix.power > MOST_WITHOUT_DIGITS : suffix.power < SMALLEST_EXPONENT)) return undefined;
  const digits = BigInt(whole + fraction);
  const mantissa = text.startsWith('-') ? -digits : digits;
  if (suffix.form !== 'binary') {
    const exact = { mantissa, exponent: suffix.power - fraction.length, form: suffix.form };
    return isWellWritten(exact, whole + fraction) ? { ...exact, text } : roundUp(exact, SMALLEST_EXPONENT);
  }
  const exact: Quantity = { mantissa: mantissa << BigInt(suffix.power), exponent: -fraction.length, form: 'binary' };
  if (fraction === '' && (digits & 7n) !== 0n && whole.length + (suffix.power * 3) / 10 <= 14) return { ...exact, text };
  return capped(roundUp(exact, SMALLEST_EXPONENT));
}

/** Whether a text can be kept as it is; all others are brought into canonical form. */
function isWellWritten(amount: Quantity, digits: string): boolean {
  return (
    digits.length <= 18 &&
    amount.exponent >= SMALLEST_EXPONENT &&
    amount.exponent % 3 === 0 &&
    !digits.startsWith('0') &&
    !digits.endsWith('000')
  );
}

function capped(amount: Quantity): Quantity {
  const magnitude: Quantity = { ...amount, mantissa: amount.mantissa < 0n ? -amount.mantissa : amount.mantissa };
  if (compareQuantities(magnitude, { mantissa: LARGEST_BINARY, exponent: 0, form: 'binary' }) <= 0) return amount;
  return { mantissa: amount.mantissa < 0n ? -LARGEST_BINARY : LARGEST_BINARY, exponent: 0, form: 'binary' };
}

/** The amount, rounded away from zero to multiples of 10^`exponent`. */
function roundUp(amount: Quantity, exponent: number): Quantity {
  if (amount.exponent >= exponent) return amount;
  const step = 10n ** BigInt(exponent - amount.exponent);
  const cut = amount.mantissa / step;
  const isExact = cut * step === amount.mantissa;
  return { mantissa: isExact ? cut : cut + (amount.mantissa < 0n ? -1n : 1n), exponent, form: amount.form };
}

/** The canonical text: no fraction, the largest suffix that loses nothing. */
export function formatQuantity(amount: Quantity): string {
  if (amount.text !== undefined) return amount.text;
  if (amount.mantissa === 0n) return '0';
  return (amount.form === 'binary' ? formatBinary(amount) : undefined) ?? formatDecimal(amount);
}

/** The canonical binary text; undefined: below 1Ki, or not a whole number. */
function formatBinary(amount: Quantity): string | undefined {
  const whole = roundUp(amount, 0);
  if (compareQuantities(whole, amount) !== 0) return undefined;
  let number = whole.mantissa * 10n ** BigInt(whole.exponent);
  if (number > -1024n && number < 1024n) return undefined;
  let power = 0;
  while (power < BINARY_NAMES.length - 1 && number % 1024n === 0n) {
    number /= 1024n;
    power++;
  }
  return `${number}${BINARY_NAMES[power]}`;
}

function formatDecimal(amount: Quantity): string {
  let { mantissa, exponent } = amount;
  while (mantissa % 10n === 0n) {
    mantissa /= 10n;
    exponent++;
  }
  while (exponent % 3 !== 0) {
    mantissa *= 10n;
    exponent--;
  }
  if (exponent === 0) return `${mantissa}`;
  const name = amount.form === 'exponent' ? undefined : DECIMAL_NAMES.get(exponent);
  return `${mantissa}${name ?? `e${exponent}`}`;
}

/** Negative, zero or positive, as for sorting. */
export function compareQuantities(a: Quantity, b: Quantity): number {
  const exponent = Math.min(a.exponent, b.exponent);
  const left = scaled(a, exponent);
  const right = scaled(b, exponent);
  return left < right ? -1 : left > right ? 1 : 0;
}

/** How many times as large one amount is as another, as near as a number can be; infinite, or no number, where the other is 0. */
export function quantityRatio(one: Quantity, other: Quantity): number {
  const exponent = Math.min(one.exponent, other.exponent);
  return Number(scaled(one, exponent)) / Number(scaled(other, exponent));
}

const scaled = (amount: Quantity, exponent: number): bigint => amount.mantissa * 10n ** BigInt(amount.exponent - exponent);

/** The sum, in the form of the first unless that one is zero. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  const exponent = Math.min(a.exponent, b.exponent);
  return { mantissa: scaled(a, exponent) + scaled(b, exponent), exponent, form: a.mantissa === 0n ? b.form : a.form };
}

/** The negated amount. */
export const negateQuantity = ({ mantissa, exponent, form }: Quantity): Quantity => ({ mantissa: -mantissa, exponent, form });

/**
 * Rounds a quantity away from zero to multiples of 10^`exponent` (-3: thousandths). Texts that are no quantity, or need no rounding, are returned as
 * they are.
 */
export function roundUpQuantityText(text: string, exponent: number): string {
  const amount = parseQuantity(text);
  return amount === undefined || amount.exponent >= exponent ? text : formatQuantity(roundUp(amount, exponent));
}

/** An amount of a resource; a number is taken for its text. @spec 2.2 */
export const quantityScalar: Scalar<string> = {
  name: 'quantity',
  openapi: { type: 'string' },
  zero: '0',
  read(value) {
    if (typeof value === 'string') return canonical(value.trim());
    if (typeof value !== 'number' && typeof value !== 'bigint') return undefined;
    return canonical(String(value).replace('e+', 'e'));
  },
};

/** Nearly all quantities look like this, and are canonical unless a larger suffix would do. */
const SHORT_DECIMAL = /^[1-9][0-9]{0,8}[numkMGTPE]?$/;
const SHORT_BINARY = /^[1-9][0-9]{0,2}[KMGTP]i$/;
const ENDS_IN_THOUSANDS = /000[numkMGTPE]?$/;

function canonical(text: string): string | undefined {
  if (SHORT_BINARY.test(text) || (SHORT_DECIMAL.test(text) && !ENDS_IN_THOUSANDS.test(text))) return text;
  const amount = parseQuantity(text);
  return amount === undefined ? undefined : formatQuantity(amount);
}
