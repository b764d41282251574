import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { Agent, request } from 'node:https';
import type { Readable } from 'node:stream';
import { after, before, describe, test } from 'node:test';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { startServer, type RunningServer, type TlsMaterial, type TlsOptions } from '#server';
import { TurnedClock } from '#testing';
import { FOR_CLIENT, FOR_ISSUING, forServer, KEYS, WITHOUT_OPENSSL, Workshop, type Issuer, type Pair } from './openssl.ts';

/** Opens a connection; the name in the certificate that is shown, and what was agreed upon. */
function greet(server: RunningServer, options: ConnectionOptions = {}): Promise<{ readonly name: string; readonly version: string | null; readonly cipher: string }> {
  return new Promise((resolve, reject) => {
    const socket: TLSSocket = connect({ host: '127.0.0.1', port: server.port ?? 0, rejectUnauthorized: false, ...options }, () => {
      const { CN } = socket.getPeerCertificate().subject;
      resolve({ name: String(CN), version: socket.getProtocol(), cipher: socket.getCipher().name });
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

/** The status of a request that everybody may make who says who they are, and whoever shows a certificate. */
function ask(server: RunningServer, pair: Pair | undefined, more: object = {}): Promise<{ readonly status: number; readonly user: string | undefined; readonly session: Buffer | undefined }> {
  return new Promise((resolve, reject) => {
    let session: Buffer | undefined;
    const asking = request({ host: '127.0.0.1', port: server.port, path: '/api/v1/nodes', agent: false, rejectUnauthorized: false, ...pair, ...more }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, user: /User \\"([^"\\]*)\\"/.exec(text)?.[1], session }));
    });
    asking.on('socket', (socket) => socket.on('session', (one: Buffer) => (session = one)));
    asking.on('error', reject);
    asking.end();
  });
}

/** One connection that stays open, and whom the server takes its client for: a user, or the status where it is none. */
interface KeptOpen {
  said(): Promise<string | number>;
  /** Resolves when the server has ended the connection. */
  ended(): Promise<unknown>;
  close(): void;
}

function keptOpen({ port = 0 }: RunningServer, protocol: 'http/1.1' | 'h2', pair: Pair | undefined, headers: Readonly<Record<string, string>> = {}): KeptOpen {
  const path = '/api/v1/nodes';
  const saidIn = (status: number, text: string): string | number => /User \\"([^"\\]*)\\"/.exec(text)?.[1] ?? status;
  if (protocol === 'h2') {
    const session = connectHttp2(`https://127.0.0.1:${port}`, { rejectUnauthorized: false, ...pair });
    const ending = once(session, 'close');
    const said = async (): Promise<string | number> => {
      const stream = session.request({ ':path': path, ...headers });
      const [[head], text] = await Promise.all([once(stream, 'response'), textOf(stream)]);
      return saidIn(Number(head[':status']), text);
    };
    return { said, ended: () => ending, close: () => session.destroy() };
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const endings = new Map<unknown, Promise<unknown>>();
  const said = async (): Promise<string | number> => {
    const asking = request({ host: '127.0.0.1', port, path, headers, agent, rejectUnauthorized: false, ...pair }).end();
    const [answer] = (await once(asking, 'response')) as [IncomingMessage];
    if (!endings.has(asking.socket)) endings.set(asking.socket, once(asking.socket as TLSSocket, 'close'));
    assert.equal(endings.size, 1, 'the connection was not kept');
    return saidIn(answer.statusCode ?? 0, await textOf(answer));
  };
  return { said, ended: () => Promise.all(endings.values()), close: () => agent.destroy() };
}

async function textOf(stream: Readable): Promise<string> {
  return (await stream.toArray()).join('');
}

const pairOf = ({ cert, key }: Pair): Pair => ({ cert, key });

/** The certificates that a server shows, as texts one after the other. */
function shown(server: RunningServer, servername: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const given = ['s_client', '-connect', `127.0.0.1:${server.port}`, '-servername', servername, '-showcerts'];
    const client = execFile('openssl', given, (failure, text) => {
      if (failure !== null) return reject(failure as Error);
      resolve((text.match(/-----BEGIN CERTIFICATE-----[^]*?-----END CERTIFICATE-----\n/g) ?? []).join(''));
    });
    client.stdin?.end();
  });
}

