import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { Worker } from 'node:worker_threads';
import type { Reply } from '#request';
import { DEFAULT_LIMITS, type ConnectionLimits } from './limits.ts';
import { openListener } from './listener.ts';
import { NO_BODY } from './read-body.ts';
import { ca, serverPair } from './test-support.ts';
import { TlsFront, type ListenerTls } from './tls.ts';

const SHORT_MS = 100;
const LIMITS: ConnectionLimits = { ...DEFAULT_LIMITS, handshakeTimeoutMs: SHORT_MS };

/** A client beside this thread, so that it gets on while nothing is read here. It sets `said[0]` when it has sent all it has to send. */
const CLIENT = `
  const { workerData: { port, said } } = require('node:worker_threads');
  const socket = require('node:tls').connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
    socket.write('hello', () => {
      Atomics.store(said, 0, 1);
      Atomics.notify(said, 0);
    });
  });
  socket.on('error', () => {});
`;

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}

test('a client whose handshake was there in time is served, however late it is read', { timeout: 15_000 }, async () => {
  const outcomes = new EventEmitter();
  const { server, usual } = new TlsFront(serverPair, LIMITS, () => outcomes.emit('one', 'served'));
  const said = new Int32Array(new SharedArrayBuffer(4));
  // The server has its secrets when it has answered the first word of the client. The last one comes while it does something else for long.
  usual.once('keylog', () =>
    setImmediate(() => {
      Atomics.wait(said, 0, 0, 10_000);
      Atomics.wait(said, 0, 1, 2 * SHORT_MS);
    }),
  );
  const outcome = once(outcomes, 'one');
  usual.once('tlsClientError', () => outcomes.emit('one', 'cut off'));
  server.once('connection', (socket: Socket) => socket.once('close', () => outcomes.emit('one', 'closed')));
  const client = new Worker(CLIENT, { eval: true, workerData: { port: await listen(server), said } });
  try {
    assert.deepEqual(await outcome, ['served']);
  } finally {
    await client.terminate();
    server.close();
  }
});

/** With and without the wait for the name that a client asks for. */
const SETTINGS: readonly (readonly [string, ListenerTls])[] = [
  ['', serverPair],
  [', where it is asked for a name', { ...serverPair, sniCertificates: [serverPair] }],
];

for (const [where, tls] of SETTINGS) {
  test(`a client that does not go on with its handshake is cut off${where}`, { timeout: 15_000 }, async () => {
    const { server } = new TlsFront(tls, LIMITS, () => {});
    const socket = connect(await listen(server), '127.0.0.1').on('error', () => {});
    try {
      await once(socket.resume(), 'close');
    } finally {
      server.close();
    }
  });
}

for (const [where, tls] of SETTINGS) {
  test(`a client that has completed its handshake may be silent for longer than a handshake${where}`, { timeout: 15_000 }, async () => {
    const { server } = new TlsFront(tls, LIMITS, () => {});
    const port = await listen(server);
    const client = connectTls({ host: '127.0.0.1', port, ca }).on('error', () => {});
    await once(client, 'secureConnect');
    const outcomes = new EventEmitter();
    const outcome = once(outcomes, 'one');
    client.once('close', () => outcomes.emit('one', 'cut off'));
    try {
      // Others that do not go on are cut off one after the other meanwhile, for longer than even a slow handshake may take.
      for (let period = 0; period < 4; period++) await once(connect(port, '127.0.0.1').on('error', () => {}).resume(), 'close');
      outcomes.emit('one', 'stays');
      assert.deepEqual(await outcome, ['stays']);
    } finally {
      client.destroy();
      server.close();
    }
  });
}

