import { createHash } from 'node:crypto';
import { isTokenProtocol, type Identified, type Reply, type ReplyHeaders } from '#request';

/** What every server adds to the key of a client before it hashes it. */
const KEY_SUFFIX = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const VERSION = '13';

/** Whether a request wants to go on as a WebSocket, over a connection that can. */
export const wantsWebsocket = ({ upgrade }: Pick<Identified, 'upgrade'>): boolean => upgrade?.toLowerCase() === 'websocket';

/**
 * The headers that accept a WebSocket, or the refusal: of another version than 13, of a client that does not say which page it speaks for,
 * and of one that leaves the choice of a protocol to the server, which has none to choose.
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

/** An address or a path. Pages without an address (`null`) have no business here. */
const isOrigin = (origin: string): boolean => origin.startsWith('/') || URL.canParse(origin);

function protocolsIn(offered: string): readonly string[] {
  if (offered.trim() === '') return [];
  return offered
    .split(',')
    .map((protocol) => protocol.trim())
    .filter((protocol) => !isTokenProtocol(protocol));
}

const refuse = (status: number, why: string, headers: ReplyHeaders = {}): { readonly refusal: Reply } => ({ refusal: { status, headers, body: new TextEncoder().encode(why) } });
