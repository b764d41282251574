import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '#testing';
import { newAuthority } from '../support/certificates.ts';
import { ask, codesOf } from './raw-connection.ts';

/** Ends the connection after the answer; one of the headers. */
const CLOSE = 'Connection: close\r\n';
const MAX_HEADERS = 1_000;
const MAX_BYTES = 65_536;

let plain: TestServer;
let secure: TestServer;
before(async () => {
  const tls = await (await newAuthority()).issue('server', ['127.0.0.1', 'localhost']);
  plain = await startTestServer({ controllers: 'none', over: 'http1' });
  secure = await startTestServer({ controllers: 'none', over: 'http2', listen: { tls } });
});
after(() => Promise.all([plain.close(), secure.close()]));

const overHttp1 = async (headers: string): Promise<readonly number[]> => codesOf(await ask(plain, `GET /livez HTTP/1.1\r\nHost: x\r\n${headers}\r\n`));

test('header bombs: 1,000 headers pass, one more does not', async () => {
  assert.deepEqual(await overHttp1(`${CLOSE}${'a: b\r\n'.repeat(MAX_HEADERS - 2)}`), [200]);
  assert.deepEqual(await overHttp1(`${CLOSE}${'a: b\r\n'.repeat(MAX_HEADERS - 1)}`), [431]);
});

test('header bombs: 64 KiB of headers are the end, in one of them, in many, or in the target', async () => {
  assert.deepEqual(await overHttp1(`${CLOSE}a: ${'b'.repeat(MAX_BYTES - 1_000)}\r\n`), [200]);
  assert.deepEqual(await overHttp1(`a: ${'b'.repeat(MAX_BYTES)}\r\n`), [431]);
  assert.deepEqual(await overHttp1(`a: ${'b'.repeat(1_000)}\r\n`.repeat(66)), [431]);
  assert.deepEqual(await overHttp1(`${'a'.repeat(MAX_BYTES)}: b\r\n`), [431]);
  const target = await ask(plain, `GET /livez?${'x'.repeat(MAX_BYTES)} HTTP/1.1\r\nHost: x\r\n\r\n`);
  assert.deepEqual(codesOf(target), [431]);
});

test('header bombs: an upgrade request is held to the same', async () => {
  assert.deepEqual(await overHttp1(`Connection: Upgrade\r\nUpgrade: websocket\r\n${'a: b\r\n'.repeat(MAX_HEADERS)}`), [431]);
  assert.deepEqual(await overHttp1(`Connection: Upgrade\r\nUpgrade: h2c\r\n${'a: b\r\n'.repeat(MAX_HEADERS)}`), [431]);
});

test('header bombs: HTTP/2 refuses the stream and serves the next', async () => {
  const many = Object.fromEntries(Array.from({ length: MAX_HEADERS + 1 }, (_, n) => [`a${n}`, 'b']));
  await assert.rejects(secure.request('GET', '/livez', undefined, many));
  const few = Object.fromEntries(Array.from({ length: MAX_HEADERS - 50 }, (_, n) => [`a${n}`, 'b']));
  assert.equal((await secure.request('GET', '/livez', undefined, few)).status, 200);
});
