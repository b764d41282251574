import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { connect, type ConnectionOptions } from 'node:tls';
import { serverNameIn } from './server-name.ts';

/** The first bytes that a client sends. */
function helloOf(options: ConnectionOptions): Promise<Buffer> {
  return new Promise((resolve) => {
    const socket = new Duplex({ read: () => {}, write: (chunk: Buffer) => resolve(chunk) });
    connect({ socket, ...options }).on('error', () => {});
  });
}

const size = (width: number, value: number): Buffer => {
  const bytes = Buffer.alloc(width);
  bytes.writeUIntBE(value, 0, width);
  return bytes;
};
const vector = (width: number, ...content: readonly Buffer[]): Buffer => Buffer.concat([size(width, Buffer.concat(content).length), ...content]);
const record = (content: Buffer): Buffer => Buffer.concat([Buffer.from([22, 3, 1]), vector(2, content)]);
const message = (...extensions: readonly Buffer[]): Buffer =>
  Buffer.concat([size(1, 1), vector(3, Buffer.alloc(34), vector(1), vector(2, size(2, 0x1301)), vector(1, size(1, 0)), ...(extensions.length === 0 ? [] : [vector(2, ...extensions)]))]);
const extension = (type: number, content: Buffer): Buffer => Buffer.concat([size(2, type), vector(2, content)]);
const nameOf = (name: string, sort = 0): Buffer => extension(0, vector(2, size(1, sort), vector(2, Buffer.from(name))));

const NONE = { name: undefined };

test('the name that a client asks for, and none where it asks for none', async () => {
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    assert.deepEqual(serverNameIn(await helloOf({ servername: 'a.test', maxVersion })), { name: 'a.test' });
    assert.deepEqual(serverNameIn(await helloOf({ servername: '', maxVersion })), NONE);
  }
});

test('more is needed until all of it is there', async () => {
  const hello = await helloOf({ servername: 'a.test' });
  for (let length = 0; length < hello.length; length++) assert.equal(serverNameIn(hello.subarray(0, length)), undefined);
  assert.deepEqual(serverNameIn(Buffer.concat([hello, Buffer.from([20, 3, 3, 0, 1, 1])])), { name: 'a.test' });
});

test('a message in several records', () => {
  const whole = message(extension(43, size(2, 0)), nameOf('a.test'));
  const pieces = Array.from(whole, (_, at) => record(whole.subarray(at, at + 1)));
  assert.deepEqual(serverNameIn(Buffer.concat(pieces)), { name: 'a.test' });
  assert.equal(serverNameIn(Buffer.concat(pieces.slice(0, -1))), undefined);
  assert.deepEqual(serverNameIn(Buffer.concat([record(whole.subarray(0, 9)), record(Buffer.alloc(0)), record(whole.subarray(9))])), { name: 'a.test' });
});

test('what asks for no name', () => {
  const asking: Readonly<Record<string, Buffer>> = {
    'no extensions': record(message()),
    'others': record(message(extension(43, size(2, 0)))),
    'a name of another sort': record(message(nameOf('a.test', 1))),
    'an empty name': record(message(nameOf(''))),
    'an empty list': record(message(extension(0, Buffer.alloc(0)))),
    'another message': record(Buffer.from([2, 0, 0])),
    'another record': Buffer.from([21]),
    'another record inside a message': Buffer.concat([record(message().subarray(0, 9)), Buffer.from([23])]),
    'HTTP': Buffer.from('GET / HTTP/1.1\r\n\r\n'),
  };
  for (const [what, bytes] of Object.entries(asking)) assert.deepEqual(serverNameIn(bytes), NONE, what);
});

test('a message that is too long is not waited for', () => {
  assert.deepEqual(serverNameIn(record(Buffer.from([1, 1, 0, 0]))), NONE);
  const empty = (count: number): Buffer => Buffer.concat(Array.from({ length: count }, () => record(Buffer.alloc(0))));
  assert.deepEqual([serverNameIn(empty(100)), serverNameIn(empty(101))], [undefined, NONE]);
  const begun = Buffer.concat([Buffer.from([22, 3, 1]), size(2, 0xffff), Buffer.from([1, 0, 0x7f, 0xfc])]);
  assert.equal(serverNameIn(Buffer.concat([begun, Buffer.alloc(32_000)])), undefined);
});

test('whatever is in a message, it is read to its end', () => {
  const whole = record(message(nameOf('a.test'), extension(43, size(2, 0))));
  for (let at = 9; at < whole.length; at++) {
    for (const value of [0, 1, 0x7f, 0xff]) {
      const broken = Buffer.from(whole);
      broken[at] = value;
      assert.ok(serverNameIn(broken) !== undefined);
    }
  }
  for (let round = 0; round < 200; round++) serverNameIn(record(Buffer.concat([Buffer.from([1, 0, 0, 100]), randomBytes(100)])));
});
