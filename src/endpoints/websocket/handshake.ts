import { createHash } from 'node:crypto';
import { isTokenProtocol, type Identified, type Reply, type ReplyHeaders } from '#request';

/** The GUID that every server appends to the client's key before hashing. */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const VERSION = '13';

/** Whether a request asks to upgrade to a WebSocket, over a connection that can be upgraded. */
export const wantsWebsocket = ({ upgrade }: Pick<Identified, 'upgrade'>): boolean => upgrade?.toLowerCase() === 'websocket';

/** The headers that accept a WebSocket, with its subprotocol (`''`: none), or the refusal. */
export type Handshake = { readonly headers: ReplyHeaders; readonly protocol: string } | { readonly refusal: Reply };

/**
 * The handshake for messages that have one form. Refuses a request without key, of another version than 13, of a client without a valid Origin, and
 * of one that offers several subprotocols, since the server has no preference among them.
 */
export function acceptWebsocket({ headers }: Pick<Identified, 'headers'>): Handshake {
  const refusal = refusalOf(headers);
  if (refusal !== undefined) return { refusal };
  if (!isOrigin(firstOf(headers, 'origin'))) return { refusal: refuse(403, '') };
  const protocols = protocolsIn(headers);
  return protocols.length > 1 ? { refusal: refuse(400, '') } : accept(headers, protocols[0] ?? '');
}

/**
 * The handshake for messages whose form is that of the subprotocol: the first offered one of `known`, or none where none is offered. Refuses a request
 * without key, of another version than 13, and one that offers others alone. Clients that are no pages need no Origin.
 */
export function acceptProtocol({ headers }: Pick<Identified, 'headers'>, known: readonly string[]): Handshake {
  const refusal = refusalOf(headers);
  if (refusal !== undefined) return { refusal };
  const protocols = protocolsIn(headers);
  const protocol = protocols.length === 0 ? '' : protocols.find((offered) => known.includes(offered));
  return protocol === undefined ? { refusal: refuse(403, '') } : accept(headers, protocol);
}

type Headers = Identified['headers'];

const firstOf = (headers: Headers, name: string): string => headers.get(name)?.[0] ?? '';

function refusalOf(headers: Headers): Reply | undefined {
  if (firstOf(headers, 'sec-websocket-key') === '') return refuse(400, 'mismatch challenge/response');
  if (firstOf(headers, 'sec-websocket-version') !== VERSION) return refuse(400, 'missing or bad WebSocket Version', { 'sec-websocket-version': VERSION });
  return undefined;
}

function accept(headers: Headers, protocol: string): Handshake {
  const answer = createHash('sha1').update(`${firstOf(headers, 'sec-websocket-key')}${KEY_SUFFIX}`).digest('base64');
  return { headers: { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-accept': answer, ...(protocol === '' ? {} : { 'sec-websocket-protocol': protocol }) }, protocol };
}

/** A URL or a path; the opaque origin `null` is refused. */
const isOrigin = (origin: string): boolean => origin.startsWith('/') || URL.canParse(origin);

function protocolsIn(headers: Headers): readonly string[] {
  const offered = firstOf(headers, 'sec-websocket-protocol');
  if (offered.trim() === '') return [];
  return offered
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => !isTokenProtocol(protocol));
}

const refuse = (status: number, why: string, headers: ReplyHeaders = {}): Reply => ({ status, headers, body: new TextEncoder().encode(why) });
