import { createHash } from 'node:crypto';
import { isTokenProtocol, type Identified, type Reply, type ReplyHeaders } from '#request';

/** The GUID that every server appends to the client's key before hashing. */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const VERSION = '13';

/** Whether a request asks to upgrade to a WebSocket, over a connection that can be upgraded. */
export const wantsWebsocket = ({ upgrade }: Pick<Identified, 'upgrade'>): boolean => upgrade?.toLowerCase() === 'websocket';

/**
 * The headers that accept a WebSocket, or the refusal: of a request without key, of another version than 13, of a client without a valid Origin, and
 * of one that offers several subprotocols, since the server has no preference among them.
 */
export function acceptWebsocket({ headers }: Pick<Identified, 'headers'>): { readonly headers: ReplyHeaders } | { readonly refusal: Reply } {
  const first = (name: string): string => headers.get(name)?.[0] ?? '';
  const key = first('sec-websocket-key');
  if (key === '') return refuse(400, 'mismatch challenge/response');
  if (first('sec-websocket-version') !== VERSION) return refuse(400, 'missing or bad WebSocket Version', { 'sec-websocket-version': VERSION });
  if (!isOrigin(first('origin'))) return refuse(403, '');
  const protocols = protocolsIn(first('sec-websocket-protocol'));
  if (protocols.length > 1) return refuse(400, '');
  const [protocol] = protocols;
  const accept = createHash('sha1').update(`${key}${KEY_SUFFIX}`).digest('base64');
  return { headers: { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-accept': accept, ...(protocol === undefined ? {} : { 'sec-websocket-protocol': protocol }) } };
}

/** A URL or a path; the opaque origin `null` is refused. */
const isOrigin = (origin: string): boolean => origin.startsWith('/') || URL.canParse(origin);

function protocolsIn(offered: string): readonly string[] {
  if (offered.trim() === '') return [];
  return offered
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => !isTokenProtocol(protocol));
}

const refuse = (status: number, why: string, headers: ReplyHeaders = {}): { readonly refusal: Reply } => ({ refusal: { status, headers, body: new TextEncoder().encode(why) } });
