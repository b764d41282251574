/**
 * Normalizes the path of a webhook as the clients of Kubernetes do: absolute, without empty, `.` and `..` segments or a trailing slash, and escaped
 * only where needed. Servers that answer another spelling with a redirect are reached this way. `path` has no query; where its escapes are no valid
 * text, they stay.
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

/** Characters that `encodeURI` does not escape. */
const ALSO_ESCAPED = /[!'()*?#]/g;

function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
}
