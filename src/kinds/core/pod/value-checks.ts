import { checkNotNegative, report, type Faults } from '#api';
import type { FieldErrors } from '#errors';
import { parseQuantity, roundUpQuantityText } from '#schema';
import { wholeNumber } from './resource-names.ts';

/** Says so when there is no text. Returns whether there is one. */
export function requireText(value: string | undefined, at: FieldErrors, why = ''): value is string {
  if (value) return true;
  at.required(why);
  return false;
}

/** A text that must be there and pass a check. */
export function requireValid(value: string | undefined, at: FieldErrors, check: (value: string) => Faults): void {
  if (requireText(value, at)) report(at, value, check(value));
}

/** One of a few words; an empty one counts as missing. */
export function requireOneOf(value: string | undefined, at: FieldErrors, known: readonly string[], why = ''): void {
  if (requireText(value, at, why) && !known.includes(value)) at.notSupported(value, known);
}

/** One of a few words, or nothing at all. */
export function allowOneOf(value: string | undefined, at: FieldErrors, known: readonly string[]): void {
  if (value !== undefined && !known.includes(value)) at.notSupported(value, known);
}

export function requireNotNegative(value: number | bigint | undefined, at: FieldErrors): void {
  report(at, value, checkNotNegative(value ?? 0));
}

/** Permission bits of a file. */
export function validateFileMode(mode: number | undefined, at: FieldErrors): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) at.invalid(mode, 'must be a number between 0 and 0777 (octal), both inclusive');
}

/** An amount that is not below zero; clients know the fault by the whole number. */
export function requireAmountNotNegative(amount: string, at: FieldErrors): void {
  if ((parseQuantity(amount)?.mantissa ?? 0n) < 0n) at.invalid(wholeNumber(roundUpQuantityText(amount, 0)), 'must be a valid resource quantity');
}
