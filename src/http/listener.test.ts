import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent } from 'node:https';
import { request as plainRequest } from 'node:http';
import { constants, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { mock, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { gunzipSync } from 'node:zlib';
import { silentLog, type Log } from '#base';
import type { Outlet, Received, Reply } from '#request';
import { exchange } from './in-process.ts';
import { openListener } from './listener.ts';
import {
  askHttp1,
  askHttp2,
  askOn,
  bytes,
  clientPair,
  openHttp2,
  openRaw,
  readToEnd,
  renewedPair,
  serverPair,
  strangerPair,
  textReply,
  withListener,
  type Handle,
  type Answer,
  type Ask,
} from './test-support.ts';

const LIMIT = 3_145_728;
const PROTOCOLS: readonly (readonly [string, (port: number, ask?: Ask) => Promise<Answer>])[] = [
  ['HTTP/1.1', askHttp1],
  ['HTTP/2', askHttp2],
];

async function echo(received: Received): Promise<Reply> {
  const body = await received.body(LIMIT);
  const { method, path, clientCertificate, hasBadClientCertificate } = received;
  const seen = { method, path, query: received.query.toString(), size: body.length, clientCertificate, hasBadClientCertificate, headers: received.headers.get('x-test') };
  return { status: 200, headers: { 'content-type': 'application/json' }, body: bytes(JSON.stringify(seen)) };
}

const json = (answer: Answer): Record<string, unknown> => JSON.parse(answer.body.toString('utf8')) as Record<string, unknown>;

for (const [name, ask] of PROTOCOLS) {
  test(`${name}: method, path, query, headers and body arrive`, () =>
    withListener(echo, {}, async ({ port }) => {
      // Two of them are as long as `Host`, of which there may be one.
      const got = await ask(port, { path: '/a/b%2Fc?x=1&x=2&y=%20', headers: { 'X-Test': 'yes', From: 'a', Hops: 'b' } });
      assert.deepEqual([got.status, json(got)], [200, { method: 'GET', path: '/a/b%2Fc', query: 'x=1&x=2&y=+', size: 0, hasBadClientCertificate: false, headers: ['yes'] }]);
      const posted = await ask(port, { method: 'POST', path: '/', body: 'x'.repeat(100_000) });
      assert.equal(json(posted)['size'], 100_000);
    }));

  test(`${name}: whether the server is there is answered to everybody, and asks for no resource`, () =>
    withListener(async ({ path }) => textReply(path, 404), {}, async ({ port }) => {
      const said = await Promise.all(['*', '/*'].map((path) => ask(port, { method: 'OPTIONS', path })));
      assert.deepEqual(said.map(({ status, headers, body }) => [status, headers['content-length'], body.toString()]), [[200, '0', ''], [404, '2', '/*']]);
    }));

  test(`${name}: where a request comes from is known`, () =>
    withListener((received) => Promise.resolve(textReply(`${received.remoteAddress}`)), {}, async ({ port }) => {
      assert.equal((await ask(port)).body.toString(), '127.0.0.1');
    }));

  test(`${name}: R8-27 a body of 3 MiB is taken, one byte more is answered with 413`, () =>
    withListener(echo, {}, async ({ port }) => {
      const fits = await ask(port, { method: 'POST', body: new Uint8Array(LIMIT) });
      assert.equal(json(fits)['size'], LIMIT);
      const tooMuch = await ask(port, { method: 'POST', body: new Uint8Array(LIMIT + 1), headers: { 'content-length': String(LIMIT + 1) } });
      assert.equal(tooMuch.status, 413);
      assert.equal(json(tooMuch)['message'], 'Request entity too large: limit is 3145728');
    }));

  test(`${name}: a body without declared length is cut at the limit as well`, () =>
    withListener(echo, {}, async ({ port }) => {
      const headers: Record<string, string> = name === 'HTTP/1.1' ? { 'transfer-encoding': 'chunked' } : {};
      const answer = await ask(port, { method: 'POST', body: new Uint8Array(LIMIT + 70_000), headers });
      assert.equal(answer.status, 413);
    }));

  test(`${name}: R7-33 what a handler throws never reaches the wire`, async () => {
    const lines: unknown[] = [];
    const log = { info() {}, warn() {}, error: (...line: unknown[]) => void lines.push(line) };
    await withListener(() => Promise.reject(new Error('secret of the house')), { log }, async ({ port }) => {
      const answer = await ask(port, { headers: { 'audit-id': 'my-id' } });
      assert.equal(answer.status, 500);
      assert.doesNotMatch(answer.body.toString(), /secret|\.js/);
      assert.match(answer.body.toString(), /my-id/);
      assert.equal(json(answer)['reason'], 'InternalError');
      assert.match(JSON.stringify(lines), /secret of the house/);
    });
  });

  test(`${name}: R5.2 the verified client certificate is the identity; a stranger's is flagged`, () =>
    withListener(echo, {}, async ({ port }) => {
      const known = json(await ask(port, { pair: clientPair }));
      assert.deepEqual(known['clientCertificate'], { commonName: 'jane', organizations: ['dev', 'system:masters'] });
      assert.equal(known['hasBadClientCertificate'], false);
      const stranger = json(await ask(port, { pair: strangerPair }));
      assert.equal(stranger['clientCertificate'], undefined);
      assert.equal(stranger['hasBadClientCertificate'], true);
    }));

  test(`${name}: warnings leave once each, in order, as one header each`, () =>
    withListener(
      (received) => {
        for (const text of ['first "one"', 'second', 'first "one"']) received.warn(text);
        return Promise.resolve(textReply('ok'));
      },
      {},
      async ({ port }) => {
        const { headers } = await ask(port);
        assert.equal(headers['warning'], '299 - "first \\"one\\"", 299 - "second"');
      },
    ));

  test(`${name}: long answers in slices arrive whole, compressed when asked`, () => {
    const slices = Array.from({ length: 3_000 }, (_, at) => bytes(`${at} ${'x'.repeat(700)}\n`));
    const all = Buffer.concat(slices);
    return withListener(
      () => Promise.resolve({ status: 200, headers: {}, body: slices }),
      {},
      async ({ port }) => {
        const plain = await ask(port);
        assert.ok(plain.body.equals(all));
        assert.equal(plain.headers['content-length'], String(all.length));
        const packed = await ask(port, { headers: { 'accept-encoding': 'deflate, gzip' } });
        assert.equal(packed.headers['content-encoding'], 'gzip');
        assert.ok(gunzipSync(packed.body).equals(all));
        const refused = await ask(port, { headers: { 'accept-encoding': 'gzip;q=0' } });
        assert.equal(refused.headers['content-encoding'], undefined);
      },
    );
  });

  test(`${name}: answers of any length arrive as they are, byte for byte`, () => {
    const bodyOf = (size: number): Buffer => Buffer.from(Array.from({ length: size }, (_, at) => at % 251));
    const handle = ({ path }: Received): Promise<Reply> => Promise.resolve({ status: 200, headers: {}, body: bodyOf(Number(path.slice(1))) });
    return withListener(handle, {}, async ({ port }) => {
      for (const size of [0, 1, 256, 16_384, 16_385, 65_537, 262_144, 262_145, 600_000]) {
        const { headers, body } = await ask(port, { path: `/${size}` });
        assert.equal(headers['content-length'], String(size));
        assert.ok(body.equals(bodyOf(size)), `an answer of ${size} bytes`);
      }
    });
  });

  test(`${name}: HEAD answers with the length and no body; 204 with neither`, () =>
    withListener(
      ({ path }) => Promise.resolve(path === '/empty' ? { status: 204, headers: {}, body: new Uint8Array(0) } : textReply('four')),
      {},
      async ({ port }) => {
        const head = await ask(port, { method: 'HEAD' });
        assert.deepEqual([head.headers['content-length'], head.body.length], ['4', 0]);
        const empty = await ask(port, { path: '/empty' });
        assert.deepEqual([empty.status, empty.headers['content-length']], [204, undefined]);
      },
    ));

  test(`${name}: a header that HTTP forbids becomes a plain 500, and is told to the operator`, async () => {
    const forbidden = [{ 'x-bad': 'a\nb' }, { 'x-bad': 'a\r\nx: b' }, { 'x-bad': 'a\u0001' }, { 'x-bad': '\u20ac' }, { 'x\r\ny': '1' }, { 'x\u00e9': '1' }, { '': '1' }];
    const told: string[] = [];
    const log: Log = { ...silentLog, error: (message) => void told.push(message) };
    const long = new Uint8Array(300_000);
    const bodies = { short: bytes('x'), long, 'in slices': [long, long] };
    const handle: Handle = ({ path, query }) =>
      Promise.resolve({ status: 200, headers: forbidden[Number(path.slice(1))] as Record<string, string>, body: bodies[query.get('body') as keyof typeof bodies] });
    await withListener(handle, { log }, async ({ port }) => {
      for (const at of forbidden.keys()) {
        for (const body of Object.keys(bodies)) {
          // Twice: what was looked at once is not taken for good the second time.
          for (let time = 0; time < 2; time++) assert.equal((await ask(port, { path: `/${at}?body=${encodeURIComponent(body)}` })).status, 500, JSON.stringify(forbidden[at]));
        }
      }
    });
    assert.deepEqual(told, Array.from({ length: 2 * 3 * forbidden.length }, () => 'an answer could not be sent'));
  });

  test(`${name}: space around the value of a header is no part of it`, () =>
    withListener(() => Promise.resolve({ status: 200, headers: { 'x-wide': ' a b\t', 'x-bytes': 'voil\u00c3\u00a0', 'x-none': ' ' }, body: bytes('x') }), {}, async ({ port }) => {
      for (let time = 0; time < 2; time++) {
        const { headers } = await ask(port);
        assert.deepEqual([headers['x-wide'], headers['x-bytes'], headers['x-none']], ['a b', 'voil\u00c3\u00a0', '']);
      }
    }));

  test(`${name}: broken UTF-8 in path and query is passed on, not stumbled over`, () =>
    withListener(echo, {}, async ({ port }) => {
      const answer = json(await ask(port, { path: '/%ff%fe/%zz?a=%ff&__proto__=1' }));
      assert.equal(answer['path'], '/%ff%fe/%zz');
      assert.equal(answer['query'], 'a=%EF%BF%BD&__proto__=1');
    }));

  test(`${name}: the same request in this process gets the same answer`, () =>
    withListener(echo, {}, async ({ port }) => {
      const ask1: Ask = { method: 'PUT', path: '/same?q=1', headers: { 'x-test': 'v' }, body: 'hello' };
      const remote = await ask(port, ask1);
      const local = await exchange(echo, { method: 'PUT', path: '/same?q=1', headers: { 'X-Test': 'v' }, body: 'hello' });
      assert.ok('body' in local);
      assert.deepEqual([local.status, Buffer.from(local.body).toString(), local.headers['content-type']], [remote.status, remote.body.toString(), remote.headers['content-type']]);
    }));
}

test('HTTP/1.1: one connection carries many requests', () =>
  withListener(echo, {}, async ({ port }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let n = 0; n < 5; n += 1) assert.equal((await askHttp1(port, { agent, method: 'POST', body: 'x' })).status, 200);
    assert.equal(Object.values(agent.freeSockets).flat().length, 1);
    agent.destroy();
  }));

test('a connection that was to go on with another protocol gets a plain 500, too, for a header that HTTP forbids', () =>
  withListener(
    () => Promise.resolve({ status: 101, headers: { 'x-bad': 'a\r\nx-worse: b' }, stream: () => Promise.resolve(), tunnel: () => Promise.resolve() }),
    {},
    async ({ port }) => {
      const socket = await openRaw(port);
      socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      assert.match(await readToEnd(socket), /^HTTP\/1.1 500 (?!.*worse)/s);
    },
  ));

test('HTTP/2: many streams at once on one connection', () =>
  withListener(echo, {}, async ({ port }) => {
    const session = openHttp2(port);
    const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => askOn(session, { method: 'POST', path: `/${n}`, body: String(n) })));
    assert.deepEqual(answers.map((answer) => json(answer)['path']), Array.from({ length: 200 }, (_, n) => `/${n}`));
    session.close();
  }));

