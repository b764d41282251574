import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { test } from 'node:test';
import { deferred, takeTurns } from '#base';
import type { Outlet, Received, Reply } from '#request';
import { exchange, LocalRequests } from './in-process.ts';
import type { LocalRequest } from './local-request.ts';
import { bytes, textReply } from './test-support.ts';

/** Long enough that a test that waits for it fails. */
const LONG_MS = 60_000;

/** A handler whose answer to `/slow` waits for `release`, and whose answer to everything else is a stream that ends when it is asked to. */
function handler() {
  const { promise: released, resolve: release } = deferred<void>();
  const outlets: Outlet[] = [];
  const stream = (out: Outlet): Promise<void> => {
    out.open();
    outlets.push(out);
    return new Promise((resolve) => (out.signal.aborted ? resolve() : out.signal.addEventListener('abort', () => resolve(), { once: true })));
  };
  const handle = async ({ path }: Received): Promise<Reply> => {
    if (path !== '/slow') return { status: 200, headers: {}, stream };
    await released;
    return textReply('done');
  };
  return { handle, release, outlets };
}

const readAll = async (stream: AsyncIterable<Uint8Array>): Promise<string> => {
  let text = '';
  for await (const chunk of stream) text += new TextDecoder().decode(chunk);
  return text;
};

test('a request shows the certificates that it is given, and no others', async () => {
  const clientCertificate = { commonName: 'client', organizations: ['c'] };
  const proxyCertificate = { commonName: 'proxy', organizations: [] };
  const told = async (shown: Pick<LocalRequest, 'clientCertificate' | 'proxyCertificate'>): Promise<unknown> => {
    const facts = async (received: Received): Promise<Reply> => textReply(JSON.stringify([received.clientCertificate, received.proxyCertificate, received.hasBadClientCertificate]));
    const answer = await exchange(facts, { path: '/', ...shown });
    assert.ok('body' in answer);
    return JSON.parse(new TextDecoder().decode(answer.body));
  };
  assert.deepEqual(await told({}), [null, null, false]);
  assert.deepEqual(await told({ clientCertificate }), [clientCertificate, null, false]);
  assert.deepEqual(await told({ proxyCertificate }), [null, proxyCertificate, false]);
});

test('closing waits for running requests, and ends streams after what was written', async () => {
  const { handle, release, outlets } = handler();
  const requests = new LocalRequests();
  const watch = await requests.exchange(handle, { path: '/?watch=1' });
  assert.ok('stream' in watch);
  outlets[0]?.write(bytes('before\n'));
  const slow = requests.exchange(handle, { path: '/slow' });
  let isClosed = false;
  const closed = requests.close({ graceMs: LONG_MS }).then(() => (isClosed = true));
  assert.equal(await readAll(watch.stream), 'before\n');
  assert.equal(isClosed, false);
  release();
  assert.equal((await slow).status, 200);
  await closed;
});

test('a stream that begins while the others are ended is ended as well', async () => {
  const { handle } = handler();
  const { promise: held, resolve: letGo } = deferred<void>();
  const requests = new LocalRequests();
  const asked = requests.exchange(async (received) => {
    await held;
    return handle(received);
  }, { path: '/?watch=1' });
  const closed = requests.close({ graceMs: LONG_MS });
  letGo();
  const watch = await asked;
  assert.ok('stream' in watch);
  assert.equal(await readAll(watch.stream), '');
  await closed;
});

test('what has not ended in time is cut off where it has begun to answer, and else answers 503', async () => {
  const requests = new LocalRequests();
  const signals: AbortSignal[] = [];
  const { promise: slowHasBegun, resolve: slowBegins } = deferred<void>();
  const deaf = async ({ path, signal }: Received): Promise<Reply> => {
    signals.push(signal);
    if (path === '/slow') slowBegins();
    const never = new Promise<never>(() => {});
    return path === '/slow' ? never : { status: 200, headers: {}, stream: (out) => (out.open(), never) };
  };
  const watch = await requests.exchange(deaf, { path: '/?watch=1' });
  const slow = requests.exchange(deaf, { path: '/slow' });
  await slowHasBegun;
  await requests.close({ graceMs: 0 });
  assert.equal((await slow).status, 503);
  assert.ok('stream' in watch);
  await assert.rejects(readAll(watch.stream), /cut the answer off/);
  assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true]);
});

