import assert from 'node:assert/strict';
import { once } from 'node:events';
import { get } from 'node:https';
import { connect, createServer, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import type { Outlet, Received, Reply } from '#request';
import { exchange } from './in-process.ts';
import { openListener } from './listener.ts';
import { askHttp1, askHttp2, askOn, bytes, ca, openHttp2, openRaw, readToEnd, serverPair, textReply, withListener } from './test-support.ts';

interface Watched {
  readonly out: Outlet;
  /** Ends the stream after what was written so far. */
  end(): void;
  /** Resolves when the stream is over, whoever ended it. */
  readonly stopped: Promise<void>;
}

/** A handler that answers with streams, and those streams in order of arrival: each lasts until it is ended here or nobody reads it any more. */
function watchHandler(): { handle(received: Received): Promise<Reply>; next(): Promise<Watched> } {
  const ready: Watched[] = [];
  const waiting: ((watched: Watched) => void)[] = [];
  const stream = (out: Outlet): Promise<void> => {
    out.open();
    const stopped = new Promise<void>((resolve) => out.signal.addEventListener('abort', () => resolve()));
    const watched = { out, end: () => out.shutdown(), stopped };
    const waiter = waiting.shift();
    if (waiter === undefined) ready.push(watched);
    else waiter(watched);
    return stopped;
  };
  return {
    handle: () => Promise.resolve({ status: 200, headers: { 'content-type': 'application/json' }, stream }),
    next() {
      const watched = ready.shift();
      return watched === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(watched);
    },
  };
}

/** An outlet that nobody opens. */
const shut = (out: Outlet): Outlet => ({
  signal: out.signal,
  open() {},
  write: (chunk) => out.write(chunk),
  drained: () => out.drained(),
  shutdown: () => out.shutdown(),
});

interface OpenWatch {
  readonly status: number | undefined;
  /** `undefined` at a proper end; rejects when the stream was cut off. */
  next(): Promise<string | undefined>;
  leave(): void;
}

const textOf = (read: IteratorResult<unknown>): string | undefined => (read.done === true ? undefined : String(read.value));

function watchHttp1(port: number): Promise<OpenWatch> {
  return new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, ca, path: '/?watch=1', agent: false }, (response) => {
      const reader = response[Symbol.asyncIterator]();
      resolve({ status: response.statusCode, next: async () => textOf(await reader.next()), leave: () => request.destroy() });
    });
    request.on('error', reject);
  });
}

function watchHttp2(port: number): Promise<OpenWatch> {
  return new Promise((resolve) => {
    const session = openHttp2(port);
    const stream = session.request({ ':path': '/?watch=1' });
    stream.on('error', () => {});
    stream.on('response', (headers) => {
      const reader = stream[Symbol.asyncIterator]();
      resolve({ status: headers[':status'], next: async () => textOf(await reader.next()), leave: () => session.destroy() });
    });
  });
}