test('HTTP/2: bodies of declared length arrive whole, whatever their length', () =>
  withListener(async (received) => ({ status: 200, headers: {}, body: await received.body(LIMIT) }), {}, async ({ port }) => {
    const session = openHttp2(port);
    const bodies = [0, 1, 1_000, 16_384, 65_535, 65_536, 65_537, 300_000].map((size) => Buffer.alloc(size, `${size} `));
    const ask = (body: Buffer): Promise<Answer> => askOn(session, { method: 'POST', body, headers: { 'content-length': String(body.length) } });
    const answers = await Promise.all(bodies.map(ask));
    answers.forEach((answer, at) => assert.ok(answer.body.equals(bodies[at] as Buffer), `body of ${bodies[at]?.length} bytes`));
    session.close();
  }));

test('HTTP/2: a client that has sent all of its body and does not end it is answered, and its stream ends', () =>
  withListener(echo, {}, async ({ port }) => {
    const session = openHttp2(port);
    const stream = session.request({ ':method': 'POST', ':path': '/', 'content-length': '3' }, { endStream: false });
    const closed = new Promise((resolve) => stream.on('close', resolve));
    stream.write('abc');
    const status = await new Promise((resolve) => stream.on('response', (headers) => resolve(headers[':status'])));
    assert.equal(status, 200);
    stream.resume();
    await closed;
    assert.equal(stream.rstCode, 0);
    session.close();
  }));

