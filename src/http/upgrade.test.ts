import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as listenWith, Socket, type AddressInfo } from 'node:net';
import { test } from 'node:test';
import { Http1Message, type Http1Server } from './http1-message.ts';
import { handleUpgrades } from './upgrade.ts';

const UPGRADE = 'GET /second HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const H2C = 'GET /second HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n';

/** Tells of what was written only with `release`, as TLS may do long after the client has read it. */
function tellLate(socket: Socket): { release(): void } {
  const told: (() => void)[] = [];
  const { _write, _writev } = Socket.prototype;
  socket._write = (chunk, encoding, done) => _write.call(socket, chunk, encoding, (error) => void told.push(() => done(error)));
  socket._writev = (chunks, done) => _writev!.call(socket, chunks, (error) => void told.push(() => done(error)));
  return {
    release() {
      Object.assign(socket, { _write, _writev });
      for (const tell of told) tell();
    },
  };
}

for (const [offer, second] of [['that is supported', UPGRADE], ['that is not', H2C]] as const) {
  test(`an offer of a protocol ${offer} is answered also before Node knows that the client has the answer before it`, async (context) => {
    const server = createServer({ IncomingMessage: Http1Message }, (request, response) => void response.end(request.url)) as Http1Server;
    handleUpgrades(server, { isClosing: () => false, keepAlive: '' }, (exchange) => exchange.sendHead({ status: 418, headers: {}, contentLength: 0, warnings: [] }));
    const listener = listenWith((socket) => {
      const { release } = tellLate(socket);
      server.prependOnceListener('upgrade', () => setImmediate(release));
      server.emit('connection', socket);
    }).listen(0, '127.0.0.1');
    context.after(() => listener.close());
    await once(listener, 'listening');
    const client = connect({ host: '127.0.0.1', port: (listener.address() as AddressInfo).port }).setEncoding('latin1');
    context.after(() => client.destroy());
    let said = '';
    const closed = once(client, 'close');
    client.on('data', (text: string) => {
      if (said === '') client.write(second);
      said += text;
    });
    client.write('GET /first HTTP/1.1\r\nHost: x\r\n\r\n');
    await closed;
    assert.match(said, second === UPGRADE ? /^HTTP\/1\.1 200 [^]*\/firstHTTP\/1\.1 418 / : /^HTTP\/1\.1 200 [^]*\/firstHTTP\/1\.1 200 [^]*\/second$/);
  });
}

test('what a client sends right behind its offer is the first that the other protocol reads', { timeout: 30_000 }, async (context) => {
  const server = createServer({ IncomingMessage: Http1Message }) as Http1Server;
  handleUpgrades(server, { isClosing: () => false, keepAlive: '' }, (exchange) => {
    const connection = exchange.handOver({ status: 101, headers: { connection: 'upgrade', upgrade: 'websocket' }, contentLength: undefined, warnings: [] });
    connection.once('data', (bytes: Buffer) => void connection.end(bytes));
  });
  server.listen(0, '127.0.0.1');
  context.after(() => server.close());
  await once(server, 'listening');
  const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port }).setEncoding('latin1');
  context.after(() => client.destroy());
  let said = '';
  client.on('data', (text: string) => (said += text));
  client.write(`${UPGRADE}early`);
  await once(client, 'close');
  assert.match(said, /^HTTP\/1\.1 101 Switching Protocols\r\n[^]*\r\n\r\nearly$/);
});
