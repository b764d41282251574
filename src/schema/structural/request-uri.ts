import { hasControlCharacter, isUriAuthority, isUriEscaped } from '#base';

const PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?([^?]*)/;

/** Whether a text is a request URI: absolute, or a path from the root. After a scheme without a slash anything is allowed. */
export function isRequestUri(text: string): boolean {
  if (hasControlCharacter(text)) return false;
  const [, scheme, path = ''] = PARTS.exec(text) ?? [];
  if (!path.startsWith('/')) return scheme !== undefined || text === '*';
  if (scheme === undefined || !path.startsWith('//')) return isUriEscaped(path);
  const [authority = ''] = path.slice(2).split('/', 1);
  return isUriAuthority(authority) && isUriEscaped(path.slice(2 + authority.length));
}
