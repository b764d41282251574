/** White space by Unicode, unlike in JavaScript: a next line (U+0085) is, a byte order mark (U+FEFF) is not. */
const START = /^\p{White_Space}+/u;
const isSpace = (character: string): boolean => /^\p{White_Space}$/u.test(character);

/** A text without the white space around it, as the names and messages of Kubernetes are trimmed. Takes linear time. */
export function trimSpace(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charAt(end - 1))) end--;
  return text.slice(0, end).replace(START, '');
}
