import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { test } from 'node:test';
import type { Received, Reply } from '#request';
import { openListener } from './listener.ts';
import { bytes, ca, readToEnd, withListener } from './test-support.ts';

const LONG = 32_000_000;

/** Answers with the name of the request and the length of its body; `/slow` a turn later, `/unread` without waiting for the body. */
async function echo(received: Received): Promise<Reply> {
  if (received.path === '/unread') return { status: 200, headers: {}, body: bytes('/unread;') };
  const body = await received.body(1_000);
  if (received.path === '/slow') await new Promise((resolve) => setImmediate(resolve));
  const said = bytes(`${received.path} ${body.length};`);
  // In parts that are too large to be joined, as lists are.
  // More than the buffers of a connection hold.
  if (received.path === '/long') return { status: 200, headers: {}, body: bytes('x'.repeat(LONG)) };
  if (received.path === '/parts') return { status: 200, headers: {}, body: [bytes('x'.repeat(70_000)), said] };
  return { status: 200, headers: {}, body: said };
}

/** All that comes back until the server closes. */
const say = (port: number, text: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const heard: Buffer[] = [];
    const socket = connect({ host: '127.0.0.1', port });
    socket.on('data', (chunk: Buffer) => heard.push(chunk)).on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(heard).toString('latin1')));
    socket.write(text, 'latin1');
  });

const post = (path: string, more: string): string => `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n${more}\r\nab`;

test('a request that waits for leave to send its body, behind another one, does not get that leave into its answer', async () => {
  const listener = await openListener({ host: '127.0.0.1', port: 0, handle: echo });
  try {
    const heard = await say(listener.port, post('/slow', '') + post('/parts', 'Expect: 100-continue\r\n') + post('/last', 'Connection: close\r\n'));
    const bodies = heard.split(/HTTP\/1\.1 \d{3} [^]*?\r\n\r\n/).map((body) => body.replace(/x+/, ''));
    assert.deepEqual(bodies.filter((body) => body !== ''), ['/slow 2;', '/parts 2;', '/last 2;']);
    assert.deepEqual([...heard.matchAll(/HTTP\/1\.1 ([2-9]\d\d) /g)].map(([, code]) => code), ['200', '200', '200']);
  } finally {
    await listener.close({ graceMs: 0 });
  }
});

test('one that is answered without leave ends the connection: nobody can tell whether its body or another request follows', { timeout: 30_000 }, async () => {
  const listener = await openListener({ host: '127.0.0.1', port: 0, handle: echo });
  try {
    const heard = await say(listener.port, post('/slow', '') + post('/unread', 'Expect: 100-continue\r\n').slice(0, -2));
    assert.deepEqual(heard.match(/\/\w+(?: \d+)?;/g), ['/slow 2;', '/unread;']);
    assert.match(heard.slice(heard.indexOf('/slow 2;')), /^connection: close\r$/im);
    const alone = await say(listener.port, post('/unread', 'Expect: 100-continue\r\n').slice(0, -2));
    assert.match(alone, /^HTTP\/1\.1 200 [^]*\r\nconnection: close\r\n[^]*\/unread;$/i);
    assert.doesNotMatch(alone, /^keep-alive:/im);
  } finally {
    await listener.close({ graceMs: 0 });
  }
});

