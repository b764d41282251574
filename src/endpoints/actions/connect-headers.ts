import { isTokenProtocol, type Identified, type ReplyHeaders } from '#request';
import type { BackEndAnswer } from '#transport';

/** Hop-by-hop header fields, which apply to one connection only. */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Credentials and identity of the client, which only this server may see. */
const OF_CALLER = /^(?:authorization$|impersonate-|x-remote-)/;
const REPLACED = /^(?:host|content-length|expect|http2-settings|x-forwarded-(?:for|uri)|:.*)$/;

/** Which pages of other origins may read responses is for this server to say: a back end does not know what else has its origin. */
const FOR_OTHER_ORIGINS = /^access-control-allow-(?:credentials|headers|methods|origin)$/;
/** Back ends may say more about caches, but no cache shares what somebody had to be permitted to read. */
const CACHE_CONTROL = 'no-cache, private';

/**
 * The headers of a request that are forwarded to a back end. `Host` is the one that the client asked for: back ends put it into the addresses that they
 * tell.
 */
export function forwardedHeaders(request: Identified, namesCaller: (header: string) => boolean): Record<string, string | readonly string[]> {
  const named = namedByConnection(request.headers.get('connection') ?? []);
  const headers: Record<string, string | readonly string[]> = {};
  for (const [name, values] of request.headers) {
    if (OF_CONNECTION.has(name) || named.has(name) || OF_CALLER.test(name) || namesCaller(name) || REPLACED.test(name)) continue;
    headers[name] = values;
  }
  const protocols = (request.headers.get('sec-websocket-protocol') ?? []).flatMap((value) => value.split(',')).map((value) => value.trim());
  if (protocols.some(isTokenProtocol)) {
    headers['sec-websocket-protocol'] = protocols.filter((protocol) => !isTokenProtocol(protocol)).join(', ');
  }
  const host = request.headers.get('host')?.[0] ?? request.headers.get(':authority')?.[0];
  const earlier = request.headers.get('x-forwarded-for') ?? [];
  if (request.remoteAddress !== undefined) headers['x-forwarded-for'] = [...earlier, request.remoteAddress].join(', ');
  if (host !== undefined) headers['host'] = host;
  headers['x-forwarded-uri'] = request.path;
  if (request.upgrade !== undefined) Object.assign(headers, { connection: 'Upgrade', upgrade: request.upgrade });
  return headers;
}

const namedByConnection = (values: readonly string[]): ReadonlySet<string> =>
  new Set(values.flatMap((value) => value.split(',')).map((name) => name.trim().toLowerCase()));

/** The headers of a back end's response that are returned to the client, each as often as it came, but not what it allows pages of other origins. */
export function returnedHeaders(headers: BackEndAnswer['headers']): ReplyHeaders {
  const named = namedByConnection(headers['connection'] ?? []);
  const returned: Record<string, string | readonly string[]> = {};
  for (const [name, values = []] of Object.entries(headers)) {
    if (OF_CONNECTION.has(name) || named.has(name) || FOR_OTHER_ORIGINS.test(name)) continue;
    returned[name] = values.length === 1 ? (values[0] as string) : values;
  }
  const { 'cache-control': cached = [] } = headers;
  return cached.length === 0 ? returned : { ...returned, 'cache-control': [CACHE_CONTROL, ...cached] };
}

/** The headers of a response that upgrades the connection. */
export function upgradeHeaders(headers: BackEndAnswer['headers']): ReplyHeaders {
  const { upgrade } = headers;
  return { ...returnedHeaders(headers), connection: 'Upgrade', ...(upgrade === undefined ? {} : { upgrade }) };
}
