import type { FieldErrors } from '#errors';
import { roundUpQuantityText } from '#schema';
import { isNegativeAmount } from '../../amounts.ts';
import { wholeNumber } from '../pod/resource-names.ts';

/** Checks that an amount is not negative; the fault shows it rounded up to an integer, as in kube-apiserver. */
export function requireAmountNotNegative(amount: string, at: FieldErrors): void {
  if (isNegativeAmount(amount)) at.invalid(wholeNumber(roundUpQuantityText(amount, 0)), 'must be a valid resource quantity');
}
