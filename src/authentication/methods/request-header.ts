import { unauthorized } from '#errors';
import { extraKeyIn, headerText, textOfHeader, type Authenticator, type Received } from '#request';

export interface RequestHeaderOptions {
  /** Accepted common names of proxy certificates. Empty: any that the proxy authority has signed. */
  readonly allowedNames?: readonly string[];
  /** The user name is the first non-empty value, in this order. */
  readonly usernameHeaders: readonly string[];
  readonly groupHeaders?: readonly string[];
  /** The rest of a header name behind one of these prefixes is the key of an extra. */
  readonly extraHeadersPrefixes?: readonly string[];
}

const namesOf = (list: readonly string[] = []): readonly string[] => list.map((name) => name.trim().toLowerCase()).filter((name) => name !== '');

/**
 * Authenticates by headers in which an authenticating proxy names the user. They count only on a connection whose client certificate the proxy
 * authority has signed; on every other connection they are ignored. Throws an `Error` where no header for the user is configured.
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
        // A certificate that the proxy authority has not signed is bad for this method. Only without a common name does that have to be an error:
        // with one, the x509 method identifies the user.
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

/** A predicate for header names in lower case: whether the proxy conveys the user by this header. */
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
