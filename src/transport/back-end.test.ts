import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer as createPlainServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { createServer, Socket, type AddressInfo, type Server } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { mock, test, type TestContext } from 'node:test';
import { askBackEnd, type BackEnd, type BackEndTrust } from './back-end.ts';
import { TransportFailure } from './failure.ts';

const SWITCH = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: SPDY/3.1\r\n\r\n';

/** A back end that makes every connection one of another protocol, and the connections it has. */
async function switching(t: TestContext): Promise<{ backEnd: BackEnd; taken: Promise<Socket> }> {
  const server = createServer((socket) => void socket.on('error', () => {}).once('data', () => socket.write(SWITCH)));
  const taken = once(server, 'connection').then(([socket]) => socket as Socket);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return { backEnd: { isSecure: false, host: '127.0.0.1', port: (server.address() as AddressInfo).port, isLocalRefused: false }, taken };
}

test('another protocol that nobody asked for is refused, and the connection is let go', async (t) => {
  const { backEnd, taken } = await switching(t);
  const call = askBackEnd(backEnd, { method: 'GET', path: '/', headers: {}, signal: new AbortController().signal });
  await assert.rejects(call, (error) => error instanceof TransportFailure && error.status === 101);
  await once(await taken, 'close');
});

test('the signal of a call ends the connection that it has become', async (t) => {
  const { backEnd, taken } = await switching(t);
  const stop = new AbortController();
  const { socket } = await askBackEnd(backEnd, { method: 'GET', path: '/', headers: {}, mayUpgrade: true, signal: stop.signal });
  assert.equal(socket?.destroyed, false);
  stop.abort();
  await once(await taken, 'close');
});

