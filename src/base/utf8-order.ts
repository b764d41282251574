/** Compares two strings by their UTF-8 bytes, without encoding them. */
export function compareUtf8(a: string, b: string): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(i);
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

/** In UTF-16, surrogates sort before U+E000..U+FFFF; in UTF-8, the characters that they encode sort after these. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Surrogates and the units above them. */
const BEHIND_SURROGATES = /[\ud800-\uffff]/;

/** Whether a string compares alike by UTF-8 bytes and by UTF-16 units (which `<` does, far faster than `compareUtf8`), whatever it is compared with. */
export const hasOneOrder = (text: string): boolean => !BEHIND_SURROGATES.test(text);

/**
 * Returns a test for strings that sort before `key` by their UTF-8 bytes: for many comparisons with one key, mostly far faster than `compareUtf8`.
 */
export function comesBefore(key: string): (other: string) => boolean {
  return hasOneOrder(key) ? (other) => other < key : (other) => compareUtf8(other, key) < 0;
}
