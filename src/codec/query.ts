/**
 * A query parameter as a truth value: everything but `0` and `false` is true, the empty text included. Absent parameters are the
 * caller's business.
 * @spec 4.1
 */
export const parseBoolean = (text: string): boolean => text !== '0' && text.toLowerCase() !== 'false';

/** A query parameter as a whole number; undefined when it is none, or needs more than 53 bits. */
export function parseInteger(text: string): number | undefined {
  if (!/^[+-]?[0-9]{1,18}$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value + 0 : undefined;
}
