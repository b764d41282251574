import type { Brand } from '#api';
import { websocketFrame } from '#codec';
import type { Identified, Reply } from '#request';
import { acceptProtocol } from './handshake.ts';
import { WebsocketOutlet } from './websocket-outlet.ts';

/** Whoever reads may pause, as in a pager. */
const LONGEST_PAUSE_MS = 24 * 3_600_000;

const NOTHING = new Uint8Array(0);

type MessageOf = (bytes: Uint8Array) => Uint8Array;

const binary: MessageOf = (bytes) => websocketFrame('binary', bytes);
const base64: MessageOf = (bytes) => websocketFrame('text', Buffer.from(Buffer.from(bytes).toString('base64')));

/** How bytes become messages, by subprotocol. */
const messagesIn = ({ names: { shortDomain } }: Brand): ReadonlyMap<string, MessageOf> =>
  new Map([
    ['', binary],
    [`binary.${shortDomain}`, binary],
    [`base64.binary.${shortDomain}`, base64],
  ]);

/**
 * The reply that streams bytes over a WebSocket, for pages, which can read messages but no stream: an empty message at the beginning, then one for each
 * chunk, binary or as text in base64. A stream that breaks off ends without a goodbye, and `stop` is aborted when the client has left.
 */
export function bytesOverWebsocket(request: Identified, brand: Brand, chunks: AsyncIterable<Uint8Array>, stop: AbortController): Reply {
  const messages = messagesIn(brand);
  const answer = acceptProtocol(request, [...messages.keys()]);
  if ('refusal' in answer) {
    stop.abort();
    return answer.refusal;
  }
  const messageOf = messages.get(answer.protocol) ?? binary;
  return {
    status: 101,
    headers: answer.headers,
    stream: async () => stop.abort(),
    tunnel: async (client) => {
      const out = new WebsocketOutlet(client, messageOf, LONGEST_PAUSE_MS);
      out.signal.addEventListener('abort', () => stop.abort(), { once: true });
      try {
        out.write(NOTHING);
        for await (const chunk of chunks) if (!out.write(chunk)) await out.drained();
      } catch {
        if (!out.signal.aborted) client.destroy();
      }
      if (!client.destroyed) out.end();
      await out.closed;
    },
  };
}
