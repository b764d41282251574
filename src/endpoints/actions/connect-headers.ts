import type { IncomingHttpHeaders } from 'node:http';
import { isTokenProtocol, type Identified, type ReplyHeaders } from '#request';

/** They mean one connection and not the next. */
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

/** They say who the caller is: only this server may know. */
const OF_CALLER = /^(?:authorization$|impersonate-|x-remote-)/;
const REPLACED = /^(?:host|content-length|expect|http2-settings|x-forwarded-.*|:.*)$/;

/** What of a request's headers goes on to a back end. */
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

/** What of a back end's headers goes back to the caller. Of several cookies only the first: an answer has each header once. */
export function returnedHeaders(headers: IncomingHttpHeaders): ReplyHeaders {
  const named = namedByConnection(headers.connection === undefined ? [] : [headers.connection]);
  const kept = Object.entries(headers).filter(([name, value]) => value !== undefined && !OF_CONNECTION.has(name) && !named.has(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, Array.isArray(value) ? (value[0] ?? '') : (value ?? '')]));
}

/** The same for an answer that hands the connection over. */
export function upgradeHeaders(headers: IncomingHttpHeaders): ReplyHeaders {
  return { ...returnedHeaders(headers), connection: 'Upgrade', ...(headers.upgrade === undefined ? {} : { upgrade: headers.upgrade }) };
}
