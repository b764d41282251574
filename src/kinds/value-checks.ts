import { checkNotNegative, report, type Faults } from '#api';
import type { FieldErrors } from '#errors';

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

/** Checks a number that may be absent. */
export function requireNotNegative(value: number | bigint | undefined, at: FieldErrors): void {
  report(at, value, checkNotNegative(value ?? 0));
}
