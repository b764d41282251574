import { unauthorized } from '#errors';
import { extraKeyIn, headerText, textOfHeader, type Authenticator, type Received } from '#request';

export interface RequestHeaderOptions {
  /** Common names of proxies. Empty: any that their authority vouches for. */
  readonly allowedNames?: readonly string[];
  /** The first one that has a value is the user. */
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders?: readonly string[];
  /** What stands behind one of these prefixes is the key of an extra. */
  readonly extraHeadersPrefixes?: readonly string[];
}

const namesOf = (list: readonly string[] = []): readonly string[] => list.map((name) => name.trim().toLowerCase()).filter((name) => name !== '');

/**
 * A proxy in front of this server says who asks. Its headers count only on a connection whose certificate the authority of proxies
 * vouches for; on every other connection they are ignored. Throws an `Error` without a header for the user.
 * @spec 5.6
 */
export function requestHeader(options: RequestHeaderOptions): Authenticator {
  const usernameHeaders = namesOf(options.usernameHeaders);
  const groupHeaders = namesOf(options.groupHeaders);
  const prefixes = namesOf(options.extraHeadersPrefixes);
  const allowedNames = new Set(options.allowedNames);
  if (usernameHeaders.length === 0) throw new Error('requestheader-username-headers: the header that names the user is missing');
  return {
    name: 'request-header',
    authenticate(request) {
      const proxy = request.proxyCertificate;
      if (proxy === undefined) {
        // Nobody vouches for what it says: here it is a bad certificate, like any other that is no proxy's, and nobody else is named by it.
        if (request.clientCertificate?.commonName === '') throw unauthorized();
        return undefined;
      }
      if (allowedNames.size > 0 && !allowedNames.has(proxy.commonName)) throw unauthorized();
      const name = usernameHeaders.map((header) => headerText(request.headers, header)).find((value) => value !== '');
      if (name === undefined) return undefined;
      const groups = groupHeaders.flatMap((header) => request.headers.get(header) ?? []).map(textOfHeader).filter((value) => value !== '');
      const extra = readExtra(request, prefixes);
      return { user: { name, groups, ...(extra.size === 0 ? {} : { extra: Object.fromEntries(extra) }) } };
    },
  };
}

/** Whether a header, by its name in lower case, is one of those by which proxies say who asks. */
export function callerHeaders({ usernameHeaders, groupHeaders, extraHeadersPrefixes }: RequestHeaderOptions): (header: string) => boolean {
  const whole = new Set([...namesOf(usernameHeaders), ...namesOf(groupHeaders)]);
  const prefixes = namesOf(extraHeadersPrefixes);
  return (header) => whole.has(header) || prefixes.some((prefix) => header.startsWith(prefix));
}

function readExtra({ headers }: Received, prefixes: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const extra = new Map<string, string[]>();
  for (const prefix of prefixes) {
    for (const [header, values] of headers) {
      if (!header.startsWith(prefix)) continue;
      const key = extraKeyIn(header.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...values.map(textOfHeader)]);
    }
  }
  return extra;
}
