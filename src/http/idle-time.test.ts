import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { TLSSocket } from 'node:tls';
import { test } from 'node:test';
import { askHttp1, askOn, openHttp2, openRaw, readToEnd, textReply, withListener } from './test-support.ts';

const limits = { idleTimeoutMs: 100 };

test('a session on which nothing is asked any more is closed', async () => {
  await withListener(async () => textReply('here'), { limits }, async ({ port }) => {
    const session = openHttp2(port);
    const isClosed = once(session, 'close');
    assert.equal((await askOn(session)).body.toString(), 'here');
    await isClosed;
  });
});

test('a session on which nothing was ever asked is closed', async () => {
  await withListener(async () => textReply('here'), { limits }, ({ port }) => once(openHttp2(port), 'close').then(() => {}));
});

test('a session whose answer takes longer than sessions may be idle stays, as long as that', async () => {
  let answer = (): void => {};
  const handle = (): Promise<ReturnType<typeof textReply>> => new Promise((resolve) => (answer = () => resolve(textReply('late'))));
  await withListener(handle, { limits }, async ({ port }) => {
    const session = openHttp2(port);
    const asked = askOn(session);
    // Another one, idle from later on, is closed meanwhile: the time is over for both.
    await once(openHttp2(port), 'close');
    assert.equal(session.closed, false);
    answer();
    assert.equal((await asked).body.toString(), 'late');
    await once(session, 'close');
  });
});

test('an HTTP/1.1 connection whose answer takes longer than connections may be idle stays, as long as that', async () => {
  let answer = (): void => {};
  const handle = ({ path }: { readonly path: string }): Promise<ReturnType<typeof textReply>> =>
    path === '/soon' ? Promise.resolve(textReply('here')) : new Promise((resolve) => (answer = () => resolve(textReply('late'))));
  await withListener(handle, { limits }, async ({ port }) => {
    const [asked, idle] = await Promise.all([openRaw(port), openRaw(port)]);
    asked.write('GET /late HTTP/1.1\r\nHost: x\r\n\r\n');
    idle.write('GET /soon HTTP/1.1\r\nHost: x\r\n\r\n');
    assert.match(await readToEnd(idle), /here$/);
    assert.equal(asked.readyState, 'open');
    const text = readToEnd(asked);
    answer();
    assert.match(await text, /late$/);
  });
});

test('a connection on which the head of a request has begun is not idle, however slowly that comes', async () => {
  await withListener(async () => textReply('here'), { limits }, async ({ port }) => {
    const ask = async (): Promise<TLSSocket> => {
      const socket = await openRaw(port);
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(socket, 'data');
      return socket;
    };
    const slow = await ask();
    slow.write('GET / HTTP/1.1\r\n');
    const text = readToEnd(slow);
    // One that is idle from later on is closed meanwhile.
    await readToEnd(await ask());
    slow.write('Host: x\r\nConnection: close\r\n\r\n');
    assert.match(await text, /here$/);
  });
});

/** What comes behind the answer to a request and begins no other. */
const REMAINS: readonly (readonly [what: string, request: string, rest: string])[] = [
  ['an empty line', 'GET / HTTP/1.1\r\nHost: x\r\n\r\n', '\r\n'],
  ['the rest of a body that nobody read', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\na', 'bc'],
];

for (const [what, request, rest] of REMAINS) {
  test(`a connection is idle though ${what} came behind its last request`, { timeout: 15_000 }, async () => {
    await withListener(async () => textReply('here'), { limits: { ...limits, headersTimeoutMs: 100 } }, async ({ port }) => {
      const socket = await openRaw(port);
      socket.write(request);
      await once(socket, 'data');
      socket.write(rest);
      await readToEnd(socket);
    });
  });
}

test('a client of HTTP/1.1 is told how long it may use its connection again, unless it is closed', async () => {
  await withListener(async () => textReply('here'), {}, async ({ port }) => {
    assert.equal((await askHttp1(port, { headers: { connection: 'keep-alive' } })).headers['keep-alive'], 'timeout=90');
    assert.equal((await askHttp1(port, { headers: { connection: 'close' } })).headers['keep-alive'], undefined);
  });
});
