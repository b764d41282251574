const encoder = new TextEncoder();

/** For texts with fewer characters, counting in JavaScript is faster. */
const SHORT = 256;
/** A UTF-16 unit takes at most three bytes. Texts of up to a third of this length are encoded into it, without allocation. */
const scratch = new Uint8Array(3 * 4096);

/** The number of bytes of a text in UTF-8. */
export function utf8Length(text: string): number {
  if (text.length > scratch.length / 3) return encoder.encode(text).byteLength;
  if (text.length >= SHORT) return encoder.encodeInto(text, scratch).written;
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // A surrogate pair takes four bytes, of which two are counted by `length`.
    if (isHigh(unit) && isLow(text.charCodeAt(at + 1))) at++;
  }
  return bytes;
}

/** Whether a text has more than `bytes` bytes in UTF-8. Mostly its length alone decides. */
export const isLongerThan = (text: string, bytes: number): boolean => text.length > bytes || (text.length * 3 > bytes && utf8Length(text) > bytes);

const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00;
