/**
 * The path under which a webhook is called: from the root on, without empty, `.` and `..` segments and without a slash at its end, as the clients of
 * Kubernetes say it. Servers that answer another spelling with a redirect are reached so. `path` has no query; escapes stay as they are.
 */
export function plainPath(path: string): string {
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return `/${segments.join('/')}`;
}
