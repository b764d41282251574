import assert from 'node:assert/strict';
import dns from 'node:dns';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { Socket, type AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { after, describe, mock, test } from 'node:test';
import { deferred } from '#base';
import type { ClientCertificate, Connection } from './connection.ts';
import { TransportFailure, type TransportFailureCode } from './failure.ts';
import { createHttpClient, type HttpClient, type HttpClientOptions } from './http-request.ts';
import { IDLE_MS } from './limits.ts';

const servers: Server[] = [];
const clients: HttpClient[] = [];
after(() => {
  for (const client of clients) client.close();
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function clientOf(connection: Omit<Connection, 'isVerified' | 'namespace'>, options?: HttpClientOptions): HttpClient {
  const client = createHttpClient({ isVerified: true, namespace: 'default', ...connection }, options);
  clients.push(client);
  return client;
}

const plain = async (listener: RequestListener, options?: HttpClientOptions): Promise<HttpClient> =>
  clientOf({ server: `http://127.0.0.1:${await listening(createServer(listener))}/base/`, token: async () => 'secret-token' }, options);

const failsWith = (code: TransportFailureCode) => (error: unknown) => {
  assert(error instanceof TransportFailure);
  assert.equal(error.code, code, error.message);
  assert.doesNotMatch(error.message, /secret-token/);
  return true;
};

const pem = (name: string): string => readFileSync(new URL(`../../test/fixtures/tls/${name}`, import.meta.url), 'utf8');

/** How often the connections of a call are probed, by what is told to the system. */
async function probedAfter(client: HttpClient): Promise<readonly unknown[]> {
  const set = mock.method(Socket.prototype, 'setKeepAlive');
  try {
    const { chunks } = await client.stream({ method: 'GET', path: '/' });
    for await (const _ of chunks);
    return [...new Set(set.mock.calls.map(({ arguments: [, delayMs] }) => delayMs))];
  } finally {
    set.mock.restore();
  }
}

describe('over HTTP', () => {
  test('calls that begin before a name server has answered ask it once', async () => {
    const server = `http://calls.example.com:${await listening(createServer((_request, response) => void response.end()))}`;
    let asked = 0;
    const answer = (_host: string, _how: object, done: (failure: null, found: readonly dns.LookupAddress[]) => void): void => {
      asked++;
      setImmediate(done, null, [{ address: '127.0.0.1', family: 4 }]);
    };
    const late = mock.method(dns, 'lookup', answer as unknown as typeof dns.lookup);
    syncBuiltinESMExports();
    try {
      const client = clientOf({ server });
      const calls = [1, 2, 3].map(() => client.request({ method: 'GET', path: '/' }));
      assert.deepEqual((await Promise.all(calls)).map(({ status }) => status), [200, 200, 200]);
      assert.equal(asked, 1);
    } finally {
      late.mock.restore();
      syncBuiltinESMExports();
    }
  });

  test('method, path below the base, headers, token and body arrive, and the answer comes back', async () => {
    const client = await plain((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { method, url, headers } = request;
        response.writeHead(201, { 'x-test': 'yes' });
        response.end(JSON.stringify([method, url, headers['x-mine'], headers.authorization, Buffer.concat(chunks).toString()]));
      });
    });
    for (const method of ['PATCH', 'DELETE']) {
      const { status, headers, body } = await client.request({ method, path: '/a?b=c', headers: { 'x-mine': '1' }, body: 'ü' });
      assert.deepEqual([status, headers['x-test']], [201, 'yes']);
      assert.deepEqual(JSON.parse(Buffer.from(body).toString()), [method, '/base/a?b=c', '1', 'Bearer secret-token', 'ü']);
    }
  });

  test('connections are kept', async () => {
    const ports = new Set<number | undefined>();
    const client = await plain((request, response) => {
      ports.add(request.socket.remotePort);
      response.end();
    });
    for (let call = 0; call < 3; call++) await client.request({ method: 'GET', path: '/' });
    assert.equal(ports.size, 1);
  });

  test('a connection that is idle for long is closed, and one that is in use is not, however silent it is', async () => {
    const server = createServer((request, response) => {
      response.write('first');
      if (request.url !== '/idle') return held.resolve(response);
      request.socket.on('close', idleIsClosed.resolve);
      response.end();
    });
    const held = deferred<ServerResponse>();
    const idleIsClosed = deferred();
    server.keepAliveTimeout = 0;
    const port = await listening(server);
    const timed = mock.method(Socket.prototype, 'setTimeout');
    const client = clientOf({ server: `http://127.0.0.1:${port}` });
    const { chunks } = await client.stream({ method: 'GET', path: '/held' });
    await client.request({ method: 'GET', path: '/idle' });
    timed.mock.restore();
    const sockets = new Set(timed.mock.calls.map(({ this: socket }) => socket as Socket).filter(({ remotePort }) => remotePort === port));
    assert.deepEqual([...sockets].map(({ timeout }) => timeout), [0, IDLE_MS]);
    for (const socket of sockets) if (socket.timeout) socket.emit('timeout');
    await idleIsClosed.promise;
    (await held.promise).end('last');
    let text = '';
    for await (const chunk of chunks) text += Buffer.from(chunk).toString();
    assert.equal(text, 'firstlast');
  });

  test('a call is sent again only where that is allowed, and only on a connection that was kept', async () => {
    for (const repeatsOnStaleConnections of [false, true]) {
      let [asked, ending] = [0, 0];
      const client = await plain((request, response) => void (++asked === ending ? request.socket.destroy() : response.end()), repeatsOnStaleConnections ? { repeatsOnStaleConnections } : {});
      const post = (): Promise<number> => client.request({ method: 'POST', path: '/', body: 'x' }).then(({ status }) => status);
      ending = 1;
      await assert.rejects(post(), failsWith('unreachable'));
      assert.equal(asked, 1, 'a new connection is not stale');
      assert.equal(await post(), 200);
      ending = 3;
      if (repeatsOnStaleConnections) assert.equal(await post(), 200);
      else await assert.rejects(post(), failsWith('unreachable'));
      assert.equal(asked, repeatsOnStaleConnections ? 4 : 3);
    }
  });

  test('a call is not sent on a connection that its server has closed by then', async () => {
    const sockets: Socket[] = [];
    const client = await plain((request, response) => {
      sockets.push(request.socket);
      response.end();
    });
    for (let call = 0; call < 3; call++) {
      assert.equal((await client.request({ method: 'POST', path: '/', body: 'x' })).status, 200);
      sockets.at(-1)?.destroy();
    }
    assert.equal(new Set(sockets).size, 3);
  });

  test('a call that was answered is not sent again, however the answer fails', async () => {
    let asked = 0;
    const answer = (request: IncomingMessage, response: ServerResponse): void => void (++asked % 2 === 0 ? request.socket.end('no answer\r\n\r\n') : response.end());
    const client = await plain(answer, { repeatsOnStaleConnections: true });
    await client.request({ method: 'POST', path: '/', body: 'x' });
    await assert.rejects(client.request({ method: 'POST', path: '/', body: 'x' }), failsWith('unreachable'));
    assert.equal(asked, 2);
  });

  test('a redirect is an answer', async () => {
    const client = await plain((_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end());
    assert.equal((await client.request({ method: 'GET', path: '/' })).status, 302);
  });

  test('an answer beyond the bound is cut off', async () => {
    const client = await plain((_request, response) => response.end(Buffer.alloc(1001)), { maxAnswerBytes: 1000 });
    await assert.rejects(client.request({ method: 'GET', path: '/' }), failsWith('too-large'));
  });

  test('silence ends a call', async () => {
    const client = await plain(() => {}, { silenceMs: 50 });
    await assert.rejects(client.request({ method: 'GET', path: '/' }), failsWith('timeout'));
  });

  test('a connection that breaks in the middle of an answer is a failure', async () => {
    const client = await plain((_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('half');
      setImmediate(() => response.destroy());
    });
    await assert.rejects(client.request({ method: 'GET', path: '/' }), failsWith('unreachable'));
  });

  test('a stream comes piece by piece, outlives the bound of silence, and ends when its reader stops', async () => {
    let closed: (() => void) | undefined;
    const isClosed = new Promise<void>((resolve) => (closed = resolve));
    const client = await plain(
      (_request, response) => {
        response.write('one');
        setTimeout(() => response.write('two'), 1_500);
        response.on('close', () => closed?.());
      },
      { silenceMs: 1_000 },
    );
    const pieces: string[] = [];
    const { status, chunks } = await client.stream({ method: 'GET', path: '/' });
    for await (const chunk of chunks) {
      pieces.push(Buffer.from(chunk).toString());
      if (pieces.length === 2) break;
    }
    assert.deepEqual([status, pieces], [200, ['one', 'two']]);
    await isClosed;
  });

  test('a server that vanishes while a stream is read is found out', async () => {
    assert.deepEqual(await probedAfter(await plain((_request, response) => void response.end('a'))), [30_000]);
  });

  test('an aborted call fails as aborted, and its connection is closed', { timeout: 30_000 }, async () => {
    const stop = new AbortController();
    const isClosed = deferred<void>();
    const client = await plain((_request, response) => {
      response.once('close', () => isClosed.resolve());
      stop.abort();
    });
    await assert.rejects(client.request({ method: 'GET', path: '/', signal: stop.signal }), failsWith('aborted'));
    await isClosed.promise;
  });

  test('an answer that turns to another protocol is a failure, and its connection is closed', async () => {
    let ended: (() => void) | undefined;
    const hasEnded = new Promise<void>((resolve) => (ended = resolve));
    const server = createServer().on('upgrade', () => {}).on('request', ({ socket }) => {
      socket.on('close', () => ended?.());
      socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n');
    });
    const client = clientOf({ server: `http://127.0.0.1:${await listening(server)}` });
    await assert.rejects(client.request({ method: 'GET', path: '/' }), failsWith('refused-answer'));
    await hasEnded;
  });

  test('a call that waits for a connection is given up in its own time', async () => {
    const client = await plain(() => {}, { maxConnections: 1 });
    const [held, waiting] = [new AbortController(), new AbortController()];
    const first = assert.rejects(client.request({ method: 'GET', path: '/', signal: held.signal }), failsWith('aborted'));
    const second = client.request({ method: 'GET', path: '/', signal: waiting.signal });
    waiting.abort();
    await assert.rejects(second, failsWith('aborted'));
    await assert.rejects(client.request({ method: 'GET', path: '/', signal: waiting.signal }), failsWith('aborted'));
    await assert.rejects(client.request({ method: 'GET', path: '/', signal: AbortSignal.timeout(1) }), failsWith('timeout'));
    held.abort();
    await first;
  });

  test('headers of an answer may be long, but not endless', async () => {
    let length = 100_000;
    const client = await plain((_request, response) => void response.writeHead(200, { 'x-long': 'a'.repeat(length) }).end());
    assert.equal((await client.request({ method: 'GET', path: '/' })).status, 200);
    length = 2_000_000;
    await assert.rejects(client.request({ method: 'GET', path: '/' }), failsWith('unreachable'));
  });

  test('nobody listens', async () => {
    const server = createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    await assert.rejects(clientOf({ server: `http://127.0.0.1:${port}` }).request({ method: 'GET', path: '/' }), failsWith('refused'));
  });

  test('a token is not sent to other machines in clear', () => {
    const to = (host: string): HttpClient => clientOf({ server: `http://${host}:8080`, token: async () => 'secret-token' });
    for (const host of ['192.0.2.1', '127.0.0.1.example.com', 'localhost.example.com', '[::2]']) assert.throws(() => to(host), failsWith('configuration'), host);
    for (const host of ['127.0.0.1', '127.1.2.3', 'localhost', '[::1]']) to(host);
  });
});

describe('over HTTPS', () => {
  const secure = async (): Promise<string> => {
    const tls = { cert: pem('server.crt'), key: pem('server.key'), ca: pem('ca.crt'), requestCert: true, rejectUnauthorized: false };
    const server = createSecureServer(tls, (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      response.end(subject === undefined ? 'nobody' : String(subject.CN));
    });
    return `https://127.0.0.1:${await listening(server)}`;
  };
  const bodyOf = async (client: HttpClient): Promise<string> => Buffer.from((await client.request({ method: 'GET', path: '/' })).body).toString();

  test('the given authority is trusted, and the client certificate is shown', async () => {
    const server = await secure();
    assert.equal(await bodyOf(clientOf({ server, authority: pem('ca.crt') })), 'nobody');
    const clientCertificate = { cert: pem('client.crt'), key: pem('client.key') };
    assert.notEqual(await bodyOf(clientOf({ server, authority: pem('ca.crt'), clientCertificate })), 'nobody');
  });

  test('a client certificate that is exchanged is shown from the next call on, and the old one until the new one can be used', async () => {
    const pairOf = (name: string): ClientCertificate => ({ cert: pem(`${name}.crt`), key: pem(`${name}.key`) });
    const clientCertificate = pairOf('client');
    let current = clientCertificate;
    const client = clientOf({ server: await secure(), authority: pem('ca.crt'), clientCertificate: { ...clientCertificate, current: async () => current } });
    const first = await bodyOf(client);
    current = { ...clientCertificate, cert: pem('server.crt') };
    assert.equal(await bodyOf(client), first);
    current = pairOf('server');
    const second = await bodyOf(client);
    assert.notEqual(second, first);
    assert.equal(await bodyOf(client), second);
  });

  test('when a client certificate is exchanged, its key or not, no connection stays that has shown the old one, free or busy', { timeout: 30_000 }, async () => {
    let hold = (_response: ServerResponse): void => {};
    let closed: Promise<unknown>[] = [];
    const server = createSecureServer({ cert: pem('server.crt'), key: pem('server.key') }, (request, response) => {
      if (request.url === '/held') hold(response);
      else response.end();
    });
    // It closes none by itself.
    server.keepAliveTimeout = 0;
    server.on('connection', (socket: Socket) => closed.push(once(socket, 'close')));
    const first = { cert: pem('client.crt'), key: pem('client.key') };
    let current = first;
    const clientCertificate = { ...first, current: async () => current };
    const client = clientOf({ server: `https://127.0.0.1:${await listening(server)}`, authority: pem('ca.crt'), clientCertificate });
    for (const next of [{ ...first, cert: `${first.cert}${pem('ca.crt')}` }, { cert: pem('server.crt'), key: pem('server.key') }]) {
      const held = new Promise<ServerResponse>((resolve) => (hold = resolve));
      const busy = client.stream({ method: 'GET', path: '/held' });
      await bodyOf(client);
      assert.equal(closed.length, 2);
      current = next;
      for (let call = 0; call < 3; call++) await bodyOf(client);
      assert.equal(closed.length, 3, 'the new one is kept');
      await closed[1];
      (await held).end();
      for await (const _ of (await busy).chunks);
      await closed[0];
      // The one that is left is the first of the next round.
      closed = closed.slice(2);
    }
  });

  test('a server that vanishes while a stream is read is found out', async () => {
    assert.deepEqual(await probedAfter(clientOf({ server: await secure(), authority: pem('ca.crt') })), [30_000]);
  });

  test('nobody else is trusted', async () => {
    const server = await secure();
    await assert.rejects(bodyOf(clientOf({ server })), failsWith('untrusted'));
    await assert.rejects(bodyOf(clientOf({ server, authority: pem('stranger.crt') })), failsWith('untrusted'));
    await assert.rejects(bodyOf(clientOf({ server, authority: pem('ca.crt'), serverName: 'other.test' })), failsWith('untrusted'));
    await bodyOf(clientOf({ server, authority: pem('ca.crt'), serverName: '127.0.0.1' }));
    await assert.rejects(bodyOf(clientOf({ server, authority: pem('ca.crt'), serverName: '127.0.0.2' })), failsWith('untrusted'));
  });

  test('verification can be switched off by the kubeconfig only', async () => {
    for (const authority of [{}, { authority: pem('stranger.crt') }]) {
      const client = createHttpClient({ server: await secure(), isVerified: false, namespace: 'default', ...authority });
      clients.push(client);
      assert.equal(await bodyOf(client), 'nobody');
    }
  });

  test('a key that does not fit is found before the first call', () => {
    const clientCertificate = { cert: pem('client.crt'), key: pem('stranger.key') };
    assert.throws(() => clientOf({ server: 'https://127.0.0.1:1', clientCertificate }), failsWith('configuration'));
  });
});
