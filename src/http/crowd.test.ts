import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred } from '#base';
import type { Outlet, Reply } from '#request';
import { bytes, openRaw, readToEnd, withListener } from './test-support.ts';

const RECEIVERS = 24;
const PIECES = 60;
const BIG = 'x'.repeat(20_000);

/** Hands out the outlets of all streams once they are open. */
function streams(count: number): { handle(): Promise<Reply>; readonly all: Promise<readonly Outlet[]>; end(): void } {
  const outlets: Outlet[] = [];
  const opened = deferred<readonly Outlet[]>();
  const ended = deferred<void>();
  return {
    handle: () =>
      Promise.resolve({
        status: 200,
        headers: { 'content-type': 'text/plain' },
        stream: (out) => {
          if (outlets.push(out) === count) opened.resolve(outlets);
          return ended.promise;
        },
      }),
    all: opened.promise,
    end: () => ended.resolve(),
  };
}

test('many receivers of the same get all of it in order, also what is written while they are left alone', async () => {
  const { handle, all, end } = streams(RECEIVERS);
  await withListener(handle, {}, async ({ port }) => {
    const sockets = await Promise.all(Array.from({ length: RECEIVERS }, () => openRaw(port)));
    const texts = sockets.map((socket) => {
      socket.write('GET / HTTP/1.0\r\n\r\n');
      return readToEnd(socket);
    });
    const outlets = await all;
    let expected = '';
    for (let at = 0; at < PIECES; at++) {
      const piece = `${at},${at % 7 === 0 ? BIG : ''}`;
      expected += piece;
      const shared = bytes(piece);
      for (const outlet of outlets) outlet.write(shared);
      // Some come in one turn, some in turns of their own.
      if (at % 3 === 0) await new Promise((resolve) => setImmediate(resolve));
      if (at % 10 === 0) await Promise.all(outlets.map((outlet) => outlet.drained()));
    }
    end();
    for (const text of await Promise.all(texts)) {
      const body = text.slice(text.indexOf('\r\n\r\n') + 4);
      assert.equal(body.length, expected.length);
      assert.ok(body === expected);
    }
  });
});
