import { noNumber } from '#errors';

/** Digits of the largest 64-bit number: longer numbers are out of range and are not parsed. */
const MOST_DIGITS = 19;

/** The 64-bit integer in an annotation, 0 where it is absent; or a text that says why it is none. */
export function readCount(text: string | undefined): bigint | string {
  if (text === undefined) return 0n;
  if (!/^[+-]?\d+$/.test(text)) return noNumber('ParseInt', text);
  // Two expressions: one for both would try every number of zeros, and take minutes for a long text.
  const digits = text.replace(/^[+-]?0*/, '');
  const read = digits.length > MOST_DIGITS ? undefined : BigInt(`${text.startsWith('-') ? '-' : ''}${digits === '' ? '0' : digits}`);
  return read === undefined || BigInt.asIntN(64, read) !== read ? noNumber('ParseInt', text) : read;
}