for (const [name, watch] of [['HTTP/1.1', watchHttp1], ['HTTP/2', watchHttp2]] as const) {
  test(`${name}: a stream answers before its first frame, and frames of one turn arrive together`, async () => {
    const { handle, next } = watchHandler();
    await withListener(handle, {}, async ({ port }) => {
      const open = await watch(port);
      const { out, end, stopped } = await next();
      assert.equal(open.status, 200);
      for (const frame of ['a\n', 'b\n', 'c\n']) assert.equal(out.write(bytes(frame)), true);
      assert.equal(await open.next(), 'a\nb\nc\n');
      out.write(bytes('last\n'));
      end();
      assert.equal(await open.next(), 'last\n');
      assert.equal(await open.next(), undefined);
      await stopped;
    });
  });

  test(`${name}: a stream that is not opened answers with its first frame, or at its end`, async () => {
    const { handle, next } = watchHandler();
    let asked = 0;
    const firstStaysShut = async (received: Received): Promise<Reply> => {
      const reply = await handle(received);
      return asked++ > 0 || !('stream' in reply) ? reply : { ...reply, stream: (out) => reply.stream(shut(out)) };
    };
    for (const frames of [['first\n'], []]) {
      asked = 0;
      await withListener(firstStaysShut, {}, async ({ port }) => {
        let isAnswered = false;
        const opening = watch(port).finally(() => (isAnswered = true));
        const { out, end } = await next();
        // By the time a later one has been answered, it would have been as well.
        await watch(port);
        await next();
        assert.equal(isAnswered, false);
        for (const frame of frames) out.write(bytes(frame));
        end();
        const open = await opening;
        for (const frame of [...frames, undefined]) assert.equal(await open.next(), frame);
      });
    }
  });

  test(`${name}: a reader that leaves stops its stream`, async () => {
    const { handle, next } = watchHandler();
    await withListener(handle, {}, async ({ port }) => {
      const open = await watch(port);
      const { out, stopped } = await next();
      open.leave();
      await stopped;
      await out.drained();
    });
  });

  test(`${name}: a sender is told of a slow reader, and one that takes nothing is cut off`, async () => {
    const { handle, next } = watchHandler();
    await withListener(handle, { limits: { stallTimeoutMs: 100 } }, async (listener) => {
      await watch(listener.port);
      const { out, stopped } = await next();
      const frame = new Uint8Array(50_000);
      let written = 0;
      while (out.write(frame)) {
        written += 1;
        assert.ok(written < 2_000, 'nothing says that the reader is slow');
        await new Promise((resolve) => setImmediate(resolve));
      }
      await out.drained();
      while (!out.signal.aborted) {
        out.write(frame);
        await out.drained();
      }
      await stopped;
      // The reader never reads on: the listener must not wait for it.
      await listener.close({ graceMs: 10_000 });
    });
  });

  test(`${name}: a stream that may pause waits for its reader, however often others have been cut off meanwhile, and loses nothing`, { timeout: 30_000 }, async () => {
    const { handle, next } = watchHandler();
    const frame = new Uint8Array(50_000);
    const FRAMES = 640;
    let asked = 0;
    const firstMayPause = async (received: Received): Promise<Reply> => ({ ...(await handle(received)), mayPause: asked++ === 0 });
    await withListener(firstMayPause, { limits: { stallTimeoutMs: 100 } }, async ({ port }) => {
      const paused = await watch(port);
      const { out, end } = await next();
      const sent = (async () => {
        for (let frames = 0; frames < FRAMES; frames++) if (!out.write(frame)) await out.drained();
        end();
      })();
      for (let others = 0; others < 2; others++) {
        await watch(port);
        const other = await next();
        while (!other.out.signal.aborted) if (!other.out.write(frame)) await other.out.drained();
        await other.stopped;
      }
      let received = 0;
      for (let text = await paused.next(); text !== undefined; text = await paused.next()) received += text.length;
      assert.equal(received, FRAMES * frame.length);
      await sent;
    });
  });

  test(`${name}: a whole answer that nobody takes is cut off, in one piece as in many`, { timeout: 30_000 }, async () => {
    const half = new Uint8Array(16 * 1024 * 1024);
    for (const body of [new Uint8Array(2 * half.length), [half, half]]) {
      const handle = (): Promise<Reply> => Promise.resolve({ status: 200, headers: {}, body });
      await withListener(handle, { limits: { stallTimeoutMs: 100 } }, async (listener) => {
        await watch(listener.port);
        // The reader never reads on: the listener must not wait for it.
        await listener.close({ graceMs: 60_000 });
      });
    }
  });

  test(`${name}: closing ends streams cleanly and loses no answer`, async () => {
    const { handle, next } = watchHandler();
    let release!: () => void;
    const held = new Promise<void>((resolve) => (release = resolve));
    let arrived!: () => void;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    const both = async (received: Received): Promise<Reply> => {
      if (received.path === '/' && received.query.has('watch')) return handle(received);
      arrived();
      await held;
      return textReply('done');
    };
    const listener = await openListener({ host: '127.0.0.1', port: 0, tls: serverPair, handle: both });
    const open = await watch(listener.port);
    const { out, stopped } = await next();
    out.write(bytes('before\n'));
    const slow = (name === 'HTTP/1.1' ? askHttp1 : askHttp2)(listener.port, { path: '/slow' });
    await arrival;
    const closed = listener.close({ graceMs: 10_000 });
    await stopped;
    assert.equal(await open.next(), 'before\n');
    assert.equal(await open.next(), undefined);
    await assert.rejects(askHttp1(listener.port), { code: 'ECONNREFUSED' });
    release();
    assert.equal((await slow).body.toString(), 'done');
    await closed;
  });
}