test('what is no request ends the connection, after the answers to those before it', async () => {
  const listener = await openListener({ host: '127.0.0.1', port: 0, handle: echo });
  try {
    for (const [wrong, code] of [
      ['no request\r\n\r\n', '400'],
      ['GET / HTTP/1.1\r\n\r\n', '400'],
      ['POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nno chunk\r\n', '400'],
      [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(70_000)}\r\n\r\n`, '431'],
    ] as const) {
      const heard = await say(listener.port, post('/slow', '') + post('/parts', '') + post('/slow', '') + wrong);
      assert.deepEqual([...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, said]) => said), ['200', '200', '200', code]);
      assert.deepEqual(heard.match(/\/\w+ \d+;/g), ['/slow 2;', '/parts 2;', '/slow 2;']);
    }
  } finally {
    await listener.close({ graceMs: 0 });
  }
});

test('each request finds what those before it have done: one is worked on at a time, and they are answered in their order', async () => {
  const log: string[] = [];
  const handle = async (received: Received): Promise<Reply> => {
    log.push(`begins ${received.path}`);
    await received.body(10);
    for (let turns = 0; turns < received.path.length % 3; turns++) await new Promise((resolve) => setImmediate(resolve));
    log.push(`ends ${received.path}`);
    return { status: 200, headers: {}, body: bytes(`${received.path};`) };
  };
  const paths = ['/long', '/a', '/longer', '/bc', '/d', '/last'];
  const listener = await openListener({ host: '127.0.0.1', port: 0, handle });
  try {
    const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
    const heard = await say(listener.port, paths.map((path, at) => (path === '/last' ? get(path, 'Connection: close\r\n') : at % 2 === 0 ? post(path, '') : get(path))).join(''));
    assert.deepEqual(heard.match(/\/\w+;/g), paths.map((path) => `${path};`));
    assert.deepEqual(log, paths.flatMap((path) => [`begins ${path}`, `ends ${path}`]));
  } finally {
    await listener.close({ graceMs: 0 });
  }
});

test('it gets leave when it is its turn and the answer has not begun', async () => {
  const listener = await openListener({ host: '127.0.0.1', port: 0, handle: echo });
  const socket = connect({ host: '127.0.0.1', port: listener.port });
  try {
    const heard: string[] = [];
    const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket.setEncoding('latin1').on('data', (text: string) => {
      heard.push(text);
      if (text.includes(' 100 Continue')) socket.write('ab');
    });
    socket.write(`${post('/slow', '')}${post('/', 'Expect: 100-continue\r\nConnection: close\r\n').slice(0, -2)}`);
    await ended;
    assert.deepEqual([...heard.join('').matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, code]) => code), ['200', '100', '200']);
  } finally {
    socket.destroy();
    await listener.close({ graceMs: 0 });
  }
});

test('behind the last answer of a connection nothing is done', async () => {
  const begun: string[] = [];
  const handle = (received: Received): Promise<Reply> => {
    begun.push(received.path);
    return echo(received);
  };
  const listener = await openListener({ host: '127.0.0.1', port: 0, handle });
  try {
    for (const [last, code] of [
      ['GET /twice HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', '400'],
      [`GET /many HTTP/1.1\r\nHost: x\r\n${'X: y\r\n'.repeat(1_001)}\r\n`, '431'],
    ] as const) {
      const heard = await say(listener.port, post('/slow', '') + last + post('/behind', ''));
      assert.deepEqual([...heard.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, said]) => said), ['200', code]);
    }
    assert.deepEqual(begun, ['/slow', '/slow']);
  } finally {
    await listener.close({ graceMs: 0 });
  }
});

for (const [when, first] of [['that is not answered yet', '/never'], ['whose answer nobody reads', '/long']] as const) {
  test(`requests behind one ${when} do not begin, and never do once their client has left`, { timeout: 30_000 }, async () => {
    const begun: string[] = [];
    let begin!: () => void;
    const hasBegun = new Promise<void>((resolve) => (begin = resolve));
    let leave!: () => void;
    const hasLeft = new Promise<void>((resolve) => (leave = resolve));
    const handle = (received: Received): Promise<Reply> => {
      begun.push(received.path);
      received.signal.addEventListener('abort', leave);
      begin();
      return received.path === '/never' ? new Promise((resolve) => received.signal.addEventListener('abort', () => resolve({ status: 200, headers: {}, body: bytes('') }))) : echo(received);
    };
    const listener = await openListener({ host: '127.0.0.1', port: 0, handle });
    const socket = connect({ host: '127.0.0.1', port: listener.port });
    socket.write([first, ...Array.from({ length: 20 }, (_, at) => `/${at}`)].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''));
    await hasBegun;
    // A later request on another connection is answered meanwhile.
    await say(listener.port, post('/', 'Connection: close\r\n'));
    socket.destroy();
    await hasLeft;
    for (const path of ['/then', '/last']) await say(listener.port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    await listener.close({ graceMs: 1_000 });
    assert.deepEqual(begun, [first, '/', '/then', '/last']);
  });
}

test('of the answers to many requests that a client sends and does not read, no more are made than the network takes', { timeout: 30_000 }, async () => {
  const MANY = 500;
  let begun = 0;
  const body = new Uint8Array(200_000);
  const handle = ({ path }: Received): Promise<Reply> => {
    if (path === '/many') begun += 1;
    return Promise.resolve({ status: 200, headers: {}, body: path === '/many' ? body : bytes('') });
  };
  const listener = await openListener({ host: '127.0.0.1', port: 0, handle });
  const socket = connect({ host: '127.0.0.1', port: listener.port });
  try {
    socket.write('GET /many HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(MANY));
    await once(socket, 'readable');
    let before = 0;
    while (before < begun) {
      before = begun;
      for (let times = 0; times < 10; times++) await say(listener.port, 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    }
    assert.ok(begun < MANY / 2, `${begun} answers were made`);
  } finally {
    socket.destroy();
    await listener.close({ graceMs: 0 });
  }
});

/** A TLS connection whose records leave together, as many as the client has written since it held them back. */
async function holdable(port: number): Promise<{ readonly socket: TLSSocket; hold(): void; release(): void }> {
  const raw = connect({ host: '127.0.0.1', port });
  let held: Uint8Array[] | undefined;
  const writer = new Duplex({
    read: () => void raw.resume(),
    write(chunk: Uint8Array, _encoding, done) {
      if (held === undefined) raw.write(chunk);
      else held.push(chunk);
      done();
    },
  });
  raw.on('data', (chunk: Buffer) => void (writer.push(chunk) || raw.pause()));
  raw.once('close', () => writer.destroy());
  const socket = connectTls({ socket: writer, ca, servername: 'localhost', ALPNProtocols: ['http/1.1'] });
  await once(socket, 'secureConnect');
  const release = (): void => {
    raw.write(Buffer.concat(held ?? []));
    held = undefined;
  };
  return { socket, hold: () => (held = []), release };
}

for (const when of ['while an earlier answer still leaves', 'after an earlier answer has left']) {
  test(`a request whose body comes in a record of its own, ${when}, is answered`, () =>
    withListener(echo, {}, async ({ port }) => {
      const { socket, hold, release } = await holdable(port);
      socket.write('GET /long HTTP/1.1\r\nHost: x\r\n\r\n');
      await once(socket, 'readable');
      hold();
      const last = post('/last', 'Connection: close\r\n');
      const write = (text: string): Promise<unknown> => new Promise((resolve) => socket.write(text, resolve));
      await write(last.slice(0, -2));
      if (when.startsWith('while')) await write(last.slice(-2));
      release();
      let left = LONG;
      socket.on('data', (chunk: Buffer) => {
        if (left > 0 && (left -= chunk.length) <= 0 && when.startsWith('after')) socket.write(last.slice(-2));
      });
      assert.match((await readToEnd(socket)).slice(-8), /\/last 2;$/);
    }));
}
