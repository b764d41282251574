import { randomFillSync } from 'node:crypto';

/** So many are made at a time: asking for random bytes, and turning bytes into text, cost most of what one costs. */
const AT_ONCE = 128;
/** `x` is any digit, `y` one of four: it says which kind of UUID this is. */
const FORM = 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx';
const TEXT_BYTES = FORM.length;
const HEX = Buffer.from('0123456789abcdef');
/** Where the random digits stand in the text of one. */
const DIGITS = Uint8Array.from([...FORM].flatMap((sign, place) => (sign === 'x' ? [place] : [])));
const KIND_AT = FORM.indexOf('y');

const random = new Uint8Array((AT_ONCE * (DIGITS.length + 2)) / 2);
/** Dashes and version stand there from the start. */
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

/** Four random bits for each digit. */
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