/** Sends the first byte over a connection at once, and all else from `resumed` on. */
function haltingly(connection: Socket, resumed: Promise<unknown>): Duplex {
  let isFirst = true;
  const send = async (bytes: Buffer): Promise<void> => {
    const rest = isFirst ? bytes.subarray(1) : bytes;
    if (isFirst) {
      isFirst = false;
      connection.write(bytes.subarray(0, 1));
      await resumed;
    }
    connection.write(rest);
  };
  const halting = new Duplex({ read() {}, write: (bytes: Buffer, _encoding, done) => void send(bytes).then(() => done()) });
  connection.on('data', (chunk: Buffer) => halting.push(chunk)).on('close', () => halting.destroy());
  return halting;
}

for (const [where, tls] of SETTINGS) {
  test(`a client whose handshake is slow gets more time than one that says nothing${where}`, { timeout: 15_000 }, async () => {
    const outcomes = new EventEmitter();
    const { server } = new TlsFront(tls, { ...LIMITS, handshakeTimeoutMs: 5 * SHORT_MS }, () => outcomes.emit('one', 'served'));
    const port = await listen(server);
    const outcome = once(outcomes, 'one');
    const connection = connect(port, '127.0.0.1').on('error', () => {});
    connection.once('close', () => outcomes.emit('one', 'cut off'));
    await once(connection, 'connect');
    const silent = connect(port, '127.0.0.1').on('error', () => {}).resume();
    const client = connectTls({ socket: haltingly(connection, once(silent, 'close')), ca }).on('error', () => {});
    try {
      assert.deepEqual(await outcome, ['served']);
    } finally {
      client.destroy();
      connection.destroy();
      server.close();
    }
  });
}

test('clients are cut off that do not go on with handshakes from one port with several addresses of the server', { timeout: 15_000, skip: process.platform === 'linux' ? false : 'other systems have one loopback address' }, async () => {
  const { server } = new TlsFront(serverPair, LIMITS, () => {});
  await once(server.listen(0, '0.0.0.0'), 'listening');
  const { port } = server.address() as AddressInfo;
  const first = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.1' }).on('error', () => {}).resume();
  const firstClosed = once(first, 'close');
  await once(first, 'connect');
  const second = connect({ port, host: '127.0.0.2', localAddress: '127.0.0.1', localPort: first.localPort as number }).on('error', () => {}).resume();
  try {
    await once(second, 'connect');
    await Promise.all([firstClosed, once(second, 'close')]);
  } finally {
    for (const socket of [first, second]) socket.destroy();
    server.close();
  }
});

test('a request that came in time is answered, though the connection was idle for long before it was read', { timeout: 15_000 }, async () => {
  const handle = (): Promise<Reply> => Promise.resolve({ status: 204, headers: {}, body: NO_BODY });
  const listener = await openListener({ host: '127.0.0.1', port: 0, handle, limits: { idleTimeoutMs: SHORT_MS } });
  const socket = connect(listener.port, '127.0.0.1');
  const ask = (): Promise<unknown> => {
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    return once(socket, 'data');
  };
  try {
    await ask();
    const gone = once(socket, 'close').then(() => 'closed');
    const answered = ask().then(() => 'answered');
    // The request is on its way; nothing is read until the connection has been idle for too long.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * SHORT_MS);
    assert.equal(await Promise.race([answered, gone]), 'answered');
    // And it is watched further on.
    await gone;
  } finally {
    socket.destroy();
    await listener.close({ graceMs: 0 });
  }
});

for (const [where, tls] of SETTINGS) {
  test(`a client that goes on with its handshake byte by byte is cut off after a while${where}`, { timeout: 15_000 }, async () => {
    const { server } = new TlsFront(tls, LIMITS, () => {});
    const socket = connect(await listen(server), '127.0.0.1').on('error', () => {});
    // The head of a record that is long, and never comes to its end.
    socket.write(Buffer.from([0x16, 3, 1, 0x3f, 0xff]));
    const drip = setInterval(() => socket.write(Buffer.alloc(1)), SHORT_MS / 4);
    try {
      await once(socket.resume(), 'close');
    } finally {
      clearInterval(drip);
      server.close();
    }
  });
}
