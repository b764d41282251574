import { exactNumber } from '#base';

/**
 * A query parameter as a boolean: everything but `0` and `false` is true, the empty text included. The caller handles absent parameters.
 * @spec 4.1
 */
export const parseBoolean = (text: string): boolean => text !== '0' && text.toLowerCase() !== 'false';

const LARGEST = 2n ** 63n - 1n;

/**
 * A query parameter as an integer; undefined when it is not one, or needs more than 64 bits. One that needs more than 53 bits becomes the nearest
 * safe integer.
 */
export function parseInteger(text: string): number | undefined {
  if (!/^[+-]?0*[0-9]{1,19}$/.test(text)) return undefined;
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value + 0;
  const size = BigInt(text.replace(/^[+-]/, ''));
  if (size > LARGEST && !(value < 0 && size === LARGEST + 1n)) return undefined;
  return exactNumber(value);
}
