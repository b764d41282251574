const CONTROL = /[\u0000-\u001f\u007f]/;
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/;
const PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?([^?]*)/;
const USER = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/;
/** Hosts: only non-ASCII bytes and `%` itself may be percent-encoded. */
const HOST = /^(?:[^\u0000- #%/?@\\^`{|}\u007f]|%25|%[89A-Fa-f][0-9A-Fa-f])*$/;
const PORT = /^(?::\d*)?$/;

/** Whether a text is a request URI: absolute, or a path from the root. After a scheme without a slash anything is allowed. */
export function isRequestUri(text: string): boolean {
  if (CONTROL.test(text)) return false;
  const [, scheme, path = ''] = PARTS.exec(text) ?? [];
  if (!path.startsWith('/')) return scheme !== undefined || text === '*';
  if (scheme === undefined || !path.startsWith('//')) return !BAD_ESCAPE.test(path);
  const [authority = ''] = path.slice(2).split('/', 1);
  return isAuthority(authority) && !BAD_ESCAPE.test(path.slice(2 + authority.length));
}

function isAuthority(authority: string): boolean {
  const end = authority.lastIndexOf('@');
  const user = authority.slice(0, Math.max(end, 0));
  const host = authority.slice(end + 1);
  if (!USER.test(user) || BAD_ESCAPE.test(user)) return false;
  const colon = host.indexOf(':', host.startsWith('[') ? host.lastIndexOf(']') : 0) < 0 ? host.length : host.lastIndexOf(':');
  const name = host.slice(0, colon);
  return HOST.test(name) && PORT.test(host.slice(colon)) && (!name.startsWith('[') || name.endsWith(']'));
}
