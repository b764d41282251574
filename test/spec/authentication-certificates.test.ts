import assert from 'node:assert/strict';
import { request } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { connect as connectHttp2 } from 'node:http2';
import { startServer, type RunningServer } from '#server';
import { startTestServer, TurnedClock } from '#testing';
import { makeAuthority, type MadePair } from './made-certificates.ts';

const DAY_MS = 24 * 3600 * 1000;
const TOKENS = 'alicetoken,alice,,"dev"\n';
type Headers = Readonly<Record<string, string | readonly string[]>>;

/** The code, and the user that a refusal names. */
interface Seen {
  readonly status: number;
  readonly user: string | undefined;
}

const seen = (status: number, text: string): Seen => ({ status, user: /User \\"([^"\\]*)\\"/.exec(text)?.[1] });

function ask(server: RunningServer, pair: MadePair | undefined, headers: Headers = {}): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, path: '/api/v1/nodes', agent: false, rejectUnauthorized: false, ...pair };
    const asking = request({ ...options, headers: headers as Record<string, string | string[]> }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => resolve(seen(answer.statusCode ?? 0, text)));
    });
    asking.on('error', reject);
    asking.end();
  });
}

function askHttp2(server: RunningServer, pair: MadePair, headers: Headers): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(server.url ?? '', { rejectUnauthorized: false, ...pair });
    session.on('error', reject);
    const stream = session.request({ ':path': '/api/v1/nodes', ...(headers as Record<string, string | string[]>) });
    let [status, text] = [0, ''];
    stream.on('response', (head) => (status = head[':status'] ?? 0));
    stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
    stream.on('end', () => {
      session.close();
      resolve(seen(status, text));
    });
    stream.end();
  });
}

const NOBODY: Seen = { status: 401, user: undefined };
const ALLOWED: Seen = { status: 200, user: undefined };
const user = (name: string): Seen => ({ status: 403, user: name });
const ANONYMOUS = user('system:anonymous');

const requestHeader = (clientCa: string, allowedNames: readonly string[] = []): object => ({
  clientCa,
  allowedNames,
  usernameHeaders: ['X-Remote-User', 'X-Other-User'],
  groupHeaders: ['X-Remote-Group'],
  extraHeadersPrefixes: ['X-Remote-Extra-'],
});