test('what waits for its turn is not begun once it is answered that the server was closed, or its sender has left', async () => {
  const requests = new LocalRequests();
  let begun = 0;
  const handle = (): Promise<Reply> => (begun++, Promise.resolve(textReply('done')));
  // A row of requests as long as a turn may be: the next ones wait.
  while (takeTurns() === undefined);
  const leaving = new AbortController();
  const left = requests.exchange(handle, { path: '/', signal: leaving.signal });
  leaving.abort(new Error('no longer wanted'));
  await assert.rejects(left, /no longer wanted/);
  // Timers that are due run before the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  while (takeTurns() === undefined);
  const late = requests.exchange(handle, { path: '/' });
  const closed = requests.close({ graceMs: 0 });
  const beganAt = performance.now();
  while (performance.now() - beganAt < 2);
  await closed;
  assert.equal((await late).status, 503);
  await takeTurns();
  assert.equal(begun, 0);
});

test('with nothing under way closing waits for nothing, and leaves no timer', async () => {
  const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const requests = new LocalRequests();
  await requests.exchange(() => Promise.resolve(textReply('done')), { path: '/' });
  await requests.close({ graceMs: LONG_MS });
  assert.equal(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length, before);
});

test('a request whose sender has left already rejects, and is not begun', async () => {
  const reason = new Error('no longer wanted');
  let begun = 0;
  const handle = (): Promise<Reply> => (begun++, Promise.resolve(textReply('done')));
  await assert.rejects(new LocalRequests().exchange(handle, { path: '/', signal: AbortSignal.abort(reason) }), reason);
  assert.equal(begun, 0);
});

