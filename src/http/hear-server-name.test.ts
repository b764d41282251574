import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { hearServerName } from './hear-server-name.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import { ca, renewedPair, serverPair } from './test-support.ts';
import { TlsFront } from './tls.ts';

/** Sends every byte on its own, each when the one before was sent. */
function dripping(socket: Socket): Duplex {
  const stream = new Duplex({
    read: () => {},
    write: (chunk: Buffer, _, done) => {
      const send = (at: number): unknown => (at === chunk.length ? done() : socket.write(chunk.subarray(at, at + 1), () => setImmediate(send, at + 1)));
      send(0);
    },
  });
  socket.setNoDelay().on('data', (chunk) => stream.push(chunk)).on('close', () => stream.push(null));
  return stream;
}

test('a client that sends its words byte by byte is shown the certificate it asks for, and heard from its first byte on', async () => {
  const front = new TlsFront({ ...serverPair, sniCertificates: [{ ...renewedPair, names: ['localhost'] }] }, DEFAULT_LIMITS, (socket) => void socket.pipe(socket));
  await once(front.server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((front.server.address() as AddressInfo).port, '127.0.0.1');
  try {
    const client = connectTls({ socket: dripping(socket), ca, servername: 'localhost' });
    await once(client, 'secureConnect');
    client.write('hello');
    assert.equal(String(((await once(client, 'data')) as [Buffer])[0]), 'hello');
    const shown = client.getPeerX509Certificate()?.toString();
    assert.equal(shown?.trim(), renewedPair.cert.slice(renewedPair.cert.indexOf('-----BEGIN')).trim());
  } finally {
    socket.destroy();
    front.server.close();
  }
});

test('a client that goes away before it has said its name leaves nothing behind', async () => {
  const server = createServer((socket) => hearServerName(socket, () => assert.fail('it said no name')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  for (const leave of [(socket: Socket) => socket.end(), (socket: Socket) => socket.resetAndDestroy()]) {
    const socket = connect(port, '127.0.0.1');
    const [[accepted]] = (await Promise.all([once(server, 'connection'), once(socket, 'connect')])) as [[Socket], unknown];
    // Without a listener for errors, which `once` would add.
    const closed = new Promise((resolve) => void accepted.once('close', resolve));
    socket.write(Buffer.from([22, 3, 1, 1]));
    leave(socket.resume());
    await closed;
  }
  server.close();
  await once(server, 'close');
});
