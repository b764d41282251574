// Connections that take their time, against a listener whose times are short.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, test } from 'node:test';
import { DEFAULT_LIMITS, openListener, type ConnectionLimits, type Listener, type ListenerTls } from '#http';
import { newAuthority } from '../support/certificates.ts';
import { ASK, closed, FLAG, FRAME, frame, openHttp2 } from './raw-connection.ts';

const SHORT_MS = 150;
const listeners: Listener[] = [];
afterEach(() => Promise.all(listeners.splice(0).map((listener) => listener.close({ graceMs: 0 }))));

async function open(limits: Partial<ConnectionLimits>, tls?: ListenerTls): Promise<Listener> {
  const handle = async (request: { body(limit: number): Promise<Uint8Array> }) => ({ status: 200, headers: {}, body: await request.body(1_000) });
  const listener = await openListener({ host: '127.0.0.1', port: 0, handle, limits: { checkIntervalMs: 20, ...limits }, ...(tls === undefined ? {} : { tls }) });
  listeners.push(listener);
  return listener;
}

async function dial({ port }: Listener): Promise<{ readonly socket: Socket; heard(): string }> {
  const socket = connect({ host: '127.0.0.1', port });
  let heard = '';
  socket.on('error', () => {}).on('data', (chunk) => (heard += String(chunk)));
  await once(socket, 'connect');
  return { socket, heard: () => heard };
}

/** A few bytes now and then, as long as anybody listens. */
function drip(socket: Socket, bytes: string | Uint8Array): void {
  const timer = setInterval(() => socket.write(bytes), 20);
  socket.once('close', () => clearInterval(timer));
}

test('slow headers: a head that never ends is given up, however steadily it comes', async () => {
  const { socket, heard } = await dial(await open({ headersTimeoutMs: SHORT_MS }));
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ');
  drip(socket, 'a');
  await closed(socket);
  assert.match(heard(), /^HTTP\/1\.1 408 /);
});

test('slow bodies: a body that never ends is given up, however steadily it comes', async () => {
  const { socket, heard } = await dial(await open({ headersTimeoutMs: SHORT_MS, requestTimeoutMs: 2 * SHORT_MS }));
  socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n');
  drip(socket, 'a');
  await closed(socket);
  assert.doesNotMatch(heard(), /^HTTP\/1\.1 200 /);
});

test('idle connections: one on which a request was answered and no other comes is closed', async () => {
  const { socket, heard } = await dial(await open({ idleTimeoutMs: SHORT_MS }));
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await closed(socket);
  assert.match(heard(), /^HTTP\/1\.1 200 /);
});

test('idle connections: empty lines behind a request that was answered do not keep one, however steadily they come', { timeout: 30_000 }, async () => {
  const { socket, heard } = await dial(await open({ headersTimeoutMs: SHORT_MS, idleTimeoutMs: SHORT_MS }));
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  drip(socket, '\r\n');
  await closed(socket);
  assert.match(heard(), /^HTTP\/1\.1 200 /);
});

test('idle connections by the thousand: all are closed in time, and somebody with a request is served beside them', async () => {
  const listener = await open({ headersTimeoutMs: 2_000, idleTimeoutMs: 2_000 });
  const idle = await Promise.all(Array.from({ length: 1_000 }, () => dial(listener)));
  const { socket, heard } = await dial(listener);
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await closed(socket);
  assert.match(heard(), /^HTTP\/1\.1 200 /);
  await Promise.all(idle.map((one) => closed(one.socket)));
});

const certificate = async (): Promise<ListenerTls> => (await newAuthority()).issue('server', ['127.0.0.1']);

test('slow headers over HTTP/2: a head that never ends is given up, however steadily it comes', { timeout: 30_000 }, async () => {
  const socket = await openHttp2({ server: await open({ idleTimeoutMs: SHORT_MS }, await certificate()) });
  // A field with a value of 10,000 bytes, none of which has come.
  const head = Buffer.concat([ASK, Buffer.from([0, 1, 0x61, 0x7f, 0x91, 0x4d]), Buffer.alloc(10_000)]);
  socket.resume().write(frame(FRAME.headers, FLAG.endHeaders | FLAG.endStream, 1, head).subarray(0, -10_000));
  drip(socket, 'a');
  await closed(socket);
});

test('a client of HTTP/2 that leaves its side open when the server has ended, and goes on sending, is cut off', { timeout: 30_000 }, async () => {
  const listener = await open({ idleTimeoutMs: SHORT_MS, stallTimeoutMs: SHORT_MS }, await certificate());
  const socket = await openHttp2({ server: listener });
  socket.allowHalfOpen = true;
  drip(socket, frame(FRAME.ping, FLAG.none, 0, Buffer.alloc(8)));
  await once(socket.resume(), 'end');
  await closed(socket);
});

test('every time has a bound by default', () => {
  for (const [name, value] of Object.entries(DEFAULT_LIMITS)) assert.ok(Number.isFinite(value) && value > 0, name);
  assert.ok(DEFAULT_LIMITS.headersTimeoutMs <= DEFAULT_LIMITS.requestTimeoutMs);
});