describe('certificates of clients and proxies', () => {
  const clock = new TurnedClock();
  let both: RunningServer;
  let clientsOnly: RunningServer;
  let proxiesOnly: RunningServer;
  let named: RunningServer;
  let pairs: Readonly<Record<'client' | 'master' | 'proxy' | 'stranger' | 'otherUse' | 'anyUse' | 'expired' | 'early' | 'proxyOtherUse' | 'nameless' | 'nobody', MadePair>>;

  before(async () => {
    // Of one name, so that only signatures tell them apart.
    const [clients, proxies, strangers] = await Promise.all([makeAuthority('ca'), makeAuthority('ca'), makeAuthority('ca')]);
    const serving = await clients.issue({ commonName: 'server', usage: 'server' });
    pairs = {
      client: await clients.issue({ commonName: 'jane', organizations: ['dev'] }),
      master: await clients.issue({ commonName: 'boss', organizations: ['system:masters'] }),
      proxy: await proxies.issue({ commonName: 'front', organizations: ['system:masters'] }),
      stranger: await strangers.issue({ commonName: 'boss', organizations: ['system:masters'] }),
      otherUse: await clients.issue({ commonName: 'boss', organizations: ['system:masters'], usage: 'server' }),
      anyUse: await clients.issue({ commonName: 'any', usage: 'none' }),
      expired: await clients.issue({ commonName: 'boss', organizations: ['system:masters'], lifeMs: -1000 }),
      early: await clients.issue({ commonName: 'boss', organizations: ['system:masters'], startsMs: DAY_MS / 2 }),
      nameless: await clients.issue({ commonName: '', organizations: ['system:masters'] }),
      nobody: await clients.issue({ commonName: 'system:anonymous', organizations: ['dev'] }),
      proxyOtherUse: await proxies.issue({ commonName: 'front', usage: 'server' }),
    };
    const start = (clientCa: string | undefined, authentication: object): Promise<RunningServer> =>
      startServer({
        clock,
        controllers: 'none',
        tokens: TOKENS,
        listen: { tls: { ...serving, ...(clientCa === undefined ? {} : { clientCa }) } },
        shutdownGraceMs: 1000,
        authentication: authentication as never,
      });
    [both, clientsOnly, proxiesOnly, named] = await Promise.all([
      start(clients.cert, { requestHeader: requestHeader(proxies.cert) }),
      start(clients.cert, {}),
      start(undefined, { requestHeader: requestHeader(proxies.cert) }),
      start(clients.cert, { requestHeader: requestHeader(proxies.cert, ['front', 'back']) }),
    ]);
  });

  after(() => Promise.all([both, clientsOnly, proxiesOnly, named].map((server) => server.close())));

  const MASTER = { 'x-remote-user': 'eve', 'x-remote-group': 'system:masters' };

  test('R5.9-24 a certificate that the authority of clients vouches for is its user', async () => {
    for (const server of [both, clientsOnly]) {
      assert.deepEqual(await ask(server, pairs.client), user('jane'));
      assert.deepEqual(await ask(server, pairs.master), ALLOWED);
      assert.deepEqual(await ask(server, pairs.anyUse), user('any'));
      assert.deepEqual(await ask(server, undefined), ANONYMOUS);
      // Who is called like nobody is no member of those who are known.
      assert.deepEqual(await ask(server, pairs.nobody), ANONYMOUS);
    }
  });

  test('a certificate without a name names nobody; where proxies are known by theirs it is a bad one of those', async () => {
    assert.deepEqual(await ask(clientsOnly, pairs.nameless), ANONYMOUS);
    assert.deepEqual(await ask(both, pairs.nameless), NOBODY);
  });

  test('certificates of strangers, ended ones, those that have not begun and those for servers are nobody, and not anonymous either', async () => {
    for (const server of [both, clientsOnly]) {
      for (const bad of ['stranger', 'otherUse', 'expired', 'early'] as const) assert.deepEqual(await ask(server, pairs[bad]), NOBODY, bad);
    }
    for (const bad of ['stranger', 'client', 'proxyOtherUse'] as const) assert.deepEqual(await ask(proxiesOnly, pairs[bad], MASTER), NOBODY, bad);
  });

  test('a bad certificate does not spoil a good token, nor a bad token a good certificate', async () => {
    const token = (text: string): Headers => ({ authorization: `Bearer ${text}` });
    assert.deepEqual(await ask(both, pairs.stranger, token('alicetoken')), user('alice'));
    assert.deepEqual(await ask(both, pairs.client, token('nobody')), user('jane'));
    assert.deepEqual(await ask(both, pairs.stranger, token('nobody')), NOBODY);
  });

  test('R5.6-02 R5.6-03 R5.6-09 headers count on the connection of a proxy', async () => {
    for (const server of [both, proxiesOnly, named]) {
      assert.deepEqual(await ask(server, pairs.proxy, { 'X-REMOTE-User': 'eve' }), user('eve'));
      assert.deepEqual(await ask(server, pairs.proxy, MASTER), ALLOWED);
      assert.deepEqual(await ask(server, pairs.proxy, { 'x-remote-user': '', 'x-other-user': 'other' }), user('other'));
      assert.deepEqual(await askHttp2(server, pairs.proxy, { 'x-remote-user': 'eve' }), user('eve'));
    }
  });

  test('the proxy itself is nobody: what its certificate says gives it nothing', async () => {
    for (const server of [both, named]) assert.deepEqual(await ask(server, pairs.proxy, { 'x-remote-group': 'system:masters' }), NOBODY);
    assert.deepEqual(await ask(proxiesOnly, pairs.proxy), ANONYMOUS);
    assert.deepEqual(await ask(both, pairs.proxy, { authorization: 'Bearer alicetoken' }), user('alice'));
  });

  test('R5.6-09 on every other connection headers change nothing', async () => {
    const smuggled: readonly Headers[] = [
      MASTER,
      { 'X-Remote-User': 'eve', 'X-REMOTE-GROUP': 'system:masters' },
      { 'x-remote-user': ['eve', 'boss'], 'x-remote-group': ['a', 'system:masters'] },
      { x_remote_user: 'eve', x_remote_group: 'system:masters' },
      { ...MASTER, connection: 'x-remote-user, x-remote-group' },
      { ...MASTER, 'x-remote-extra-scopes': 'all' },
    ];
    for (const headers of smuggled) {
      assert.deepEqual(await ask(both, undefined, headers), ANONYMOUS);
      assert.deepEqual(await ask(both, pairs.client, headers), user('jane'));
      assert.deepEqual(await ask(both, pairs.stranger, headers), NOBODY);
      assert.deepEqual(await ask(both, pairs.proxyOtherUse, headers), NOBODY);
      assert.deepEqual(await ask(clientsOnly, pairs.client, headers), user('jane'));
      assert.deepEqual(await ask(clientsOnly, pairs.proxy, headers), NOBODY);
      assert.deepEqual(await askHttp2(both, pairs.client, Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'connection'))), user('jane'));
    }
  });

  test('names with underscores are other headers', async () => {
    assert.deepEqual(await ask(both, pairs.proxy, { x_remote_user: 'eve', 'x-remote-user': 'tom' }), user('tom'));
    assert.deepEqual(await ask(proxiesOnly, pairs.proxy, { x_remote_user: 'eve' }), ANONYMOUS);
  });

  test('R5.6-10 R5.6-11 only proxies of the allowed names are believed', async () => {
    const authority = await makeAuthority('proxies');
    const [front, side] = await Promise.all([authority.issue({ commonName: 'front' }), authority.issue({ commonName: 'side' })]);
    const serving = await authority.issue({ commonName: 'server', usage: 'server' });
    const authentication = { requestHeader: requestHeader(authority.cert, ['front']) } as never;
    const server = await startServer({ controllers: 'none', listen: { tls: serving }, authentication });
    assert.deepEqual(await ask(server, front, MASTER), ALLOWED);
    assert.deepEqual(await ask(server, side, MASTER), NOBODY);
    await server.close();
  });

  test('a certificate that ends while its connection lasts is nobody from then on', async () => {
    assert.deepEqual(await ask(both, pairs.client), user('jane'));
    clock.turn(2 * DAY_MS);
    assert.deepEqual(await ask(both, pairs.client), NOBODY);
    assert.deepEqual(await ask(both, pairs.proxy, MASTER), NOBODY);
  });
});

