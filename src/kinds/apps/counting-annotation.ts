import { noNumber } from '#errors';

/** What has more digits than this is out of range, and not worth reading. */
const MOST_DIGITS = 19;

/** The number of 64 bits that an annotation holds; absent is zero. A text says why there is none. */
export function readCount(text: string | undefined): bigint | string {
  if (text === undefined) return 0n;
  const digits = /^[+-]?0*(\d*)$/.exec(text)?.[1];
  if (digits === undefined || !/\d$/.test(text)) return noNumber('ParseInt', text);
  const read = digits.length > MOST_DIGITS ? undefined : BigInt(`${text.startsWith('-') ? '-' : ''}${digits === '' ? '0' : digits}`);
  return read === undefined || BigInt.asIntN(64, read) !== read ? noNumber('ParseInt', text) : read;
}
