// Asks to go on with another protocol on a connection of its own.
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** Without a socket the answer is an ordinary one. */
export interface Upgraded {
  readonly answer: IncomingMessage;
  readonly socket?: Socket;
}

/** `headers`: those of the protocol included. Bytes that came with the answer are still to be read from the socket. */
export function upgrade(url: string, method: string, headers: Readonly<Record<string, string>>): Promise<Upgraded> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers, agent: false });
    outgoing.on('response', (answer) => resolve({ answer }));
    outgoing.on('upgrade', (answer, socket, early) => {
      if (early.length > 0) socket.unshift(early);
      resolve({ answer, socket: socket as Socket });
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

/** The next short or middling frame of a WebSocket: its first byte, and its payload. */
export async function nextFrame(socket: Socket): Promise<readonly [number, Buffer]> {
  const take = async (length: number): Promise<Buffer> => {
    for (;;) {
      const bytes = socket.read(length) as Buffer | null;
      if (bytes !== null) return bytes;
      await once(socket, 'readable');
    }
  };
  const [first = 0, short = 0] = await take(2);
  const length = short < 126 ? short : (await take(2)).readUInt16BE(0);
  return [first, length === 0 ? Buffer.alloc(0) : await take(length)];
}
