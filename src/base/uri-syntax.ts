/** The syntax of URIs, as Go's `net/url` reads it: what a browser takes or mends is not always what kube-apiserver takes. */

const CONTROL = /[\u0000-\u001f\u007f]/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const USER = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
/** Hosts: only non-ASCII bytes and `%` itself may be percent-encoded. */
const HOST = /^(?:[^\u0000- #%/?@\\^`{|}\u007f]|%25|%[89A-Fa-f][0-9A-Fa-f])*$/;
const PORT = /^(?::\d*)?$/;

export const hasControlCharacter = (text: string): boolean => CONTROL.test(text);

/** Whether every percent sign begins an escape. */
export const isUriEscaped = (text: string): boolean => !BAD_ESCAPE.test(text);

/** Whether a text is the authority of a URI: a host, perhaps with a user before it and a port behind it. The empty text is one. */
export function isUriAuthority(authority: string): boolean {
  const end = authority.lastIndexOf('@');
  const user = authority.slice(0, Math.max(end, 0));
  const host = authority.slice(end + 1);
  if (!USER.test(user) || !isUriEscaped(user)) return false;
  const colon = host.indexOf(':', host.startsWith('[') ? host.lastIndexOf(']') : 0) < 0 ? host.length : host.lastIndexOf(':');
  const name = host.slice(0, colon);
  return HOST.test(name) && PORT.test(host.slice(colon)) && (!name.startsWith('[') || name.endsWith(']'));
}
