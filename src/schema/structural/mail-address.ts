/** A character of a word: visible, and without meaning of its own in an address. */
const ATOM = "[!#-'*+\\-/-9=?A-Z^-~\\u0080-\\u{10ffff}]";
const DOTTED = `${ATOM}+(?:[.]${ATOM}+)*`;
const QUOTED = '"(?:[ \\t!#-\\[\\]-~\\u0080-\\u{10ffff}]|\\\\[ \\t!-~\\u0080-\\u{10ffff}])*"';
/** No quotes around nothing. */
const MAILBOX = `[ \\t]*(?:${DOTTED}|(?!"")${QUOTED})@[ \\t]*${DOTTED}`;
const ADDRESS = new RegExp(`^(?:${MAILBOX}[ \\t]*|(?:${ATOM}|[. \\t]|${QUOTED})*<${MAILBOX}>[ \\t]*)$`, 'u');

/** Whether a text is one mailbox, bare or in angle brackets behind a name, as in RFC 5322 3.4. */
export const isMailAddress = (text: string): boolean => ADDRESS.test(text);
