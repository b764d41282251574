const LETTER = /\p{L}/u;
const DIGITS = /^\p{Nd}+/u;

/** The order of keys of the YAML library of kube-apiserver: letters after everything else, runs of digits as numbers. */
export function compareKeys(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const one = left[at] as string;
    const other = right[at] as string;
    if (one !== other) return compareFrom(left, right, at);
  }
  return left.length - right.length;
}

/** Compares two keys whose first difference is at `at`. */
function compareFrom(left: readonly string[], right: readonly string[], at: number): number {
  const one = left[at] as string;
  const other = right[at] as string;
  const isLetter = LETTER.test(one);
  if (isLetter !== LETTER.test(other)) return isLetter ? 1 : -1;
  if (!isLetter) {
    const a = digitsAt(left, at);
    const b = digitsAt(right, at);
    // Zeros after other digits belong to a number that began before `at`.
    const base = (one === '0' || other === '0') && followsDigits(left, at) ? '1' : '';
    const byNumber = Number(base + a || '0') - Number(base + b || '0');
    if (byNumber !== 0 && Number.isFinite(byNumber)) return byNumber;
    if (a.length !== b.length) return a.length - b.length;
  }
  return (one.codePointAt(0) as number) - (other.codePointAt(0) as number);
}

/** The longest run of digits that is compared as a number. */
const MAX_DIGITS = 300;
const digitsAt = (text: readonly string[], at: number): string => DIGITS.exec(text.slice(at, at + MAX_DIGITS).join(''))?.[0] ?? '';

function followsDigits(text: readonly string[], at: number): boolean {
  for (let before = at - 1; before >= 0 && /[0-9]/.test(text[before] as string); before--) {
    if (text[before] !== '0') return true;
  }
  return false;
}
