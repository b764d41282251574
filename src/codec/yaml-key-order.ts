const LETTER = /\p{L}/u;

/** The order of keys of the YAML library of kube-apiserver: letters after everything else, runs of digits as numbers. */
export function compareKeys(a: string, b: string): number {
  const at = firstDifference(a, b);
  const left = a.codePointAt(at);
  const right = b.codePointAt(at);
  if (left === undefined || right === undefined) return a.length - b.length;
  const isLetter = isLetterCode(left);
  if (isLetter !== isLetterCode(right)) return isLetter ? 1 : -1;
  return (isLetter ? 0 : compareDigits(a, b, at)) || left - right;
}

/** The members of an object in this order, without those that are undefined. */
export const sortedMembers = (map: Readonly<Record<string, unknown>>): (readonly [string, unknown])[] =>
  Object.entries(map)
    .filter(([, value]) => value !== undefined)
    .sort(([a], [b]) => compareKeys(a, b));

/** Where two keys first have different characters; the length of the shorter one where it begins the other. */
function firstDifference(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let at = 0;
  while (at < length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  // Of two surrogate pairs the second halves alone may differ.
  return at > 0 && isHighSurrogate(a.charCodeAt(at - 1)) ? at - 1 : at;
}

const isHighSurrogate = (unit: number): boolean => (unit & 0xfc00) === 0xd800;

const isLetterCode = (code: number): boolean => {
  const lower = code | 0x20;
  return code < 0x80 ? lower >= 0x61 && lower <= 0x7a : LETTER.test(String.fromCodePoint(code));
};

/** Compares the numbers that two keys have at their first difference. */
function compareDigits(a: string, b: string, at: number): number {
  const left = digitsAt(a, at);
  const right = digitsAt(b, at);
  // Zeros after other digits belong to a number that began before `at`.
  const base = (left.startsWith('0') || right.startsWith('0')) && followsDigits(a, at) ? '1' : '';
  const byNumber = Number(base + left || '0') - Number(base + right || '0');
  return byNumber !== 0 && Number.isFinite(byNumber) ? byNumber : left.length - right.length;
}

/** The most digits that are compared as a number. */
const MAX_DIGITS = 300;
const DIGITS = new RegExp(`\\p{Nd}{0,${MAX_DIGITS}}`, 'uy');

function digitsAt(key: string, at: number): string {
  let end = at;
  while (isDigitCode(key.charCodeAt(end))) end++;
  // Digits of other scripts may follow.
  if (!(key.charCodeAt(end) >= 0x80) && end - at <= MAX_DIGITS) return key.slice(at, end);
  DIGITS.lastIndex = at;
  return DIGITS.exec(key)?.[0] ?? '';
}

const isDigitCode = (code: number): boolean => code >= 0x30 && code <= 0x39;

function followsDigits(key: string, at: number): boolean {
  for (let before = at - 1; before >= 0 && isDigitCode(key.charCodeAt(before)); before--) {
    if (key.charAt(before) !== '0') return true;
  }
  return false;
}
