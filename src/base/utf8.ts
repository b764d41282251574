const encoder = new TextEncoder();

/** Below this many characters counting here is faster. */
const SHORT = 256;
/** A character has three bytes at most. Up to so many are encoded where it costs no memory. */
const scratch = new Uint8Array(3 * 4096);

/** How many bytes a text has in UTF-8. */
export function utf8Length(text: string): number {
  if (text.length > scratch.length / 3) return encoder.encode(text).byteLength;
  if (text.length >= SHORT) return encoder.encodeInto(text, scratch).written;
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // The two halves of a pair are four bytes together.
    if (isHigh(unit) && isLow(text.charCodeAt(at + 1))) at++;
  }
  return bytes;
}

/** Whether a text has more than so many bytes in UTF-8. Most are too short or too long whatever is in them. */
export const isLongerThan = (text: string, bytes: number): boolean => text.length > bytes || (text.length * 3 > bytes && utf8Length(text) > bytes);

const isHigh = (unit: number): boolean => (unit & 0xfc00) === 0xd800;
const isLow = (unit: number): boolean => (unit & 0xfc00) === 0xdc00;
