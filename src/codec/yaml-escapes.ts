/** The beginnings of escapes. Of one of eight digits, whose code is above that of the last character, only the letter is taken. */
const ESCAPES = /\\(?:U(?:000|0010)|[^])/g;
/** One half of a surrogate pair without the other. */
const LONE_HALF = /\p{Surrogate}/u;

/** Whether a double-quoted scalar has an escape that stands for no character. `written`: what is between its quotes; `read`: its value. */
export function escapesNoCharacter(written: string, read: string): boolean {
  if (LONE_HALF.test(read)) return true;
  if (!written.includes('\\U')) return false;
  for (const [escape] of written.matchAll(ESCAPES)) if (escape === '\\U') return true;
  return false;
}
