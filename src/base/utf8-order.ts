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

/** UTF-16 puts surrogates before U+E000..U+FFFF; UTF-8 puts the characters they stand for after. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Surrogates and what UTF-16 has behind them. Two strings without any such unit, or of which one is without, have the same order either way. */
const BEHIND_SURROGATES = /[\ud800-\uffff]/;

/** Tells strings that come before `key` by their UTF-8 bytes: for many that are compared with the same one, in most cases far faster than `compareUtf8`. */
export function comesBefore(key: string): (other: string) => boolean {
  return BEHIND_SURROGATES.test(key) ? (other) => compareUtf8(other, key) < 0 : (other) => other < key;
}