describe('TLS', { skip: WITHOUT_OPENSSL }, () => {
  let made: Workshop;
  let [first, second]: Issuer[] = [];
  let [one, two, three]: Pair[] = [];
  const servers: RunningServer[] = [];

  before(() => {
    made = new Workshop();
    [first, second] = [made.authority('clients'), made.authority('clients')];
    [one, two, three] = ['one.test', 'two.test', '*.three.test'].map((name) => pairOf(made.issue(first as never, `/CN=${name}`, forServer(name))));
  });
  after(async () => {
    for (const server of servers) await server.close();
    made.close();
  });

  async function start(tls: Partial<TlsOptions>, clock = new TurnedClock()): Promise<RunningServer> {
    const all = { ...(one as Pair), clientCa: (first as Pair).cert, ...tls };
    const server = await startServer({ clock, controllers: 'none', shutdownGraceMs: 0, tokens: 'a,admin,,"system:masters"\n', listen: { tls: all } });
    servers.push(server);
    return server;
  }

  /** What was ready to go on has gone on. */
  const settled = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

  test('a new serving certificate is shown to new connections', async () => {
    const clock = new TurnedClock();
    let files: TlsMaterial = { ...(one as Pair), clientCa: (first as Pair).cert };
    const server = await start({ read: async () => files }, clock);
    assert.equal((await greet(server)).name, 'one.test');
    files = { ...files, ...two };
    assert.equal((await greet(server)).name, 'one.test');
    clock.turn(10_000);
    await settled();
    assert.equal((await greet(server)).name, 'two.test');
    files = { ...files, cert: (one as Pair).cert };
    clock.turn(10_000);
    await settled();
    assert.equal((await greet(server)).name, 'two.test');
  });

  test('a new bundle of authorities counts for new connections, also for those that resume an old one', async () => {
    const clock = new TurnedClock();
    let files: TlsMaterial = { ...(one as Pair), clientCa: (first as Pair).cert };
    const server = await start({ read: async () => files }, clock);
    const jane = made.issue(first as never, '/CN=jane', FOR_CLIENT);
    const john = made.issue(second as never, '/CN=john', FOR_CLIENT);
    const { user, session } = await ask(server, jane);
    assert.equal(user, 'jane');
    assert.equal((await ask(server, john)).status, 401);
    files = { ...files, clientCa: (second as Pair).cert };
    clock.turn(10_000);
    await settled();
    assert.equal((await ask(server, john)).user, 'john');
    assert.equal((await ask(server, jane)).status, 401);
    assert.ok(session !== undefined);
    assert.equal((await ask(server, jane, { session })).status, 401);
    files = { ...files, clientCa: `${(first as Pair).cert}\n${(second as Pair).cert}` };
    clock.turn(10_000);
    await settled();
    assert.deepEqual([(await ask(server, john)).user, (await ask(server, jane)).user], ['john', 'jane']);
  });

  for (const protocol of ['http/1.1', 'h2'] as const) {
    test(`who keeps a connection open is judged by the authorities that count now: ${protocol}`, async () => {
      const clock = new TurnedClock();
      let files: TlsMaterial = { ...(one as Pair), clientCa: (first as Pair).cert };
      const server = await start({ read: async () => files }, clock);
      const [jane, stranger] = [made.issue(first as never, '/CN=jane', FOR_CLIENT), made.issue(second as never, '/CN=john', FOR_CLIENT)];
      const connections = [jane, stranger, undefined].map((pair) => keptOpen(server, protocol, pair));
      const users = async (): Promise<readonly unknown[]> => Promise.all(connections.map((one) => one.said()));
      assert.deepEqual(await users(), ['jane', 401, 'system:anonymous']);
      for (const [given, expected] of [
        [two, 'jane'],
        [{ clientCa: `${(second as Pair).cert}\n${(first as Pair).cert}` }, 'jane'],
        [{ clientCa: (second as Pair).cert }, 401],
      ] as const) {
        files = { ...files, ...given };
        clock.turn(10_000);
        await settled();
        // What was refused stays so for its connection: it may have been for another reason.
        assert.deepEqual(await users(), [expected, 401, 'system:anonymous']);
      }
      // So that its client begins anew, with what the handshake says now. The others stay.
      await connections[0]?.ended();
      assert.deepEqual(await Promise.all(connections.slice(1).map((one) => one.said())), [401, 'system:anonymous']);
      for (const one of connections) one.close();
    });
  }

  test('a proxy that keeps a connection open is believed while its authority is one of proxies', async () => {
    const clock = new TurnedClock();
    const [ofClients, ofProxies] = [(first as Pair).cert, (second as Pair).cert];
    const front = made.issue(second as never, '/CN=front', FOR_CLIENT);
    const authentication = { requestHeader: { clientCa: ofProxies, usernameHeaders: ['x-remote-user'] } };
    for (const [clientCa, later] of [
      [undefined, [[undefined, ofClients, 401]]],
      [ofClients, [[ofProxies, ofClients, 'front'], [ofClients, ofProxies, 'eve'], [ofClients, ofClients, 401]]],
    ] as const) {
      let files: TlsMaterial = { ...(one as Pair), ...(clientCa === undefined ? {} : { clientCa }), proxyCa: ofProxies };
      const tls = { ...(one as Pair), ...(clientCa === undefined ? {} : { clientCa }), read: async () => files };
      const server = await startServer({ clock, controllers: 'none', shutdownGraceMs: 0, authentication, listen: { tls } });
      servers.push(server);
      const proxy = keptOpen(server, 'h2', front, { 'x-remote-user': 'eve' });
      assert.equal(await proxy.said(), 'eve');
      for (const [client, proxyCa, expected] of later) {
        files = { ...(one as Pair), ...(client === undefined ? {} : { clientCa: client }), proxyCa };
        clock.turn(10_000);
        await settled();
        assert.equal(await proxy.said(), expected);
      }
      proxy.close();
    }
  });

  test('certificates from another authority, ended, or not for clients are no identity', async () => {
    const server = await start({});
    const bad = [
      made.issue(second as never, '/O=system:masters/CN=x', FOR_CLIENT),
      made.issue(first as never, '/O=system:masters/CN=x', forServer('x')),
      made.issue(first as never, '/O=system:masters/CN=x', FOR_CLIENT, ['-days', '-1']),
    ];
    for (const pair of bad) assert.equal((await ask(server, pair)).status, 401);
    assert.equal((await ask(server, made.issue(first as never, '/O=system:masters/CN=x', FOR_CLIENT))).status, 200);
    assert.equal((await ask(server, made.issue(first as never, '/O=dev/CN=x', FOR_CLIENT))).user, 'x');
  });

  test('the certificate of the name that a client asks for: exact before star, the first before later ones', async () => {
    const named = [{ ...(two as Pair) }, { ...(three as Pair) }, { ...(two as Pair), names: ['exact.three.test', 'two.test'] }, { ...(three as Pair), names: ['two.test'] }];
    const server = await start({ sniCertificates: named });
    const shown: Readonly<Record<string, string>> = {
      'two.test': 'two.test',
      'TWO.test': 'two.test',
      'a.three.test': '*.three.test',
      'exact.three.test': 'two.test',
      'a.b.three.test': 'one.test',
      'three.test': 'one.test',
      'else.test': 'one.test',
    };
    for (const [servername, name] of Object.entries(shown)) assert.equal((await greet(server, { servername })).name, name, servername);
    assert.equal((await greet(server)).name, 'one.test');
    const jane = made.issue(first as never, '/CN=jane', FOR_CLIENT);
    const john = made.issue(second as never, '/CN=john', FOR_CLIENT);
    assert.equal((await ask(server, jane, { servername: 'two.test' })).user, 'jane');
    assert.equal((await ask(server, john, { servername: 'two.test' })).status, 401);
  });

  test('the common name of a certificate is one of its names, those that are given count before any, and the address that is called is one where no name is asked for', async () => {
    const issue = (common: string, name: string): Pair => pairOf(made.issue(first as never, `/CN=${common}`, forServer(name)));
    const sniCertificates = [issue('common.test', 'other.test'), { ...issue('given.test', 'x.test'), names: ['other.test', '127.0.0.1'] }, issue('Jane Doe', 'doe.test')];
    const server = await start({ sniCertificates });
    const expected = { 'common.test': 'common.test', 'other.test': 'given.test', 'doe.test': 'Jane Doe', 'x.test': 'one.test', 'given.test': 'one.test', '': 'given.test' };
    for (const [servername, name] of Object.entries(expected)) assert.equal((await greet(server, { servername })).name, name, servername);
  });

  for (const [sort, usual, named] of [['an RSA beside an ECDSA', undefined, KEYS.rsa], ['an ECDSA beside an RSA', KEYS.rsa, undefined]] as const) {
    test(`the certificate of a name is shown whatever sort of key it has: ${sort} one`, async () => {
      const issue = (name: string, key: readonly string[] | undefined): Pair => pairOf(made.issue(first as never, `/CN=${name}`, forServer(name), undefined, key));
      const server = await start({ ...issue('usual.test', usual), sniCertificates: [issue('named.test', named)] });
      for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
        for (const [servername, name] of [['named.test', 'named.test'], ['else.test', 'usual.test'], ['', 'usual.test']] as const) {
          assert.equal((await greet(server, { servername, maxVersion })).name, name, `${servername} ${maxVersion}`);
        }
      }
      assert.equal((await ask(server, made.issue(first as never, '/CN=jane', FOR_CLIENT), { servername: 'named.test' })).user, 'jane');
      const session = connectHttp2(`https://127.0.0.1:${server.port}`, { servername: 'named.test', rejectUnauthorized: false });
      const [answered] = (await once(session.request({ ':path': '/livez' }).resume(), 'response')) as [{ readonly ':status': number }];
      session.close();
      assert.equal(answered[':status'], 200);
    });
  }

  test('a certificate is shown with its own chain, not with that of another', async () => {
    const chained = (name: string): Pair => {
      const between = made.issue(second as never, '/CN=between', FOR_ISSUING);
      const { cert, key } = made.issue(between, `/CN=${name}`, forServer(name));
      return { cert: cert + between.cert, key };
    };
    const [usual, named] = [chained('usual.test'), chained('named.test')];
    const alone = pairOf(made.authority('alone.test'));
    const server = await start({ ...usual, sniCertificates: [{ ...named, names: ['named.test'] }, { ...alone, names: ['alone.test'] }] });
    assert.equal(await shown(server, 'named.test'), named.cert);
    assert.equal(await shown(server, 'alone.test'), alone.cert);
    assert.equal(await shown(server, 'else.test'), usual.cert);
  });

  test('a session is resumed under the name it was begun with', async () => {
    const server = await start({ sniCertificates: [{ ...(two as Pair) }] });
    const jane = made.issue(first as never, '/CN=jane', FOR_CLIENT);
    const { session } = await ask(server, jane, { servername: 'two.test' });
    assert.ok(session !== undefined);
    const resume = (servername: string): Promise<boolean> =>
      new Promise((resolve, reject) => {
        const socket = connect({ host: '127.0.0.1', port: server.port ?? 0, rejectUnauthorized: false, servername, session, ...jane }, () => {
          resolve(socket.isSessionReused());
          socket.destroy();
        });
        socket.on('error', reject);
      });
    assert.deepEqual([await resume('two.test'), await resume('one.test')], [true, false]);
    assert.equal((await ask(server, jane, { servername: 'two.test', session })).user, 'jane');
  });

  test('named certificates are exchanged too', async () => {
    const clock = new TurnedClock();
    const named = { ...(two as Pair), names: ['x.test'] };
    let files: TlsMaterial = { ...(one as Pair), clientCa: (first as Pair).cert, sniCertificates: [named] };
    const server = await start({ ...files, read: async () => files }, clock);
    assert.equal((await greet(server, { servername: 'x.test' })).name, 'two.test');
    files = { ...files, sniCertificates: [{ ...named, ...(three as Pair) }] };
    clock.turn(10_000);
    await settled();
    assert.equal((await greet(server, { servername: 'x.test' })).name, '*.three.test');
    files = { ...files, sniCertificates: [{ ...named, ...pairOf(made.issue(first as never, '/CN=rsa.test', forServer('rsa.test'), undefined, KEYS.rsa)) }] };
    clock.turn(10_000);
    await settled();
    assert.equal((await greet(server, { servername: 'x.test' })).name, 'rsa.test');
    files = { ...files, sniCertificates: [] };
    clock.turn(10_000);
    await settled();
    assert.equal((await greet(server, { servername: 'x.test' })).name, 'one.test');
    files = { ...files, sniCertificates: [named] };
    clock.turn(10_000);
    await settled();
    assert.equal((await greet(server, { servername: 'x.test' })).name, 'two.test');
  });

  test('older versions than the oldest are refused', async () => {
    const newest = await start({ minVersion: 'VersionTLS13' });
    await assert.rejects(greet(newest, { maxVersion: 'TLSv1.2' }));
    assert.equal((await greet(newest)).version, 'TLSv1.3');
    const usual = await start({});
    assert.equal((await greet(usual, { maxVersion: 'TLSv1.2' })).version, 'TLSv1.2');
    await assert.rejects(greet(usual, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }));
  });

  test('only the cipher suites given are spoken before TLS 1.3, by every certificate; those of TLS 1.3 are always', async () => {
    const server = await start({ cipherSuites: ['TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384'], sniCertificates: [{ ...(two as Pair) }] });
    for (const servername of ['one.test', 'two.test']) {
      const old = { maxVersion: 'TLSv1.2', servername } as const;
      assert.equal((await greet(server, old)).cipher, 'ECDHE-ECDSA-AES256-GCM-SHA384');
      await assert.rejects(greet(server, { ...old, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' }));
      assert.equal((await greet(server, { servername })).version, 'TLSv1.3');
    }
  });

  test('what is not known fails the start, with what is', async () => {
    await assert.rejects(start({ cipherSuites: ['RC4'] }), /tls-cipher-suites: "RC4" is not known; there are TLS_AES_128_GCM_SHA256, /);
    await assert.rejects(start({ minVersion: 'SSL3' }), /tls-min-version: "SSL3" is not known; there are VersionTLS10, /);
  });
});
