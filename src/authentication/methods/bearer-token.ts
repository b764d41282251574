import type { Received } from '#request';

/** The token of `Authorization: Bearer …`, or undefined. Of several headers the first one counts. @spec 5.3 */
export function bearerToken(request: Received): string | undefined {
  const header = request.headers.get('authorization')?.[0]?.trim();
  if (header === undefined) return undefined;
  const [scheme = '', token = '', ...rest] = header.split(' ', 3);
  if (scheme.toLowerCase() !== 'bearer') return undefined;
  if (token !== '') return token;
  if (rest.length > 0) request.warn('the token in the Authorization header stands behind more than one space and is ignored');
  return undefined;
}
