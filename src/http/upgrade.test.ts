import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as listenWith, Socket, type AddressInfo } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { test } from 'node:test';
import type { Received, Reply } from '#request';
import { Http1Message, type Http1Server } from './http1-message.ts';
import { openListener } from './listener.ts';
import { ca, serverPair } from './test-support.ts';
import { handleUpgrades } from './upgrade.ts';

const UPGRADE = 'GET /second HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';
const H2C = 'GET /second HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n';
const CONNECT = 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n';

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
    handleUpgrades(server, { isClosing: () => false, keepAlive: '', lingerMs: 0 }, (exchange) => exchange.sendHead({ status: 418, headers: {}, contentLength: 0, warnings: [] }));
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

test('requests that all offer a protocol which is not supported, sent without waiting for answers, are answered in their order, however long the answers are', { timeout: 30_000 }, async (context) => {
  const LONG = 8_000_000;
  const listener = await openListener({
    host: '127.0.0.1',
    port: 0,
    handle: ({ path }: Received): Promise<Reply> => Promise.resolve({ status: 200, headers: {}, body: new TextEncoder().encode(path.padEnd(path === '/long' ? LONG : 0, '.')) }),
  });
  context.after(() => listener.close({ graceMs: 0 }));
  const client = connect({ host: '127.0.0.1', port: listener.port }).setEncoding('latin1');
  context.after(() => client.destroy());
  let said = '';
  client.on('data', (text: string) => (said += text));
  const paths = ['/first', '/long', '/third', '/long', '/second'];
  client.write(paths.map((path) => (path === '/second' ? H2C : H2C.replace('/second', path).replace(', close', ''))).join(''));
  await once(client, 'close');
  assert.deepEqual(said.match(/\/\w+\.*(?=HTTP|$)/g)?.map((body) => [body.replace(/\.+/, ''), body.length]), paths.map((path) => [path, path === '/long' ? LONG : path.length]));
});

for (const over of ['TCP', 'TLS'] as const) {
  for (const [offer, request] of [['websocket', UPGRADE], ['h2c', H2C], ['a tunnel', CONNECT]] as const) {
    test(`over ${over} it is noticed that a client leaves whose request for ${offer} waits for an earlier answer`, { timeout: 30_000 }, async (context) => {
      let begin!: () => void;
      const hasBegun = new Promise<void>((resolve) => (begin = resolve));
      let leave!: () => void;
      const hasLeft = new Promise<void>((resolve) => (leave = resolve));
      const asked: string[] = [];
      const listener = await openListener({
        host: '127.0.0.1',
        port: 0,
        ...(over === 'TLS' && { tls: serverPair }),
        handle: ({ path, signal }: Received): Promise<Reply> => {
          asked.push(path);
          begin();
          return new Promise((resolve) => {
            signal.addEventListener('abort', () => {
              leave();
              resolve({ status: 200, headers: {}, body: new Uint8Array(0) });
            });
          });
        },
      });
      context.after(() => listener.close({ graceMs: 0 }));
      const to = { host: '127.0.0.1', port: listener.port };
      const client = over === 'TLS' ? connectTls({ ...to, ca, servername: 'localhost' }) : connect(to);
      client.write(`GET /first HTTP/1.1\r\nHost: x\r\n\r\n${request}`);
      await hasBegun;
      client.destroy();
      await hasLeft;
      assert.deepEqual(asked, ['/first']);
    });
  }
}

for (const earlier of ['', 'GET /first HTTP/1.1\r\nHost: x\r\n\r\n']) {
  test(`what a client sends right behind its offer is the first that the other protocol reads${earlier && ', also where the offer waits for an earlier answer'}`, { timeout: 30_000 }, async (context) => {
    const server = createServer({ IncomingMessage: Http1Message }, (_, response) => void setImmediate(() => response.end('first'))) as Http1Server;
    handleUpgrades(server, { isClosing: () => false, keepAlive: '', lingerMs: 0 }, (exchange) => {
      const connection = exchange.handOver({ status: 101, headers: { connection: 'upgrade', upgrade: 'websocket' }, contentLength: undefined, warnings: [] });
      let heard = '';
      connection.on('data', (bytes: Buffer) => {
        heard += bytes.toString('latin1');
        if (heard.endsWith('.')) connection.end(heard);
      });
    });
    server.listen(0, '127.0.0.1');
    context.after(() => server.close());
    await once(server, 'listening');
    const client = connect({ host: '127.0.0.1', port: (server.address() as AddressInfo).port, noDelay: true }).setEncoding('latin1');
    context.after(() => client.destroy());
    let said = '';
    client.on('data', (text: string) => (said += text));
    client.write(`${earlier}${UPGRADE}early`);
    setImmediate(() => client.write(' and late.'));
    await once(client, 'close');
    assert.match(said, earlier === '' ? /^HTTP\/1\.1 101 Switching Protocols\r\n[^]*\r\n\r\nearly and late\.$/ : /^HTTP\/1\.1 200 [^]*\r\n\r\nfirstHTTP\/1\.1 101 [^]*\r\n\r\nearly and late\.$/);
  });
}
