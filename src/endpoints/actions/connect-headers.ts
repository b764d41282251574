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
const REPLACED = /^(?:host|content-length|expect|http2-settings|x-forwarded-.*|:.*)$/;

/** The headers of a request that are forwarded to a back end. */
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
  if (host !== undefined) headers['x-forwarded-host'] = host;
  headers['x-forwarded-uri'] = request.path;
  if (request.upgrade !== undefined) Object.assign(headers, { connection: 'Upgrade', upgrade: request.upgrade });
  return headers;
}

const namedByConnection = (values: readonly string[]): ReadonlySet<string> =>
  new Set(values.flatMap((value) => value.split(',')).map((name) => name.trim().toLowerCase()));

/** The headers of a back end's response that are returned to the client, each as often as it came. */
export function returnedHeaders(headers: BackEndAnswer['headers']): ReplyHeaders {
  const named = namedByConnection(headers['connection'] ?? []);
  const returned: Record<string, string | readonly string[]> = {};
  for (const [name, values = []] of Object.entries(headers)) {
    if (OF_CONNECTION.has(name) || named.has(name)) continue;
    returned[name] = values.length === 1 ? (values[0] as string) : values;
  }
  return returned;
}

/** The headers of a response that upgrades the connection. */
export function upgradeHeaders(headers: BackEndAnswer['headers']): ReplyHeaders {
  const { upgrade } = headers;
  return { ...returnedHeaders(headers), connection: 'Upgrade', ...(upgrade === undefined ? {} : { upgrade }) };
}
