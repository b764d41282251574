import assert from 'node:assert/strict';
import { request } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls';
import { startServer, type RunningServer, type TlsMaterial, type TlsOptions } from '#server';
import { TurnedClock } from '#testing';
import { FOR_CLIENT, forServer, WITHOUT_OPENSSL, Workshop, type Issuer, type Pair } from './openssl.ts';

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

describe('TLS', { skip: WITHOUT_OPENSSL }, () => {
  let made: Workshop;
  let [first, second]: Issuer[] = [];
  let [one, two, three]: Pair[] = [];
  const servers: RunningServer[] = [];

  before(() => {
    made = new Workshop();
    [first, second] = [made.authority('clients'), made.authority('clients')];
    [one, two, three] = ['one.test', 'two.test', '*.three.test'].map((name) => {
      const { cert, key } = made.issue(first as never, `/CN=${name}`, forServer(name));
      return { cert, key };
    });
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