test('HTTP/2: a client that waits for leave to send its body gets it when the body is read, and not where it is refused or nobody wants it', { timeout: 30_000 }, () => {
  const unread = ({ path }: Received): boolean => path === '/unread';
  const handle = async (received: Received): Promise<Reply> => ({ status: 200, headers: {}, body: unread(received) ? bytes('') : await received.body(3) });
  return withListener(handle, {}, async ({ port }) => {
    const session = openHttp2(port);
    const heard = async (path: string, headers: Record<string, string>): Promise<readonly unknown[]> => {
      const stream = session.request({ ':method': 'POST', ':path': path, ...headers }, { endStream: false });
      const told: unknown[] = [];
      stream.on('error', () => {}).on('continue', () => {
        told.push(100);
        stream.end('abc');
      });
      const [{ ':status': status }] = (await once(stream, 'response')) as [IncomingHttpHeaders];
      stream.close();
      return [...told, status];
    };
    for (const expect of ['100-continue', '100-Continue']) {
      assert.deepEqual(await heard('/', { expect }), [100, 200]);
      assert.deepEqual(await heard('/', { expect, 'content-length': '3' }), [100, 200]);
      assert.deepEqual(await heard('/', { expect, 'content-length': '4' }), [413]);
      assert.deepEqual(await heard('/unread', { expect }), [200]);
    }
    session.destroy();
  });
});

