import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import type { ServerHttp2Session } from 'node:http2';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { test } from 'node:test';
import type { Received, Reply } from '#request';

/** Timers that have neither run nor been cleared. Before the modules take the timers for their own. */
const timers = process.getBuiltinModule('node:timers');
const { clearInterval, clearTimeout, setInterval, setTimeout } = timers;
const running = new Set<unknown>();
timers.setTimeout = ((run: () => void, delayMs: number) => {
  const timer = setTimeout(() => {
    running.delete(timer);
    run();
  }, delayMs);
  running.add(timer);
  return timer;
}) as typeof setTimeout;
timers.setInterval = ((run: () => void, delayMs: number) => {
  const timer = setInterval(run, delayMs);
  running.add(timer);
  return timer;
}) as typeof setInterval;
timers.clearTimeout = (timer) => {
  running.delete(timer);
  clearTimeout(timer);
};
timers.clearInterval = (timer) => {
  running.delete(timer);
  clearInterval(timer);
};
const { Connections } = await import('./connections.ts');
const { openListener } = await import('./listener.ts');
const { askHttp1, askHttp2, openHttp2, openRaw, serverPair, textReply } = await import('./test-support.ts');

/** Long enough that whatever waits for it is there in the end. */
const LONG_MS = 60_000;

type Leave = (port: number) => Promise<unknown>;

/** Opens a connection, and closes it. */
const CLIENTS: readonly (readonly [string, Leave])[] = [
  ['that asked over HTTP/1.1', (port) => askHttp1(port)],
  ['that asked over HTTP/2', (port) => askHttp2(port)],
  ['that sent a long body over HTTP/2', (port) => askHttp2(port, { method: 'POST', body: 'x'.repeat(200_000) })],
  ['that never asked over HTTP/1.1', async (port) => (await openRaw(port)).destroy()],
  [
    'that never asked over HTTP/2',
    async (port) => {
      const session = openHttp2(port);
      await once(session, 'connect');
      session.destroy();
    },
  ],
  [
    'that left before its handshake',
    async (port) => {
      const socket = connect(port, '127.0.0.1');
      await once(socket, 'connect');
      // Connections are accepted in order: that one is by now.
      await askHttp1(port);
      socket.destroy();
    },
  ],
];

for (const [who, leave] of CLIENTS) {
  test(`a client ${who} leaves no timer behind`, async () => {
    const handle = async (received: Received): Promise<Reply> => textReply(`here are ${(await received.body(1_000_000)).length} bytes`);
    const listener = await openListener({ host: '127.0.0.1', port: 0, tls: serverPair, handle });
    await leave(listener.port);
    await listener.close({ graceMs: LONG_MS });
    // A session hears that its socket has closed a moment later.
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    assert.equal(running.size, 0);
  });
}

const LIMITS = { headersTimeoutMs: LONG_MS, idleTimeoutMs: LONG_MS, maxWaiting: 10 };

/** The connections of a server without TLS or HTTP, and one of them from both sides. */
async function openOne() {
  const front = createServer();
  const connections = new Connections(front);
  await once(front.listen(0, '127.0.0.1'), 'listening');
  const client = connect((front.address() as AddressInfo).port, '127.0.0.1');
  const [socket] = (await once(front, 'connection')) as [Socket];
  return { front, connections, client, socket };
}

test('a connection is idle when its request is closed and all of its answer is written', async () => {
  const { front, connections, client, socket } = await openOne();
  const connection = connections.addHttp1(socket, LIMITS);
  let close!: () => void;
  const answered = new Promise<void>((resolve) => (close = resolve));
  connection.request({ onFinish() {} }, () => answered);
  // What came in time is read before a connection is closed as idle.
  const closeIdle = async (): Promise<void> => {
    connections.destroyIdle();
    await new Promise(setImmediate);
  };
  await closeIdle();
  assert.equal(socket.destroyed, false);
  // More than the network takes from a client that does not read.
  socket.write(Buffer.alloc(32 * 1024 * 1024));
  close();
  await answered;
  await closeIdle();
  assert.equal(socket.destroyed, false);
  client.resume();
  await once(socket, 'drain');
  await closeIdle();
  assert.equal(socket.destroyed, true);
  front.close();
});

test('a connection is at rest when it was asked, is idle, and nothing more has come', async () => {
  const { front, connections, client, socket } = await openOne();
  const connection = connections.addHttp1(socket, LIMITS);
  connections.destroyAtRest();
  assert.equal(socket.destroyed, false, 'nobody has asked');
  const answer = async (): Promise<void> => {
    connection.request({ onFinish: (run) => run() }, async () => {});
    await new Promise(setImmediate);
  };
  client.write('more');
  await once(socket, 'data');
  connections.destroyAtRest();
  await answer();
  client.write('and more');
  await once(socket, 'data');
  connections.destroyAtRest();
  assert.equal(socket.destroyed, false, 'another request may have begun');
  await answer();
  connections.destroyAtRest();
  assert.equal(socket.destroyed, true);
  front.close();
});

test('a connection is closed on which more requests wait than may', async () => {
  const { front, connections, socket } = await openOne();
  const connection = connections.addHttp1(socket, LIMITS);
  let begun = 0;
  const closedAfter: boolean[] = [];
  for (let sent = 0; sent < 12; sent++) {
    connection.request({ onFinish() {} }, () => new Promise(() => begun++));
    closedAfter.push(socket.destroyed);
  }
  assert.deepEqual(closedAfter, [...Array<boolean>(11).fill(false), true]);
  assert.equal(begun, 1);
  front.close();
});

test('connections that nothing is known about but that they are there are destroyed with the others', async () => {
  const { front, connections, socket } = await openOne();
  connections.destroyIdle();
  assert.equal(socket.destroyed, false);
  connections.destroyAll();
  assert.equal(socket.destroyed, true);
  front.close();
});

test('connections that have closed are forgotten', async () => {
  const { front, connections, client, socket } = await openOne();
  const session = new EventEmitter();
  connections.addHttp1(socket, LIMITS);
  connections.addSession(session as ServerHttp2Session, socket);
  const open = (): readonly number[] => [connections.raw, connections.http1, connections.sessions].map(({ size }) => size);
  assert.deepEqual(open(), [1, 1, 1]);
  client.destroy();
  await once(socket.resume(), 'close');
  session.emit('close');
  assert.deepEqual(open(), [0, 0, 0]);
  front.close();
});
