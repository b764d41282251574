// What arrives over a socket and is no request, or not a whole one.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { bounded, brokenInto, showsNothing } from './judge.ts';

const server = brokenInto({ over: 'http1' });

const open = async (): Promise<Socket> => {
  const socket = connect({ host: '127.0.0.1', port: server().server.port ?? 0 });
  await once(socket, 'connect');
  // The server may cut at any time; that is what is looked at.
  socket.on('error', () => {});
  return socket;
};

/** A connection that was cut is closed, too: `once` would take the error that tells so for a failure of this test. */
const closed = (socket: Socket): Promise<void> => new Promise((resolve) => socket.on('close', () => resolve()));

/** Sends, ends the sending side, and reads until the server closes. Who ends it is taken for leaving: what takes time may remain unanswered. */
const say = (...pieces: readonly (string | Uint8Array)[]): Promise<string> => speak(pieces, true);

/** The same without ending the sending side: the last request says `Connection: close`. */
const ask = (...pieces: readonly string[]): Promise<string> => speak(pieces, false);

async function speak(pieces: readonly (string | Uint8Array)[], isEnded: boolean): Promise<string> {
  const socket = await open();
  const end = closed(socket);
  const heard: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => heard.push(chunk));
  for (const piece of pieces) socket.write(piece);
  if (isEnded) socket.end();
  await end;
  return Buffer.concat(heard).toString('latin1');
}

const codesOf = (answer: string): number[] => [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map((match) => Number(match[1]));
const admin = 'Host: x\r\nAuthorization: Bearer admintoken\r\n';
const PATH = '/api/v1/namespaces/default/configmaps';

/** A transfer coding that the server does not know is refused, which is none of its failures. */
const UNKNOWN_CODING = 501;

function answeredWithoutFailure(text: string): void {
  for (const code of codesOf(text)) assert.ok(code < 500 || code === UNKNOWN_CODING, text);
  showsNothing({ text, status: 0, headers: {}, body: undefined, bytes: new Uint8Array() });
}

const NO_REQUESTS = [
  'x', '\r\n\r\n', 'GET', 'GET /', 'GET / HTTP/9.9\r\n\r\n', 'GET  /  HTTP/1.1\r\n\r\n', `GET /\u0000 HTTP/1.1\r\n${admin}\r\n`, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '\u0016\u0003\u0001\u0002\u0000\u0001',
  `GET ${PATH} HTTP/1.1\r\nHost: x\r\n broken: fold\r\n\r\n`, `GET ${PATH} HTTP/1.1\r\nbad header\r\n\r\n`, `GET ${PATH} HTTP/1.1\r\n${admin}Content-Length: -1\r\n\r\n`, `POST ${PATH} HTTP/1.1\r\n${admin}Content-Length: 1e9\r\n\r\nx`,
  `POST ${PATH} HTTP/1.1\r\n${admin}Content-Length: 5\r\nContent-Length: 6\r\n\r\nxxxxxx`, `POST ${PATH} HTTP/1.1\r\n${admin}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  `POST ${PATH} HTTP/1.1\r\n${admin}Transfer-Encoding: chunked\r\n\r\nzz\r\nx\r\n`, `POST ${PATH} HTTP/1.1\r\n${admin}Transfer-Encoding: gzip\r\n\r\nx`, `GET ${PATH} HTTP/1.1\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`,
  `GET /${'x'.repeat(70_000)} HTTP/1.1\r\n${admin}\r\n`, `GET ${PATH} HTTP/1.1\r\n${'a: b\r\n'.repeat(3_000)}\r\n`, `GET ${PATH} HTTP/1.1\r\n${admin}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\n`, `CONNECT example.com:443 HTTP/1.1\r\n${admin}\r\n`,
];

test('what is no request is refused or cut off', async () => {
  for (const text of NO_REQUESTS) answeredWithoutFailure(await say(text));
});

test('RX-22 a method that nobody knows is one that no resource has, behind others too', async () => {
  const other = (line: string): string => `${line} HTTP/1.1\r\nConnection: close\r\n${admin}\r\n`;
  for (const line of [`FOO ${PATH}`, `get ${PATH}`, `GET-ALL ${PATH}?a=b`, `CONNECT ${PATH}`, 'CONNECT example.com:443']) {
    const answer = await ask(other(line));
    assert.deepEqual(codesOf(answer), [405], line);
    const { kind, reason, code } = JSON.parse(answer.split('\r\n\r\n')[1] ?? '');
    assert.deepEqual([kind, reason, code], ['Status', 'MethodNotAllowed', 405], line);
    assert.deepEqual(codesOf(await ask(`GET /livez HTTP/1.1\r\n${admin}\r\n`, other(line))), [200, 405], line);
  }
  for (const line of ['PRI *', 'FOO', '(FOO) /', 'FOO  /', '\u0016\u0003\u0001 /']) assert.deepEqual(codesOf(await ask(other(line))), [400], line);
});

test('any bytes are refused or cut off', async () => {
  await fc.assert(fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200, size: 'max' }), async (bytes) => answeredWithoutFailure(await say(bytes))), bounded(60));
});

test('a request that ends in the middle of its head or body has no effect', async () => {
  const object = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"half"}}';
  const whole = `POST ${PATH} HTTP/1.1\r\n${admin}Content-Type: application/json\r\nContent-Length: ${object.length}\r\n\r\n${object}`;
  for (let end = 1; end < whole.length; end += 7) answeredWithoutFailure(await say(whole.slice(0, end)));
  const chunked = `POST ${PATH} HTTP/1.1\r\n${admin}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${object.length.toString(16)}\r\n${object}\r\n`;
  answeredWithoutFailure(await say(chunked));
  assert.equal((await server().request('GET', `${PATH}/half`)).status, 404);
  // The same whole, in pieces, is a request like any other.
  const closing = whole.replace('Host: x', 'Connection: close\r\nHost: x');
  assert.deepEqual(codesOf(await ask(...(closing.match(/[^]{1,50}/g) ?? []))), [201]);
});

test('a client that leaves in the middle of a body, a list or a watch leaves nothing behind', async () => {
  for (const text of [
    `POST ${PATH} HTTP/1.1\r\n${admin}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"a":"`, `GET ${PATH}?watch=1 HTTP/1.1\r\n${admin}\r\n`, `GET /openapi/v2 HTTP/1.1\r\n${admin}\r\n`,
  ]) {
    for (let round = 0; round < 5; round++) {
      const socket = await open();
      socket.write(text);
      if (text.includes('watch')) await once(socket, 'data');
      socket.destroy();
    }
  }
  assert.equal((await server().request('GET', '/readyz')).status, 200);
});

test('requests behind one another on one connection are answered in order', async () => {
  const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\n${more}${admin}\r\n`;
  const answer = await ask(get('/livez'), get(`${PATH}/none`), get('/version', 'Connection: close\r\n'));
  assert.deepEqual(codesOf(answer), [200, 404, 200]);
});