test('HTTP/2: a request may be the last on its connection, on which everything that runs goes on to its end', async () => {
  const { handle, next } = watchHandler();
  await withListener((received) => (received.path === '/watch' ? handle(received) : Promise.resolve(textReply('ok'))), { limits: { goawayChance: 1 } }, async ({ port }) => {
    const session = openHttp2(port);
    const said = once(session, 'goaway');
    const watch = session.request({ ':path': '/watch' });
    const [watched] = await Promise.all([next(), said]);
    watched.out.write(bytes('later'));
    watched.end();
    assert.equal(String(Buffer.concat(await watch.toArray())), 'later');
    if (!session.closed) await once(session, 'close');
    assert.equal((await askHttp2(port)).status, 200);
  });
});

test('HTTP/2: the last response on a connection reaches a client whose line is slow, which says how far it is', async () => {
  const body = Buffer.alloc(3_000_000, 'x');
  await withListener(() => Promise.resolve({ status: 200, headers: {}, body }), { limits: { goawayChance: 1, lingerMs: 1 } }, async ({ port }) => {
    const line = createServer((near) => {
      const far = connect(port, '127.0.0.1');
      for (const [from, to] of [[near, far], [far, near]] as const) from.on('data', (chunk) => to.write(chunk)).on('end', () => to.end()).on('error', () => to.destroy());
      // What comes is let through in bits, with pauses.
      far.on('data', () => {
        far.pause();
        setTimeout(() => far.resume(), 5);
      });
    }).listen(0, '127.0.0.1');
    await once(line, 'listening');
    const session = openHttp2((line.address() as AddressInfo).port, { settings: { initialWindowSize: 2_000_000 } });
    await once(session, 'connect');
    session.setLocalWindowSize(2_000_000);
    assert.equal((await askOn(session)).body.length, body.length);
    line.close();
  });
});

test('closing cuts off what is not done in time, and does not wait for connections that never asked', async () => {
  let arrived!: () => void;
  const arrival = new Promise<void>((resolve) => (arrived = resolve));
  const handle = (): Promise<Reply> => {
    arrived();
    return new Promise(() => {});
  };
  const listener = await openListener({ host: '127.0.0.1', port: 0, tls: serverPair, handle });
  const stuck = assert.rejects(askHttp1(listener.port));
  const silent = readToEnd(await openRaw(listener.port));
  await arrival;
  await listener.close({ graceMs: 50 });
  await stuck;
  assert.equal(await silent, '');
});

test('closing closes connections on which nothing is asked, and meanwhile none whose answer is not there yet', { timeout: 30_000 }, async () => {
  let arrived!: () => void;
  let release!: () => void;
  const arrival = new Promise<void>((resolve) => (arrived = resolve));
  let awaited = 2;
  const held = new Promise<void>((resolve) => (release = resolve));
  const handle = async ({ path }: Received): Promise<Reply> => {
    if (path !== '/slow') return textReply('here');
    if (--awaited === 0) arrived();
    await held;
    return textReply('done');
  };
  const listener = await openListener({ host: '127.0.0.1', port: 0, tls: serverPair, handle });
  const slow = Promise.all([askHttp1(listener.port, { path: '/slow' }), askHttp2(listener.port, { path: '/slow' })]);
  await arrival;
  const session = openHttp2(listener.port);
  await askOn(session);
  const [silent, asked] = await Promise.all([openRaw(listener.port), openRaw(listener.port)]);
  asked.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(asked, 'data');
  const ends = Promise.all([readToEnd(silent), readToEnd(asked), once(session, 'close')]);
  const closed = listener.close({ graceMs: 60_000 });
  await ends;
  release();
  assert.deepEqual((await slow).map(({ body }) => body.toString()), ['done', 'done']);
  await closed;
});

