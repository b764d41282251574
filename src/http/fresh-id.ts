import { randomFillSync } from 'node:crypto';

/** Ids generated at a time: the call for random bytes and the conversion to a string cost most of what one id costs. */
const AT_ONCE = 128;
/** `x` is any hexadecimal digit, `y` one of four: the variant of a UUID (RFC 9562). */
const FORM = 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx';
const TEXT_BYTES = FORM.length;
const HEX = Buffer.from('0123456789abcdef');
/** Offsets of the random digits in the text of one id. */
const DIGITS = Uint8Array.from([...FORM].flatMap((sign, place) => (sign === 'x' ? [place] : [])));
const KIND_AT = FORM.indexOf('y');

const random = new Uint8Array((AT_ONCE * (DIGITS.length + 2)) / 2);
/** Dashes and version digits are in place from the start. */
const text = Buffer.from(FORM.repeat(AT_ONCE));
let made = '';
let at = 0;

/** A new random UUID (version 4). */
export function freshId(): string {
  if (at === made.length) {
    made = makeMany();
    at = 0;
  }
  at += TEXT_BYTES;
  return made.slice(at - TEXT_BYTES, at);
}

/** Fills all ids anew, with four random bits for each digit. */
function makeMany(): string {
  randomFillSync(random);
  let half = 0;
  for (let start = 0; start < text.length; start += TEXT_BYTES) {
    for (const place of DIGITS) {
      text[start + place] = HEX[((random[half >> 1] as number) >> ((half & 1) * 4)) & 15] as number;
      half += 1;
    }
    text[start + KIND_AT] = HEX[8 | ((random[half >> 1] as number) & 3)] as number;
    half += 2;
  }
  return text.toString('latin1');
}
