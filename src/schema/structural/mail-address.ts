/** A character of a word: visible, and without meaning of its own in an address. */
const ATOM = "[!#-'*+\\-/-9=?A-Z^-~\\u0080-\\u{10ffff}]";
const DOTTED = `${ATOM}+(?:[.]${ATOM}+)*`;
const QUOTED = '"(?:[ \\t!#-\\[\\]-~\\u0080-\\u{10ffff}]|\\\\[ \\t!-~\\u0080-\\u{10ffff}])*"';
/** No quotes around nothing. */
const MAILBOX = `[ \\t]*(?:${DOTTED}|(?!"")${QUOTED})@[ \\t]*${DOTTED}`;
/** Bare, or in angle brackets behind a name. */
const ADDRESS = new RegExp(`${MAILBOX}|(?:${ATOM}|[. \\t]|${QUOTED})*<${MAILBOX}>`, 'uy');
/** The name of a group, before what is in it. */
const GROUP = new RegExp(`[ \\t]*(?:${ATOM}|[.]|${QUOTED})(?:${ATOM}|[. \\t]|${QUOTED})*:`, 'uy');

/** Whether a text is one mailbox, perhaps with comments behind it, or a group of one, as in RFC 5322 3.4. */
export function isMailAddress(text: string): boolean {
  const from = endOf(GROUP, text, 0) ?? 0;
  const address = endOf(ADDRESS, text, from);
  const end = address === undefined ? undefined : behindComments(text, address);
  if (end === undefined || from === 0) return end === text.length;
  return text[end] === ';' && behindComments(text, end + 1) === text.length;
}

function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** Where blanks and comments from here on end; undefined: a comment does not end. Comments may be in comments. */
function behindComments(text: string, from: number): number | undefined {
  let depth = 0;
  let at = from;
  for (; at < text.length; at++) {
    const character = text[at];
    if (character === '(') depth++;
    else if (depth === 0 && character !== ' ' && character !== '\t') break;
    else if (character === ')') depth--;
    else if (character === '\\') at++;
  }
  return depth === 0 ? at : undefined;
}
