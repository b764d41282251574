/** Where a back end appears: the API path in front of its own paths, and the hosts (with port) by which it may call itself in its responses. */
export interface Appearance {
  readonly base: string;
  readonly hosts: readonly string[];
}

/** A URL that is shown to the client: as it came, or moved below the API path of its back end; undefined: it leads elsewhere. */
export function shownLocation(url: string, { base, hosts }: Appearance): string | undefined {
  const [, scheme, authority, path = '', rest = ''] = PARTS.exec(url) ?? [];
  // Browsers take a backslash for a slash, and leave control characters out.
  if (UNCLEAR.test(url) || (scheme !== undefined && authority === undefined)) return undefined;
  if (authority !== undefined && authority !== '' && !hosts.includes(authority)) return undefined;
  if (path === '' && authority) return `${base}/${rest}`;
  if (!path.startsWith('/')) return authority === undefined ? url : undefined;
  const isInside = path === base || path.startsWith(`${base}/`);
  return `${isInside ? path : `${base}/${withoutDots(path)}`}${rest}`;
}

/** Scheme, authority, path, and query with fragment. */
const PARTS = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(.*)$/s;
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const UNCLEAR = /^[^?#]*\\|[\0-\x1f\x7f]/;

/** The path without a slash in front, and without segments that lead up: clients end these at the root of the back end. */
function withoutDots(path: string): string {
  const segments: string[] = [];
  const all = path.replace(/^\/+/, '').split('/');
  for (const [at, segment] of all.entries()) {
    const [isUp, isHere] = [DOUBLE_DOT.test(segment), SINGLE_DOT.test(segment)];
    if (isUp) segments.pop();
    if (!isUp && !isHere) segments.push(segment);
    else if (at === all.length - 1) segments.push('');
  }
  return segments.join('/');
}

const DOUBLE_DOT = /^(?:\.|%2e){2}$/i;
const SINGLE_DOT = /^(?:\.|%2e)$/i;
