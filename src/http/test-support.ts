import { readFileSync } from 'node:fs';
import { request as httpsRequest, type Agent, type RequestOptions } from 'node:https';
import { connect as connectHttp2, type ClientHttp2Session, type SecureClientSessionOptions } from 'node:http2';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { Received, Reply } from '#request';
import { openListener, type Listener, type ListenerOptions } from './listener.ts';

// Clients and certificates for the tests of this folder.

const pem = (name: string): string => readFileSync(new URL(`../../test/fixtures/tls/${name}`, import.meta.url), 'utf8');

export const ca = pem('ca.crt');
export const serverPair = { cert: pem('server.crt'), key: pem('server.key') };
export const renewedPair = { cert: pem('server-renewed.crt'), key: pem('server-renewed.key') };
export const clientPair = { cert: pem('client.crt'), key: pem('client.key') };
export const strangerPair = { cert: pem('stranger.crt'), key: pem('stranger.key') };

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Uint8Array;
  readonly pair?: { readonly cert: string; readonly key: string };
  readonly agent?: Agent;
}

export type Handle = (received: Received) => Promise<Reply>;

/** Runs `run` with a listener on a free port that has the test certificates, and closes it whatever happens. */
export async function withListener(handle: Handle, options: Partial<ListenerOptions>, run: (listener: Listener) => Promise<void>): Promise<void> {
  const listener = await openListener({ host: '127.0.0.1', port: 0, tls: { ...serverPair, clientCa: ca }, handle, ...options });
  try {
    await run(listener);
  } finally {
    await listener.close({ graceMs: 0 });
  }
}

export function askHttp1(port: number, { method = 'GET', path = '/', headers = {}, body, pair, agent }: Ask = {}): Promise<Answer> {
  const options: RequestOptions = { host: '127.0.0.1', port, ca, method, path, headers, ...pair, agent: agent ?? false };
  return new Promise((resolve, reject) => {
    const request = httpsRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }));
    });
    request.on('error', reject);
    request.end(body);
  });
}

export function openHttp2(port: number, options?: SecureClientSessionOptions): ClientHttp2Session {
  const session = connectHttp2(`https://localhost:${port}`, { ca, ...options });
  session.on('error', () => {});
  return session;
}

export function askOn(session: ClientHttp2Session, { method = 'GET', path = '/', headers = {}, body }: Ask = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = session.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined });
    const chunks: Buffer[] = [];
    let head: IncomingHttpHeaders & { ':status'?: number | undefined } = {};
    stream.on('response', (received) => {
      head = received;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('end', () => resolve({ status: head[':status'] ?? 0, headers: head, body: Buffer.concat(chunks) }));
    if (body !== undefined) stream.end(body);
  });
}

export async function askHttp2(port: number, ask: Ask = {}): Promise<Answer> {
  const session = openHttp2(port, ask.pair);
  try {
    return await askOn(session, ask);
  } finally {
    session.close();
  }
}

/** A TLS connection for sending bytes that no client library would send. */
export function openRaw(port: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const socket = connectTls({ host: '127.0.0.1', port, ca, ALPNProtocols: ['http/1.1'] }, () => resolve(socket));
    socket.on('error', reject);
  });
}

/** All that the server sends until it closes the connection. */
export function readToEnd(socket: Socket): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
}

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const textReply = (text: string, status = 200): Reply => ({ status, headers: { 'content-type': 'text/plain' }, body: bytes(text) });