test('a certificate that is itself configured is its user in its time only', async () => {
  const [unknown, servers] = await Promise.all([makeAuthority('unknown'), makeAuthority('servers')]);
  const boss = { commonName: 'boss', organizations: ['system:masters'] };
  const [now, early] = await Promise.all([unknown.issue(boss), unknown.issue({ ...boss, startsMs: DAY_MS / 2 })]);
  const serving = await servers.issue({ commonName: 'server', usage: 'server' });
  const server = await startServer({ controllers: 'none', listen: { tls: { ...serving, clientCa: `${now.cert}\n${early.cert}` } } });
  assert.deepEqual(await ask(server, now), ALLOWED);
  assert.deepEqual(await ask(server, early), NOBODY);
  await server.close();
});

test('the log says why certificates are refused, and from where they came, where nothing else says who asks', async () => {
  const [clients, strangers] = await Promise.all([makeAuthority('clients'), makeAuthority('strangers')]);
  const [serving, jane] = await Promise.all([clients.issue({ commonName: 'server', usage: 'server' }), clients.issue({ commonName: 'jane' })]);
  const [ended, stranger] = await Promise.all([clients.issue({ commonName: 'jane', lifeMs: -1000 }), strangers.issue({ commonName: 'jane' })]);
  const [logged, clock] = [[] as unknown[], new TurnedClock()];
  const log = { info: () => {}, warn: (message: string, fields?: object) => void (message === 'credentials are refused' && logged.push([message, fields])), error: () => {} };
  const server = await startServer({ controllers: 'none', log, clock, tokens: TOKENS, listen: { tls: { ...serving, clientCa: clients.cert } } });
  assert.deepEqual(await ask(server, stranger, { authorization: 'Bearer alicetoken' }), user('alice'));
  for (const pair of [jane, ended, ended, stranger]) await ask(server, pair);
  clock.turn(2 * DAY_MS);
  assert.deepEqual(await ask(server, jane), NOBODY);
  const line = (why: string): unknown => ['credentials are refused', { why: `client certificate: ${why}`, remoteAddress: '127.0.0.1' }];
  assert.deepEqual(logged, [line('CERT_HAS_EXPIRED'), line('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), line('CERT_HAS_EXPIRED')]);
  await server.close();
});

test('metrics show for how long the certificates of clients are still valid, of those that are refused, too', async () => {
  const [clients, strangers] = await Promise.all([makeAuthority('clients'), makeAuthority('strangers')]);
  const [serving, jane] = await Promise.all([clients.issue({ commonName: 'server', usage: 'server' }), clients.issue({ commonName: 'jane', lifeMs: 3 * DAY_MS })]);
  const [ended, stranger] = await Promise.all([clients.issue({ commonName: 'jane', lifeMs: -1000 }), strangers.issue({ commonName: 'jane', lifeMs: 6 * DAY_MS })]);
  await using server = await startTestServer({ over: 'http2', controllers: 'none', listen: { tls: { ...serving, clientCa: clients.cert } } });
  for (const pair of [jane, jane, ended, stranger, undefined]) await ask(server.server, pair);
  const { text } = await server.request('GET', '/metrics');
  const upTo = [...text.matchAll(/^apiserver_client_certificate_expiration_seconds_bucket\{le="([^"]*)"\} (\d+)$/gm)].map(([, seconds, count]) => [Number(seconds) / 86_400, Number(count)]);
  assert.deepEqual(upTo.slice(6), [[1, 1], [2, 1], [4, 3], [7, 4], [30, 4], [90, 4], [180, 4], [360, 4], [NaN, 4]]);
  assert.deepEqual(upTo[0], [0, 1]);
});

test('R5.6-01 the header of the user is required', async () => {
  const authentication = { requestHeader: { clientCa: '', usernameHeaders: [' '] } };
  await assert.rejects(startServer({ listen: false, authentication }), /requestheader-username-headers/);
});
