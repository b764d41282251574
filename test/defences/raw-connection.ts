// Connections for bytes that no client library would send.
import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { TestServer } from '#testing';

/** Resolves when the connection is closed, whether it was cut off or not. */
export const closed = (socket: Socket): Promise<void> => new Promise((resolve) => (socket.closed ? resolve() : void socket.once('close', () => resolve())));

/** Sends the pieces over HTTP/1.1, ends the sending side, and reads until the server closes. */
export const say = (server: TestServer, ...pieces: readonly string[]): Promise<string> => speak(server, pieces, true);

/** The same without ending the sending side, which Node takes for leaving: the request says `Connection: close`. */
export const ask = (server: TestServer, ...pieces: readonly string[]): Promise<string> => speak(server, pieces, false);

async function speak({ server }: TestServer, pieces: readonly string[], isEnded: boolean): Promise<string> {
  const socket = connectPlain({ host: '127.0.0.1', port: server.port ?? 0 });
  // The server may cut at any time; that is what is looked at.
  socket.on('error', () => {});
  const heard: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => heard.push(chunk));
  for (const piece of pieces) socket.write(Buffer.from(piece, 'latin1'));
  if (isEnded) socket.end();
  await closed(socket);
  return Buffer.concat(heard).toString('latin1');
}

export const codesOf = (answer: string): readonly number[] => [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));

const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

export const FRAME = { data: 0, headers: 1, priority: 2, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8, continuation: 9 } as const;
export const FLAG = { none: 0, endStream: 1, endHeaders: 4 } as const;

/** One frame of HTTP/2. */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = new Uint8Array(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** Header fields without compression, each with a name of its own. */
export function fields(pairs: Readonly<Record<string, string>>): Buffer {
  const literal = (text: string): Buffer => {
    if (text.length > 126) throw new Error('longer texts take another form of length');
    return Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'latin1')]);
  };
  return Buffer.concat(Object.entries(pairs).map(([name, value]) => Buffer.concat([Buffer.from([0]), literal(name), literal(value)])));
}

/** The head of a GET. */
export const ASK = fields({ ':method': 'GET', ':scheme': 'https', ':path': '/livez', ':authority': 'x' });

/** A connection that speaks HTTP/2 so far: preface and settings are sent. */
export async function openHttp2({ server }: { readonly server: { readonly port?: number | undefined } }): Promise<Socket> {
  const socket = connectTls({ host: '127.0.0.1', port: server.port ?? 0, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  socket.on('error', () => {});
  await once(socket, 'secureConnect');
  socket.write(Buffer.concat([PREFACE, frame(FRAME.settings, FLAG.none, 0)]));
  return socket;
}

export interface Heard {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

/** All frames until the server closes, or until there is one of type `last`; then the client closes. */
export async function framesUntilClosed(socket: Socket, last?: number): Promise<readonly Heard[]> {
  let heard = Buffer.alloc(0);
  socket.on('data', (chunk: Buffer) => {
    heard = Buffer.concat([heard, chunk]);
    if (last !== undefined && framesIn(heard).some(({ type }) => type === last)) socket.destroy();
  });
  await closed(socket);
  return framesIn(heard);
}

/** The frames that are whole in these bytes, but for the last: of that a part may be missing. */
export function framesIn(bytes: Buffer): readonly Heard[] {
  const frames: Heard[] = [];
  for (let at = 0; at + 9 <= bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    frames.push({ type: bytes.readUInt8(at + 3), flags: bytes.readUInt8(at + 4), stream: bytes.readUInt32BE(at + 5), payload: bytes.subarray(at + 9, at + 9 + length) });
    at += 9 + length;
  }
  return frames;
}
