/**
 * Estimates the number of instructions of a compiled RE2 pattern from its text: a count in braces repeats what precedes it, so a few characters may
 * become thousands. For an invalid pattern the number is meaningless.
 */
export function sizeOfPattern(text: string): number {
  const above: number[] = [];
  let size = 0;
  /** Size of the element that a count would repeat. */
  let last = 0;
  const add = (more: number): void => {
    size += more;
    last = more;
  };
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') {
      at++;
      add(1);
    } else if (character === '[') {
      at = endOfClass(text, at);
      add(1);
    } else if (character === '(') {
      above.push(size);
      size = 0;
    } else if (character === ')') {
      const inside = size + 2;
      size = above.pop() ?? 0;
      add(inside);
    } else if (character === '{') {
      COUNT.lastIndex = at;
      const [whole = '', least = '', most = ''] = COUNT.exec(text) ?? [];
      const more = Math.min(Number(most || least || 1), MAX_COUNT) * last;
      size += more;
      last += more;
      at += Math.max(whole.length - 1, 0);
    } else if (character === '*' || character === '+' || character === '?' || character === '|') size += 1;
    else add(1);
  }
  return above.reduce((sum, part) => sum + part, size);
}

/** RE2 rejects larger counts. */
const MAX_COUNT = 1_000;
const COUNT = /\{(\d{1,9})(?:,(\d{0,9}))?\}/y;

/** The index of the bracket that closes a class; one right after the opening bracket is part of the class. */
function endOfClass(text: string, from: number): number {
  let at = from + (text[from + 1] === '^' ? 2 : 1);
  if (text[at] === ']') at++;
  for (; at < text.length && text[at] !== ']'; at++) if (text[at] === '\\') at++;
  return at;
}