test('what a back end sends together with the switch of protocols is the first that is read', { timeout: 30_000 }, async (t) => {
  const server = createServer((socket) => void socket.on('error', () => {}).once('data', () => socket.write(`${SWITCH}first`)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const backEnd = { isSecure: false, host: '127.0.0.1', port: (server.address() as AddressInfo).port, isLocalRefused: false };
  const { socket } = await askBackEnd(backEnd, { method: 'GET', path: '/', headers: {}, mayUpgrade: true, signal: new AbortController().signal });
  assert(socket !== undefined);
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  assert.equal(first.toString(), 'first');
});

test('a body goes with its length, whatever the method', async (t) => {
  const server = createPlainServer((request, response) => void request.pipe(response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const backEnd = { isSecure: false, host: '127.0.0.1', port: (server.address() as AddressInfo).port, isLocalRefused: false };
  for (const method of ['POST', 'DELETE', 'GET']) {
    for (const body of ['', 'x\u00fc']) {
      const { chunks } = await askBackEnd(backEnd, { method, path: '/', headers: {}, body: Buffer.from(body), signal: new AbortController().signal });
      const echoed: Uint8Array[] = [];
      for await (const chunk of chunks) echoed.push(chunk);
      assert.equal(Buffer.concat(echoed).toString(), body, method);
    }
  }
});

test('a back end that vanishes while nothing is sent to it is found out', async (t) => {
  const { backEnd } = await switching(t);
  const set = mock.method(Socket.prototype, 'setKeepAlive');
  t.after(() => set.mock.restore());
  for (const isSecure of [false, true]) {
    const call = askBackEnd({ ...backEnd, isSecure }, { method: 'GET', path: '/', headers: {}, signal: new AbortController().signal });
    await assert.rejects(call, TransportFailure);
  }
  assert.deepEqual(set.mock.calls.map(({ arguments: given }) => given), [[true, 30_000], [true, 30_000]]);
});

test('a back end that does not take the connection in time is given up; one that has taken it may be silent', async (t) => {
  const silent = createServer((socket) => void socket.on('error', () => {}).resume());
  silent.listen(0, '127.0.0.1');
  await once(silent, 'listening');
  t.after(() => silent.close());
  const { backEnd, taken } = await switching(t);
  const set = mock.method(Socket.prototype, 'setTimeout', function (this: Socket) {
    return this;
  });
  t.after(() => set.mock.restore());
  /** For how long the sockets may be silent, as told so far, and what follows. */
  const told = (): readonly (readonly unknown[])[] => set.mock.calls.map(({ arguments: given }) => given);
  const request = { method: 'GET', path: '/', headers: {}, mayUpgrade: true };

  const stop = new AbortController();
  await askBackEnd(backEnd, { ...request, signal: stop.signal });
  assert.deepEqual(told().map(([ms]) => ms), [30_000, 0]);
  stop.abort();
  await once(await taken, 'close');

  const connected = once(silent, 'connection');
  const call = askBackEnd({ ...backEnd, isSecure: true, port: (silent.address() as AddressInfo).port }, { ...request, signal: new AbortController().signal });
  const refused = assert.rejects(call, (error) => error instanceof TransportFailure && error.code === 'timeout');
  const [socket] = (await connected) as [Socket];
  await once(socket, 'data');
  const [[ms, late] = []] = told().slice(2);
  assert.deepEqual([ms, told().length], [30_000, 3], 'a connection without its handshake is none');
  (late as () => void)();
  await refused;
  await once(socket, 'close');
});

test('header fields arrive under their names in lower case, each as often as it was sent, whatever they are called', async (t) => {
  const sent = ['__proto__: a', 'Constructor: b', 'X-Twice: 1', '__PROTO__: c', 'x-twice: 2', 'Content-Length: 0'];
  const server = createServer((socket) => void socket.on('error', () => {}).once('data', () => socket.end(['HTTP/1.1 200 OK', ...sent, '', ''].join('\r\n'))));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { headers } = await askBackEnd(
    { isSecure: false, host: '127.0.0.1', port: (server.address() as AddressInfo).port, isLocalRefused: false },
    { method: 'GET', path: '/', headers: {}, signal: new AbortController().signal },
  );
  assert.deepEqual(Object.entries(headers), [['__proto__', ['a', 'c']], ['constructor', ['b']], ['x-twice', ['1', '2']], ['content-length', ['0']]]);
});

/** A back end that answers `/204` with status 204 and `rest`, the header fields and a body, and how it is asked for a status. */
async function answeringAsAsked(t: TestContext, rest: string): Promise<{ readonly server: Server; readonly ask: (status: string) => ReturnType<typeof askBackEnd> }> {
  const server = createServer((socket) => void socket.on('error', () => {}).once('data', (asked) => socket.write(`HTTP/1.1 ${asked.toString().slice(5, 8)} So\r\n${rest}`)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const backEnd = { isSecure: false, host: '127.0.0.1', port: (server.address() as AddressInfo).port, isLocalRefused: false };
  const stop = new AbortController();
  t.after(() => stop.abort());
  return { server, ask: (status) => askBackEnd(backEnd, { method: 'GET', path: `/${status}`, headers: {}, signal: stop.signal }) };
}

test('an answer that may have no body has no length, whatever the back end says', async (t) => {
  const { ask } = await answeringAsAsked(t, 'Content-Length: 2\r\nX-A: 1\r\n\r\nhi');
  const lengthOf = async (status: string) => {
    const { headers } = await ask(status);
    assert.deepEqual(headers['x-a'], ['1'], status);
    return headers['content-length'];
  };
  for (const status of ['204', '205']) assert.equal(await lengthOf(status), undefined, status);
  // That of the answer to a request without a condition.
  for (const status of ['200', '304']) assert.deepEqual(await lengthOf(status), ['2'], status);
});

test('an answer with a status that HTTP does not have is none, and its connection is let go', async (t) => {
  const { server, ask } = await answeringAsAsked(t, '\r\n');
  for (const status of ['000', '099']) {
    const taken = once(server, 'connection');
    await assert.rejects(ask(status), (error) => error instanceof TransportFailure && error.code === 'garbage' && error.message.includes(`status ${Number(status)},`));
    const [socket] = (await taken) as [Socket];
    if (!socket.closed) await once(socket, 'close');
  }
  for (const status of ['200', '599', '999']) assert.equal((await ask(status)).status, Number(status));
});

test('the client certificate is shown as it is now, and only to a back end that is trusted', async (t) => {
  const pem = (name: string): string => readFileSync(`test/fixtures/tls/${name}`, 'utf8');
  const server = createSecureServer({ cert: pem('server.crt'), key: pem('server.key'), requestCert: true, rejectUnauthorized: false }, (request, response) => {
    response.end(String((request.socket as TLSSocket).getPeerCertificate().subject.CN));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const first = { cert: pem('client.crt'), key: pem('client.key') };
  let current = first;
  const trusting = { authority: pem('ca.crt'), clientCertificate: { ...first, current: async () => current } };
  const ask = async (trust: BackEndTrust = trusting): Promise<string> => {
    const backEnd = { isSecure: true, host: '127.0.0.1', port: (server.address() as AddressInfo).port, trust, isLocalRefused: false };
    const { chunks } = await askBackEnd(backEnd, { method: 'GET', path: '/', headers: {}, signal: new AbortController().signal });
    let text = '';
    for await (const chunk of chunks) text += Buffer.from(chunk).toString();
    return text;
  };
  assert.equal(await ask(), 'jane');
  current = { cert: pem('server.crt'), key: pem('server.key') };
  assert.equal(await ask(), 'test-server');
  assert.equal(await ask({ authority: pem('ca.crt'), clientCertificate: first }), 'jane');
  const isUntrusted = (error: unknown): boolean => error instanceof TransportFailure && error.code === 'untrusted';
  for (const trust of [{ authority: pem('stranger.crt') }, { isVerified: true }]) await assert.rejects(ask(trust), isUntrusted);
  assert.equal(await ask({ authority: pem('stranger.crt'), isVerified: false, clientCertificate: first }), 'jane');
});
