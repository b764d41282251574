import { checkNotNegative, report, type Faults } from '#api';
import type { FieldErrors } from '#errors';
import { parseQuantity, roundUpQuantityText } from '#schema';
import { wholeNumber } from './resource-names.ts';

/** Reports a missing or empty text. Returns whether there is one. */
export function requireText(value: string | undefined, at: FieldErrors, why = ''): value is string {
  if (value) return true;
  at.required(why);
  return false;
}

/** Checks a required text. */
export function requireValid(value: string | undefined, at: FieldErrors, check: (value: string) => Faults): void {
  if (requireText(value, at)) report(at, value, check(value));
}

/** Checks a required enumeration value; an empty one counts as missing. */
export function requireOneOf(value: string | undefined, at: FieldErrors, known: readonly string[], why = ''): void {
  if (requireText(value, at, why) && !known.includes(value)) at.notSupported(value, known);
}

/** Checks an optional enumeration value. */
export function allowOneOf(value: string | undefined, at: FieldErrors, known: readonly string[]): void {
  if (value !== undefined && !known.includes(value)) at.notSupported(value, known);
}

export function requireNotNegative(value: number | bigint | undefined, at: FieldErrors): void {
  report(at, value, checkNotNegative(value ?? 0));
}

/** Validates the permission bits of a file. */
export function validateFileMode(mode: number | undefined, at: FieldErrors): void {
  if (mode !== undefined && (mode < 0 || mode > 0o777)) at.invalid(mode, 'must be a number between 0 and 0777 (octal), both inclusive');
}

/** Checks that an amount is not negative; the fault shows it rounded up to an integer, as in kube-apiserver. */
export function requireAmountNotNegative(amount: string, at: FieldErrors): void {
  if ((parseQuantity(amount)?.mantissa ?? 0n) < 0n) at.invalid(wholeNumber(roundUpQuantityText(amount, 0)), 'must be a valid resource quantity');
}