test('a request half sent is given up after the time limit', () =>
  withListener(echo, { limits: { headersTimeoutMs: 100, requestTimeoutMs: 200, checkIntervalMs: 20 } }, async ({ port }) => {
    const half = await openRaw(port);
    half.write('GET / HTTP/1.1\r\nHost: x\r\nX-');
    assert.match(await readToEnd(half), /^HTTP\/1.1 408 /);
    const halfBody = await openRaw(port);
    halfBody.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc');
    assert.match(await readToEnd(halfBody), /^HTTP\/1.1 408 /);
  }));

test('HTTP/2: a body half sent is given up after the time limit', () =>
  withListener(echo, { limits: { requestTimeoutMs: 50 } }, async ({ port }) => {
    const session = openHttp2(port);
    const stream = session.request({ ':method': 'POST', ':path': '/' }, { endStream: false });
    stream.on('error', () => {});
    stream.write('abc');
    const status = await new Promise((resolve) => stream.on('response', (headers) => resolve(headers[':status'])));
    assert.equal(status, 400);
    session.destroy();
  }));

test('bytes that are no HTTP get 400, floods of headers 431, other codings than chunks 501, other expectations than leave to go on 417', () =>
  withListener(echo, {}, async ({ port }) => {
    const refused: readonly (readonly [string, RegExp])[] = [
      ['nonsense\r\n\r\n', /^HTTP\/1.1 400 /],
      ['POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nboo\r\n', /^HTTP\/1.1 400 /],
      ['POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', /^HTTP\/1.1 400 /],
      ['GET / HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n', /^HTTP\/1.1 400 /],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(70_000)}\r\n\r\n`, /^HTTP\/1.1 431 /],
      [`GET / HTTP/1.1\r\nHost: x\r\n${'a: b\r\n'.repeat(20_000)}\r\n`, /^HTTP\/1.1 431 /],
    ];
    for (const [text, expected] of refused) {
      const socket = await openRaw(port);
      const answer = readToEnd(socket);
      socket.write(text);
      assert.match(await answer, expected);
    }
    const codings = ['Chunked', 'gzip, chunked', 'identity, chunked'].map((coding) => `Transfer-encoding: ${coding}\r\n\r\n0\r\n\r\n`);
    // What follows may be the body that was announced, or the next request.
    const expectations = ['Expect: more\r\nContent-Length: 30\r\n\r\n'];
    const codes: string[] = [];
    for (const rest of [...codings, ...expectations]) {
      const socket = await openRaw(port);
      const answers = readToEnd(socket);
      socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${rest}GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      codes.push([...(await answers).matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => code).join(' '));
    }
    assert.deepEqual(codes, ['200 200', '501', '501', '417']);
    for (const [count, expected] of [[1_000, /^HTTP\/1.1 200 /], [1_001, /^HTTP\/1.1 431 /]] as const) {
      const socket = await openRaw(port);
      const answer = readToEnd(socket);
      socket.write(`GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${'a: b\r\n'.repeat(count - 2)}\r\n`);
      assert.match(await answer, expected);
    }
    assert.equal((await askHttp1(port)).status, 200);
  }));

test('HTTP/2: floods of headers and of resets end the stream or the connection, not the server', () =>
  withListener(echo, { limits: { maxResets: 50 } }, async ({ port }) => {
    const session = openHttp2(port);
    const headers = Object.fromEntries(Array.from({ length: 1_500 }, (_, n) => [`x-${n}`, 'y']));
    await assert.rejects(askOn(session, { headers }));
    session.destroy();

    const resetting = openHttp2(port);
    const closed = new Promise((resolve) => resetting.on('close', resolve));
    for (let n = 0; n < 100; n += 1) {
      const stream = resetting.request({ ':path': '/', ':method': 'POST' }, { endStream: false });
      stream.on('error', () => {});
      stream.on('ready', () => stream.close(8));
    }
    await closed;
    assert.equal((await askHttp2(port)).status, 200);
  }));

test('HTTP/2: a client that leaves answers all the time may ask for no more on its connection; what goes on there ends properly', () => {
  const outlets: Outlet[] = [];
  const ends: (() => void)[] = [];
  const handle = ({ path }: Received): Promise<Reply> =>
    Promise.resolve(path === '/' ? textReply('here') : { status: 200, headers: {}, stream: (out) => (outlets.push(out), out.write(bytes('begun ')), new Promise((resolve) => ends.push(resolve))) });
  return withListener(handle, { limits: { maxResets: 10, resetsPerSecond: 0 } }, async ({ port }) => {
    const session = openHttp2(port);
    const told = once(session, 'goaway');
    const begin = async (): Promise<ClientHttp2Stream> => {
      const stream = session.request({ ':path': '/begun' }).on('error', () => {});
      await once(stream, 'readable');
      return stream;
    };
    const others = [await begin(), await begin()];
    for (let n = 0; n <= 10; n++) (await begin()).close(constants.NGHTTP2_CANCEL);
    assert.equal((await told)[0], constants.NGHTTP2_NO_ERROR);
    await assert.rejects(askOn(session), { code: 'ERR_HTTP2_GOAWAY_SESSION' });
    for (const [n, other] of others.entries()) {
      outlets[n]?.write(bytes('later'));
      ends[n]?.();
      assert.equal(String(Buffer.concat(await other.toArray())), 'begun later');
    }
    if (!session.destroyed) await once(session, 'close');
    assert.equal((await askHttp2(port)).status, 200);
  });
});

test('HTTP/2: only what a client resets counts as a reset, not what ends or what the server cuts off', { timeout: 30_000 }, () => {
  let hold = (): void => {};
  const handle = ({ path }: Received): Promise<Reply> => {
    if (path === '/held') return hold(), new Promise(() => {});
    return Promise.resolve(path === '/broken' ? { status: 200, headers: {}, stream: (out) => (out.open(), Promise.reject(new Error('broken'))) } : textReply('here'));
  };
  return withListener(handle, { limits: { maxResets: 0, resetsPerSecond: 0 } }, async ({ port }) => {
    for (const code of [constants.NGHTTP2_CANCEL, constants.NGHTTP2_INTERNAL_ERROR, constants.NGHTTP2_NO_ERROR]) {
      const session = openHttp2(port);
      for (let round = 0; round < 3; round++) {
        assert.equal((await askOn(session)).body.toString(), 'here');
        await assert.rejects(askOn(session, { path: '/broken' }));
        assert.equal((await askOn(session, { method: 'POST', body: 'unread' })).status, 200);
      }
      assert.equal(session.closed, false);
      const isClosed = new Promise((resolve) => session.on('close', resolve));
      const given = session.request({ ':path': '/held' }).on('error', () => {});
      await new Promise<void>((resolve) => (hold = resolve));
      given.close(code);
      await isClosed;
    }
  });
});

test('the signal of a request aborts when its client leaves', async () => {
  let left: (() => void) | undefined;
  const gone = new Promise<void>((resolve) => {
    left = resolve;
  });
  let arrived: (() => void) | undefined;
  const handle = (received: Received): Promise<Reply> =>
    new Promise((resolve) => {
      received.signal.addEventListener('abort', () => {
        left?.();
        resolve(textReply('nobody reads this'));
      });
      arrived?.();
    });
  await withListener(handle, {}, async ({ port }) => {
    const here = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const socket = await openRaw(port);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await here;
    socket.destroy();
    await gone;
  });
});

test('a certificate exchanged under way is shown to new connections', () =>
  withListener(echo, {}, async (listener) => {
    const subject = async (): Promise<string | string[] | undefined> => {
      const socket = await openRaw(listener.port);
      const name = socket.getPeerCertificate().subject.CN;
      socket.destroy();
      return name;
    };
    assert.equal(await subject(), 'test-server');
    assert.throws(() => listener.updateTls(renewedPair.cert, serverPair.key));
    assert.equal(await subject(), 'test-server');
    listener.updateTls(renewedPair.cert, renewedPair.key);
    assert.equal(await subject(), 'test-server-renewed');
    assert.deepEqual(json(await askHttp1(listener.port, { pair: clientPair }))['clientCertificate'], { commonName: 'jane', organizations: ['dev', 'system:masters'] });
  }));

test('plain HTTP is served on loopback and refused elsewhere', async () => {
  await assert.rejects(openListener({ host: '0.0.0.0', port: 0, handle: echo }), /loopback/);
  const listener = await openListener({ host: '127.0.0.1', port: 0, handle: echo });
  const status = await new Promise((resolve, reject) => {
    plainRequest({ host: '127.0.0.1', port: listener.port, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject).end();
  });
  assert.equal(status, 200);
  await listener.close({ graceMs: 1_000 });
});

test('clients that are silent are probed, whether they speak TLS or not', async () => {
  const started = connect(1, '127.0.0.1').on('error', () => {});
  const { _handle: handle } = started as Socket & { readonly _handle: { setKeepAlive(isOn: boolean, seconds: number): number } };
  started.destroy();
  // Node sets it on the handle of an accepted connection.
  const set = mock.method(Object.getPrototypeOf(handle) as typeof handle, 'setKeepAlive');
  try {
    for (const options of [{ host: '127.0.0.1' }, { tls: serverPair }]) {
      const listener = await openListener({ host: '127.0.0.1', port: 0, handle: echo, ...options, limits: { probeAfterMs: 70_000 } });
      const socket = connect(listener.port, '127.0.0.1').on('error', () => {});
      socket.write('nonsense\r\n\r\n');
      await once(socket.resume(), 'close');
      await listener.close({ graceMs: 0 });
    }
    assert.deepEqual(set.mock.calls.map(({ arguments: given }) => given.slice(0, 2)), [[true, 70], [true, 70]]);
  } finally {
    set.mock.restore();
  }
});

test('a taken port is told to the caller', () =>
  withListener(echo, {}, async ({ port }) => {
    await assert.rejects(openListener({ host: '127.0.0.1', port, handle: echo }), { code: 'EADDRINUSE' });
  }));

const SERVER = `
  const { parentPort, workerData } = require('node:worker_threads');
  const handle = async () => ({ status: 200, headers: {}, body: new Uint8Array() });
  import(workerData).then(async ({ openListener }) => parentPort.postMessage((await openListener({ host: '127.0.0.1', port: 0, handle })).port));
`;

test('requests are read strictly, also where the process is told to read HTTP leniently', async () => {
  const server = new Worker(SERVER, { eval: true, execArgv: ['--insecure-http-parser'], workerData: new URL('./listener.js', import.meta.url).href });
  const [port] = (await once(server, 'message')) as [number];
  const socket = connect(port, '127.0.0.1');
  socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n0\r\n\r\n');
  assert.match(await readToEnd(socket), /^HTTP\/1\.1 400 /);
  await server.terminate();
});
