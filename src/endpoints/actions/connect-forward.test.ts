import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { deferred } from '#base';
import type { Identified, Outlet, Reply } from '#request';
import { forwardRequest } from './connect-forward.ts';

/** The streamed answer of the back end on this port. */
async function replyFrom(port: number): Promise<Extract<Reply, { stream: unknown }>> {
  const request = { method: 'GET', path: '/', headers: new Map(), signal: new AbortController().signal, bodyToHandOn: async () => new Uint8Array() };
  const destination = { backEnd: { isSecure: false, host: '127.0.0.1', port, isLocalRefused: false }, path: '/', mustUpgrade: false, base: undefined };
  const reply = await forwardRequest(request as unknown as Identified, destination, { maxProxiedBytes: 0, namesCaller: () => false });
  assert.ok('stream' in reply);
  return reply;
}

test('an answer of a back end waits for a client that pauses, and holds the back end up', { timeout: 30_000 }, async () => {
  // More than the buffers of a connection hold.
  const PIECES = 32;
  const piece = Buffer.alloc(1024 * 1024);
  let sent = 0;
  const server = createServer((request, response) => {
    if (request.url === '/short') return void response.end();
    const send = (): void => {
      if (sent++ === PIECES) response.end();
      else response.write(piece, send);
    };
    send();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const reply = await replyFrom(port);
    assert.equal(reply.mayPause, true);
    const [hasBegun, goesOn] = [deferred<void>(), deferred<void>()];
    let received = 0;
    const out: Outlet = {
      signal: new AbortController().signal,
      open() {},
      shutdown() {},
      write({ length }) {
        received += length;
        hasBegun.resolve();
        return false;
      },
      drained: () => goesOn.promise,
    };
    const streamed = reply.stream(out);
    await hasBegun.promise;
    const first = received;
    // Time enough for the next piece to come.
    await once(get({ host: '127.0.0.1', port, path: '/short', agent: false }), 'response');
    assert.deepEqual([received, sent < PIECES], [first, true]);
    goesOn.resolve();
    await streamed;
    assert.equal(received, PIECES * piece.length);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('an answer that the server ends is broken off, and its back end let go of, also where that says nothing more', { timeout: 30_000 }, async () => {
  const letGo: Promise<unknown>[] = [];
  const server = createServer((_request, response) => {
    letGo.push(once(response, 'close'));
    response.write('part');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    for (const isAtOnce of [true, false]) {
      const reply = await replyFrom((server.address() as AddressInfo).port);
      const over = new AbortController();
      if (isAtOnce) over.abort();
      const write = (): boolean => {
        over.abort();
        return true;
      };
      await assert.rejects(reply.stream({ signal: over.signal, open() {}, shutdown() {}, write, drained: () => Promise.resolve() }));
    }
    await Promise.all(letGo);
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test('the back end of an answer that is refused is let go of, however much it has to say', { timeout: 30_000 }, async () => {
  const letGo = deferred<void>();
  const server = createServer((_request, response) => {
    response.once('close', () => letGo.resolve());
    response.writeHead(302, { location: 'http://elsewhere.example/' }).write('part');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  try {
    await assert.rejects(replyFrom((server.address() as AddressInfo).port), { message: 'the backend attempted to redirect this request, which is not permitted' });
    await letGo.promise;
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
