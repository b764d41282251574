import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect, type TLSSocket } from 'node:tls';
import { TOKEN } from './load.ts';

/** What servers allow on one connection, unless they are told otherwise. */
const STREAMS_PER_CONNECTION = 250;
/** So many TLS handshakes at once: more would only wait for one another. */
const AT_ONCE = 50;

export interface OpenWatches {
  /** Bytes of bodies that came; over HTTP/1.1 with their framing. */
  readonly bytes: () => number;
  /** How many are over. */
  readonly ended: () => number;
  close(): void;
}

/** Opens `count` watches of `path`, over HTTP/1.1 on a connection each, and resolves when all of them have begun. */
export function openWatches(protocol: 'h1' | 'h2', port: number, path: string, count: number): Promise<OpenWatches> {
  return protocol === 'h1' ? overHttp1(port, path, count) : overHttp2(port, path, count);
}

async function overHttp1(port: number, path: string, count: number): Promise<OpenWatches> {
  const sockets: TLSSocket[] = [];
  const seen = { bytes: 0, ended: 0 };
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - sockets.length) }, () => openHttp1(port, path, seen));
    sockets.push(...(await Promise.all(some)));
  }
  return { bytes: () => seen.bytes, ended: () => seen.ended, close: () => sockets.forEach((socket) => socket.destroy()) };
}

interface Seen {
  bytes: number;
  ended: number;
}

function openHttp1(port: number, path: string, seen: Seen): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${TOKEN}\r\nAccept: application/json\r\nUser-Agent: bench\r\n\r\n`);
    });
    socket.on('error', reject).on('close', () => (seen.ended += 1));
    let isBegun = false;
    socket.on('data', (bytes: Buffer) => {
      if (isBegun) return void (seen.bytes += bytes.length);
      isBegun = true;
      if (bytes.toString('latin1', 9, 12) === '200') resolve(socket);
      else reject(new Error(`a watch was answered with ${bytes.toString('latin1', 0, 200)}`));
    });
  });
}

async function overHttp2(port: number, path: string, count: number): Promise<OpenWatches> {
  const sessions: ClientHttp2Session[] = [];
  const seen = { bytes: 0, ended: 0 };
  for (let left = count; left > 0; left -= STREAMS_PER_CONNECTION) {
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    sessions.push(session);
    await Promise.all(Array.from({ length: Math.min(left, STREAMS_PER_CONNECTION) }, () => openHttp2(session, path, seen)));
  }
  return { bytes: () => seen.bytes, ended: () => seen.ended, close: () => sessions.forEach((session) => session.destroy()) };
}

function openHttp2(session: ClientHttp2Session, path: string, seen: Seen): Promise<void> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':path': path, authorization: `Bearer ${TOKEN}`, accept: 'application/json', 'user-agent': 'bench' });
    stream.on('error', reject).on('close', () => (seen.ended += 1));
    stream.on('response', ({ ':status': status }) => (status === 200 ? resolve() : reject(new Error(`a watch was answered with ${status}`))));
    stream.on('data', (bytes: Buffer) => (seen.bytes += bytes.length));
  });
}