test('a signal that outlives its requests keeps nothing of them, however they end', async () => {
  const { handle } = handler();
  const { signal } = new AbortController();
  const requests = new LocalRequests();
  await requests.exchange(() => Promise.resolve(textReply('done')), { path: '/', signal });
  await requests.exchange(() => Promise.reject(new Error('broken')), { path: '/', signal });
  const watch = await requests.exchange(handle, { path: '/?watch=1', signal });
  assert.ok('stream' in watch);
  assert.equal(getEventListeners(signal, 'abort').length, 1, 'it ends the watch');
  await watch.stream[Symbol.asyncIterator]().return?.();
  await requests.close({ graceMs: LONG_MS });
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('a stream that is aborted ends with the reason, after what was written', async () => {
  const { handle, outlets } = handler();
  const leaving = new AbortController();
  const watch = await new LocalRequests().exchange(handle, { path: '/?watch=1', signal: leaving.signal });
  assert.ok('stream' in watch);
  const read = watch.stream[Symbol.asyncIterator]();
  const first = read.next();
  outlets[0]?.write(bytes('before\n'));
  assert.equal(Buffer.from((await first).value as Uint8Array).toString(), 'before\n');
  leaving.abort(new Error('no longer wanted'));
  await assert.rejects(read.next(), /no longer wanted/);
  assert.equal(outlets[0]?.signal.aborted, true);
});

const LEAVING: readonly (readonly [string, (stream: AsyncIterable<Uint8Array>) => Promise<unknown>])[] = [
  ['before it has asked for anything', async (stream) => void (await stream[Symbol.asyncIterator]().return?.())],
  [
    'while it waits for the next piece',
    async (stream) => {
      const reader = stream[Symbol.asyncIterator]();
      const next = reader.next();
      await reader.return?.();
      assert.deepEqual(await next, { done: true, value: undefined });
    },
  ],
  [
    'as the destination of a pipe that has closed',
    async (stream) => {
      const to = new PassThrough();
      const piped = assert.rejects(pipeline(Readable.from(stream), to));
      await new Promise((resolve) => setImmediate(resolve));
      to.destroy();
      await piped;
    },
  ],
];

for (const [when, leave] of LEAVING) {
  test(`a reader that leaves ${when} stops its stream`, { timeout: 30_000 }, async () => {
    const { handle, outlets } = handler();
    const requests = new LocalRequests();
    const watch = await requests.exchange(handle, { path: '/?watch=1' });
    assert.ok('stream' in watch);
    await leave(watch.stream);
    assert.equal(outlets[0]?.signal.aborted, true);
    await requests.close({ graceMs: LONG_MS });
  });
}

test('a stream whose reader does not read waits for it, and loses nothing', async () => {
  const { handle, outlets } = handler();
  const requests = new LocalRequests();
  const watch = await requests.exchange(handle, { path: '/?watch=1' });
  assert.ok('stream' in watch);
  const out = outlets[0] as Outlet;
  let written = 0;
  for (let hasRoom = true; hasRoom; written++) {
    assert.ok(written < 100, 'nothing says that nobody reads');
    hasRoom = out.write(new Uint8Array(10_000));
    await new Promise((resolve) => setImmediate(resolve));
  }
  let isDrained = false;
  void out.drained().then(() => (isDrained = true));
  let read = 0;
  for await (const { length } of watch.stream) {
    if (read < 100_000) assert.equal(isDrained, false);
    read += length;
    if (read === written * 10_000) break;
  }
  await requests.close({ graceMs: LONG_MS });
  assert.deepEqual([read, isDrained], [written * 10_000, true]);
});

test('of two who read one stream each gets what the other does not, and both are told how it ends', { timeout: 30_000 }, async () => {
  const stop = new AbortController();
  for (const isEnded of [true, false]) {
    const { handle, outlets } = handler();
    const watch = await new LocalRequests().exchange(handle, { path: '/?watch=1', signal: stop.signal });
    assert.ok('stream' in watch);
    const pieces: string[] = [];
    const readers = [1, 2].map(async () => {
      for await (const chunk of watch.stream as AsyncIterable<Uint8Array>) pieces.push(new TextDecoder().decode(chunk));
    });
    for (const piece of ['a', 'b', 'c']) {
      await new Promise((resolve) => setImmediate(resolve));
      outlets[0]?.write(bytes(piece));
    }
    await new Promise((resolve) => setImmediate(resolve));
    if (isEnded) outlets[0]?.shutdown();
    else stop.abort(new Error('no longer wanted'));
    const ends = await Promise.allSettled(readers);
    assert.deepEqual(ends.map((end) => (end.status === 'rejected' ? String(end.reason) : 'ended')), Array(2).fill(isEnded ? 'ended' : 'Error: no longer wanted'));
    assert.deepEqual(pieces.sort(), ['a', 'b', 'c']);
  }
});

test('a reader that waits is told of the end, and that the stream is cut off', async () => {
  const { handle, outlets } = handler();
  const ended = await new LocalRequests().exchange(handle, { path: '/?watch=1' });
  assert.ok('stream' in ended);
  const end = ended.stream[Symbol.asyncIterator]().next();
  await new Promise((resolve) => setImmediate(resolve));
  outlets[0]?.shutdown();
  assert.equal((await end).done, true);

  const requests = new LocalRequests();
  const deaf = await requests.exchange(async () => ({ status: 200, headers: {}, stream: (out) => (out.open(), new Promise(() => {})) }), { path: '/?watch=1' });
  assert.ok('stream' in deaf);
  const cut = assert.rejects(deaf.stream[Symbol.asyncIterator]().next(), /cut the answer off/);
  await new Promise((resolve) => setImmediate(resolve));
  await requests.close({ graceMs: 0 });
  await cut;
});

test('a request in another form than it has is refused before anything is begun, with words that say what it takes', async () => {
  const mistakes: readonly (readonly [request: unknown, message: string])[] = [
    ['/version', 'a request has a path, a text such as "/version", not undefined'],
    [undefined, 'a request has a path, a text such as "/version", not undefined'],
    [{ path: '/', method: 5 }, 'method of a request is a text, not 5'],
    [{ path: '/', headers: new Headers({ authorization: 'Bearer a' }) }, 'headers of a request are members of an object, not a Headers'],
    [{ path: '/', headers: { authorization: undefined } }, 'header authorization of a request is a text or a list of texts, not undefined'],
    [{ path: '/', headers: { accept: ['text/plain', 7] } }, 'header accept of a request is a text or a list of texts, not 7'],
    [{ path: '/', body: { metadata: {} } }, 'body of a request is a text, such as JSON.stringify makes, or bytes, not an object'],
  ];
  for (const [request, message] of mistakes) await assert.rejects(exchange(() => assert.fail('begun'), request as { path: string }), { name: 'TypeError', message });
});
