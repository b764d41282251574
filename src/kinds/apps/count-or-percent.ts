import { checkNotNegative, checkPercent, report } from '#api';
import type { FieldErrors } from '#errors';
import { goIntOrString } from '../go-values.ts';

/** A number of pods, or a percentage of them. */
export type CountOrPercent = number | string;

export function validateCountOrPercent(value: CountOrPercent | undefined, at: FieldErrors): void {
  if (value === undefined) return;
  if (typeof value === 'string') report(at, goIntOrString(value), checkPercent(value));
  else report(at, value, checkNotNegative(value));
}

/** A percentage must not exceed 100. */
export function validateAtMostAll(value: CountOrPercent | undefined, at: FieldErrors): void {
  if (typeof value === 'string' && checkPercent(value) === undefined && amountOf(value) > 100) at.invalid(goIntOrString(value), 'must not be greater than 100%');
}

/** The count, also from a numeric text, or the number before `%`; 0 for any other text. */
export function amountOf(value: CountOrPercent | undefined): number {
  if (typeof value === 'number') return value;
  if (value === undefined) return 0;
  if (checkPercent(value) === undefined) return Number(value.slice(0, -1));
  return /^[+-]?\d+$/.test(value) ? Number(value) : 0;
}
