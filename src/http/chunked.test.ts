import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Outlet, Reply } from '#request';
import { toChunk, LAST_CHUNK } from './chunked.ts';
import { bytes, openRaw, readToEnd, withListener } from './test-support.ts';

/** Answers with a stream, whatever is asked. */
const streaming = (stream: (out: Outlet) => Promise<void>) => (): Promise<Reply> =>
  Promise.resolve({ status: 200, headers: { 'content-type': 'text/plain' }, stream });

const bodyOf = (answer: string): string => answer.slice(answer.indexOf('\r\n\r\n') + 4);
const inTurns = async (out: Outlet, pieces: readonly string[]): Promise<void> => {
  for (const piece of pieces) {
    out.write(bytes(piece));
    await out.drained();
  }
};

test('a piece is framed by its length in hexadecimal digits, for all who get it in turn in the same buffer; an empty one would be the end', () => {
  const piece = bytes('x'.repeat(26));
  assert.equal(toChunk(piece).toString(), `1a\r\n${'x'.repeat(26)}\r\n`);
  assert.equal(toChunk(piece), toChunk(piece));
  assert.equal(toChunk(bytes('ab')).toString(), '2\r\nab\r\n');
  assert.equal(toChunk(bytes('')).length, 0);
  assert.equal(LAST_CHUNK.toString(), '0\r\n\r\n');
});

test('a stream over HTTP/1.1 is framed, ended, and followed by the next answer on its connection', async () => {
  await withListener(streaming((out) => inTurns(out, ['one', '', 'twotwo'])), {}, async ({ port }) => {
    const socket = await openRaw(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n');
    const text = await readToEnd(socket);
    const [first = '', second = ''] = text.split('HTTP/1.1 200 OK\r\n').slice(1);
    for (const answer of [first, second]) {
      assert.match(answer, /transfer-encoding: chunked\r\n/i);
      assert.equal(bodyOf(answer), '3\r\none\r\n6\r\ntwotwo\r\n0\r\n\r\n');
    }
  });
});

test('a stream over HTTP/1.0 is not framed: the end of the connection is its end', async () => {
  await withListener(streaming((out) => inTurns(out, ['one', 'two'])), {}, async ({ port }) => {
    const socket = await openRaw(port);
    socket.write('GET / HTTP/1.0\r\n\r\n');
    const text = await readToEnd(socket);
    assert.doesNotMatch(text, /transfer-encoding/i);
    assert.equal(bodyOf(text), 'onetwo');
  });
});

test('a stream that breaks off is not ended as if it were whole', async () => {
  const broken = streaming(async (out) => {
    await inTurns(out, ['one']);
    throw new Error('broke off');
  });
  await withListener(broken, {}, async ({ port }) => {
    const socket = await openRaw(port);
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.equal(bodyOf(await readToEnd(socket)), '3\r\none\r\n');
  });
});