test('closing gently, a connection at rest brings one more request, whose answer says that it is the last; one that brings none is closed', { timeout: 30_000 }, async () => {
  const watches = watchHandler();
  const handle = async (received: Received): Promise<Reply> => (received.path === '/watch' ? watches.handle(received) : textReply('here'));
  const listener = await openListener({ host: '127.0.0.1', port: 0, tls: serverPair, handle });
  const [silent, asked, watching] = await Promise.all([openRaw(listener.port), openRaw(listener.port), openRaw(listener.port)]);
  const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const socket of [silent, asked]) {
    socket.write(REQUEST);
    await once(socket, 'data');
  }
  watching.write('GET /watch HTTP/1.1\r\nHost: x\r\n\r\n');
  const watched = await watches.next();
  watched.out.write(bytes('seen'));
  await once(watching, 'data');
  const closed = listener.close({ graceMs: 60_000, isGentle: true });
  await watched.stopped;
  const said = [silent, asked, watching].map(readToEnd);
  for (const socket of [asked, watching]) socket.write(REQUEST);
  const answers = await Promise.all(said);
  assert.equal(answers[0], '');
  for (const answer of answers.slice(1)) assert.match(answer, /HTTP\/1\.1 200 OK\r\n[^]*connection: close\r\n[^]*\r\n\r\nhere$/);
  await closed;
});

test('closing waits for a client that has not taken all of its answer yet, and loses nothing of it', { timeout: 30_000 }, async () => {
  const SIZE = 200_000;
  let begun = 0;
  const handle = async ({ path }: Received): Promise<Reply> => {
    if (path === '/many') begun += 1;
    return { status: 200, headers: {}, body: new Uint8Array(path === '/many' ? SIZE : 0) };
  };
  const listener = await openListener({ host: '127.0.0.1', port: 0, handle });
  const [slow, other] = [connect(listener.port, '127.0.0.1'), connect(listener.port, '127.0.0.1')];
  slow.write('GET /many HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(500));
  await once(slow, 'readable');
  // Until the network takes no more of them.
  for (let before = 0; before < begun; ) {
    before = begun;
    for (let times = 0; times < 10; times++) {
      other.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(other, 'data');
    }
  }
  const closed = listener.close({ graceMs: 60_000 });
  const [, ...answers] = (await readToEnd(slow.resume())).split('HTTP/1.1 200 OK');
  assert.deepEqual(new Set(answers.map((answer) => answer.length - answer.indexOf('\r\n\r\n') - 4)), new Set([SIZE]));
  await closed;
});

test('closing does not wait for clients that do not go on with their handshake, nor for those that keep a connection whose session has ended', { timeout: 30_000 }, async () => {
  const listener = await openListener({ host: '127.0.0.1', port: 0, tls: serverPair, handle: async () => textReply('here') });
  const silent = connect(listener.port, '127.0.0.1').on('error', () => {});
  await once(silent, 'connect');
  // The type declarations lack an option of `connect` that TLS sockets have.
  const keeps: object = { allowHalfOpen: true };
  const keeping = connectTls({ ...keeps, host: '127.0.0.1', port: listener.port, ca, ALPNProtocols: ['h2'] }).on('error', () => {});
  const NO_SETTINGS = [0, 0, 0, 4, 0, 0, 0, 0, 0];
  keeping.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from(NO_SETTINGS)]));
  await once(keeping, 'data');
  await listener.close({ graceMs: 60_000 });
  for (const socket of [silent, keeping]) socket.destroy();
});

test('a stream that fails is cut off: the reader sees an error, not an end', () =>
  withListener(
    () => Promise.resolve({ status: 200, headers: {}, stream: (out) => (out.write(bytes('half')), Promise.reject(new Error('broken'))) }),
    {},
    async ({ port }) => {
      await assert.rejects(askHttp1(port));
      await assert.rejects(askHttp2(port));
    },
  ));

test('in the same process a stream can be read and left', async () => {
  const { handle, next } = watchHandler();
  const [answer, watched] = await Promise.all([exchange(handle, { path: '/?watch=1' }), next()]);
  assert.ok('stream' in answer);
  watched.out.write(bytes('one\n'));
  for await (const chunk of answer.stream) {
    assert.equal(Buffer.from(chunk).toString(), 'one\n');
    break;
  }
  await watched.stopped;
});

test('in the same process an aborted request rejects and tells the handler', async () => {
  const control = new AbortController();
  const seen = new Promise<void>((resolve) => {
    const handle = (received: Received): Promise<Reply> => {
      received.signal.addEventListener('abort', () => resolve());
      control.abort(new Error('changed my mind'));
      return new Promise(() => {});
    };
    void assert.rejects(exchange(handle, { path: '/', signal: control.signal }), /changed my mind/);
  });
  await seen;
});
