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

/** Surrogates and the units above them. Two strings have the same order in UTF-8 and UTF-16 unless both contain such a unit. */
const BEHIND_SURROGATES = /[\ud800-\uffff]/;

/**
 * Returns a test for strings that sort before `key` by their UTF-8 bytes: for many comparisons with one key, mostly far faster than `compareUtf8`.
 */
export function comesBefore(key: string): (other: string) => boolean {
  return BEHIND_SURROGATES.test(key) ? (other) => compareUtf8(other, key) < 0 : (other) => other < key;
}
