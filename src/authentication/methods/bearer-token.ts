import { headerText, type Received } from '#request';

/** The token of `Authorization: Bearer …`, or undefined, also where it stands behind more than one space. Only the first such header counts. @spec 5.3 */
export function bearerToken(request: Received): string | undefined {
  const header = headerText(request.headers, 'authorization').trim();
  const start = header.indexOf(' ') + 1;
  if (start === 0 || header.slice(0, start - 1).toLowerCase() !== 'bearer') return undefined;
  const end = header.indexOf(' ', start);
  const token = end === -1 ? header.slice(start) : header.slice(start, end);
  return token === '' ? undefined : token;
}
