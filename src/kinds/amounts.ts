import { compareQuantities, parseQuantity } from '#schema';

/** Amounts of resources, as texts. Schemas admit nothing but quantities; a text that is none all the same passes for 0, and for equal to any other. */
const mantissaOf = (amount: string): bigint => parseQuantity(amount)?.mantissa ?? 0n;

export const isNegativeAmount = (amount: string): boolean => mantissaOf(amount) < 0n;
export const isPositiveAmount = (amount: string): boolean => mantissaOf(amount) > 0n;

/** Compares as for sorting. */
export function compareAmounts(one: string, other: string): number {
  const [left, right] = [parseQuantity(one), parseQuantity(other)];
  return left === undefined || right === undefined ? 0 : compareQuantities(left, right);
}
