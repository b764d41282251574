/**
 * The path under which a webhook is called: from the root on, without empty, `.` and `..` segments and without a slash at its end, and with
 * escapes only where there is no other way, as the clients of Kubernetes say it. Servers that answer another spelling with a redirect are
 * reached so. `path` has no query; where its escapes are no text, they stay as they are.
 */
export function plainPath(path: string): string {
  const text = decoded(path);
  const segments: string[] = [];
  for (const segment of (text ?? path).split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  const plain = `/${segments.join('/')}`;
  return text === undefined ? plain : encodeURI(plain).replace(ALSO_ESCAPED, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** What `encodeURI` lets stand. */
const ALSO_ESCAPED = /[!'()*?#]/g;

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
