import type { Received } from '#request';

/** The token of `Authorization: Bearer …`, or undefined. @spec 5.3 */
export function bearerToken(request: Received): string | undefined {
  const header = request.headers.get('authorization')?.[0]?.trim();
  if (header === undefined) return undefined;
  const at = header.indexOf(' ');
  if (at < 0 || header.slice(0, at).toLowerCase() !== 'bearer') return undefined;
  const token = header.slice(at + 1).trimStart();
  const end = token.indexOf(' ');
  const first = end < 0 ? token : token.slice(0, end);
  return first === '' ? undefined : first;
}
