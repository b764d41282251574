/**
 * A query parameter as a truth value: everything but `0` and `false` is true, the empty text included. Absent parameters are the
 * caller's business.
 * @spec 4.1
 */
export const parseBoolean = (text: string): boolean => text !== '0' && text.toLowerCase() !== 'false';

const LARGEST = 2n ** 63n - 1n;

/**
 * A query parameter as a whole number; undefined when it is none, or needs more than 64 bits. What needs more than 53 is as near as a
 * number comes without being rounded.
 */
export function parseInteger(text: string): number | undefined {
  if (!/^[+-]?0*[0-9]{1,19}$/.test(text)) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value + 0;
  const size = BigInt(text.replace(/^[+-]/, ''));
  if (size > LARGEST && !(value < 0 && size === LARGEST + 1n)) return undefined;
  return value < 0 ? Number.MIN_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
}
