import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import { after, afterEach, before, beforeEach, describe, mock, test } from 'node:test';
import { startTestServer, TurnedClock, type TestJson, type TestServer } from '#testing';
import { makeAuthority } from './made-certificates.ts';
import { CLIENTS, IdentityProvider } from './identity-provider.ts';
import { expect } from './world.ts';

const NOBODY = undefined;
const SECOND_MS = 1000;
const DISCOVERY = '/.well-known/openid-configuration';
const claimsOf = (token: string): Record<string, unknown> => JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
/** What is logged where a token comes whose keys cannot be had. */
const NO_KEYS = ['the keys of the identity provider cannot be fetched', 'credentials are refused'];
const messageOf = (line: string): unknown => (JSON.parse(line) as readonly unknown[])[0];
const encodePart = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('ID tokens of a provider', () => {
  const clock = new TurnedClock();
  const servers: TestServer[] = [];
  const logged: string[] = [];
  const log = (message: string, fields?: object): void => void logged.push(JSON.stringify([message, fields]));
  let provider: IdentityProvider;

  before(async () => {
    provider = await IdentityProvider.start();
  });
  after(() => provider.close());
  beforeEach(() => provider.asked.splice(0));
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
    provider.instead = undefined;
    provider.beside = undefined;
    for (const line of logged.splice(0)) assert.ok(!line.includes('eyJ'), line);
  });

  async function start(options: object = {}): Promise<TestServer> {
    const oidc = { issuerUrl: provider.issuer, clientId: CLIENTS.ours, authority: provider.authority, ...options };
    const server = await startTestServer({ clock, controllers: 'none', log: { info: log, warn: log, error: log }, authentication: { oidc } });
    servers.push(server);
    return server;
  }

  /** Name and groups; undefined: nobody. */
  async function whoIs(server: TestServer, token: string): Promise<readonly [string, ...string[]] | undefined> {
    const { status, body } = await server.request('GET', '/api/v1/nodes', undefined, { authorization: `Bearer ${token}` });
    if (status === 401) {
      assert.deepEqual([body.message, body.reason], ['Unauthorized', 'Unauthorized']);
      return NOBODY;
    }
    const review: TestJson = expect(201, await server.request('POST', '/apis/authentication.orch.io/v1/tokenreviews', { spec: { token } }));
    const { username, groups } = review.status.user as { readonly username: string; readonly groups: readonly string[] };
    assert.ok((body.message as string).includes(`User "${username}"`));
    return [username, ...groups.filter((group) => group !== 'system:authenticated')];
  }

  test('R5.4-11 the subject is the user, behind the issuer', async () => {
    assert.deepEqual(await whoIs(await start(), await provider.idToken()), [`${provider.issuer}#jane`]);
  });

  test('R5.4-01 nothing is asked of the provider before its first token comes', async () => {
    const server = await start();
    assert.equal(await whoIs(server, 'nobody'), NOBODY);
    assert.equal(await whoIs(server, await provider.sign({ iss: 'https://other.example' })), NOBODY);
    assert.deepEqual(provider.asked, []);
    await whoIs(server, await provider.idToken());
    await whoIs(server, await provider.idToken());
    assert.deepEqual(provider.asked, [DISCOVERY, '/jwks']);
  });

  test('tokens of Google name their issuer with or without its scheme, and those of no other provider do', async () => {
    const google = 'https://accounts.google.com';
    const { request } = https;
    /** Google, at the address of the provider. */
    const asked = mock.method(https, 'request', (to: https.RequestOptions, done: (answer: IncomingMessage) => void) =>
      request(`https://${to.host ?? ''}` === google ? { ...to, host: '127.0.0.1', port: new URL(provider.issuer).port } : to, done),
    );
    syncBuiltinESMExports();
    try {
      provider.beside = (heard, response) => heard.url === DISCOVERY && Boolean(response.end(JSON.stringify({ issuer: google, jwks_uri: `${provider.issuer}/jwks` })));
      const claims = claimsOf(await provider.idToken());
      const server = await start({ issuerUrl: google });
      for (const iss of [google, 'accounts.google.com']) assert.deepEqual(await whoIs(server, await provider.sign({ ...claims, iss })), [`${google}#jane`]);
      for (const iss of [`${google}/`, 'http://accounts.google.com', 'google.com']) assert.equal(await whoIs(server, await provider.sign({ ...claims, iss })), NOBODY);
      provider.beside = undefined;
      assert.equal(await whoIs(await start(), await provider.sign({ ...claims, iss: new URL(provider.issuer).host })), NOBODY);
    } finally {
      asked.mock.restore();
      syncBuiltinESMExports();
    }
  });

  test('R5.4-14 claims and prefixes are chosen', async () => {
    const token = await provider.idToken({ email: 'j@example.com', name: 'Jane', groups: ['dev', 'ops'], role: 'boss' });
    const who = async (options: object): Promise<unknown> => whoIs(await start(options), token);
    assert.deepEqual(await who({ usernameClaim: 'email' }), ['j@example.com']);
    assert.deepEqual(await who({ usernameClaim: 'name' }), [`${provider.issuer}#Jane`]);
    assert.deepEqual(await who({ usernameClaim: 'name', usernamePrefix: '-' }), ['Jane']);
    assert.deepEqual(await who({ usernamePrefix: 'oidc:', groupsClaim: 'groups' }), ['oidc:jane', 'dev', 'ops']);
    assert.deepEqual(await who({ usernamePrefix: '-', groupsClaim: 'role', groupsPrefix: 'g:' }), ['jane', 'g:boss']);
    assert.deepEqual(await who({ usernamePrefix: '-', groupsClaim: 'absent' }), ['jane']);
    assert.deepEqual(await who({ usernameClaim: 'absent' }), NOBODY);
    assert.deepEqual(await who({ usernameClaim: 'groups' }), NOBODY);
    assert.deepEqual(await who({ usernameClaim: '__proto__' }), NOBODY);
  });

  test('a server that is closed does not wait for a provider that says nothing, nor for a place where groups are', { timeout: 20_000 }, async () => {
    const token = await provider.idToken();
    const { iss, aud, exp, sub } = claimsOf(token);
    const far = { _claim_names: { groups: 'far' }, _claim_sources: { far: { endpoint: `${provider.issuer}/groups` } } };
    for (const [silent, sent] of [[DISCOVERY, token], ['/groups', await provider.sign({ iss, aud, exp, sub, ...far })]] as const) {
      const server = await start({ groupsClaim: 'groups' });
      const disconnected = new Promise<void>((resolve) => {
        provider.beside = ({ url, socket }) => {
          if (url !== silent) return false;
          socket.once('close', resolve);
          void server.close();
          return true;
        };
      });
      const answered = server.request('GET', '/api/v1/nodes', undefined, { authorization: `Bearer ${sent}` });
      await disconnected;
      await answered.catch(() => {});
      assert.deepEqual(logged.filter((line) => line.includes('cannot be')), []);
    }
  });

  test('groups that are no texts make a token bad', async () => {
    const server = await start({ groupsClaim: 'groups', usernamePrefix: '-' });
    for (const groups of [7, [7], { a: 'b' }, ['a', ['b']]]) assert.equal(await whoIs(server, await provider.idToken({ groups })), NOBODY);
    for (const groups of [[], null]) assert.deepEqual(await whoIs(server, await provider.idToken({ groups })), ['jane']);
  });

  test('groups that are somewhere else are fetched from there, and believed for who signed them', async () => {
    const server = await start({ groupsClaim: 'groups', usernamePrefix: '-' });
    const places: Record<string, string> = {};
    const shown: (readonly [path: string | undefined, authorization: string | undefined])[] = [];
    provider.beside = (request, response) => {
      const text = places[request.url ?? ''];
      if (text === undefined) return false;
      shown.push([request.url, request.headers.authorization]);
      response.end(text);
      return true;
    };
    const claims = claimsOf(await provider.idToken());
    const { sub: _, ...meant } = claims;
    const at = (path: string, more: object = {}): object => ({ _claim_names: { groups: 'src' }, _claim_sources: { src: { endpoint: `${provider.issuer}${path}`, ...more } } });
    places['/groups?of=jane'] = await provider.sign({ ...meant, groups: ['dev', 'ops'] });
    const token = await provider.sign({ ...claims, ...at('/groups?of=jane', { access_token: 'opener' }) });
    assert.deepEqual(await whoIs(server, token), ['jane', 'dev', 'ops']);
    assert.deepEqual(shown, [['/groups?of=jane', 'Bearer opener']], 'asked once, with the token meant for it');
    clock.turn(11 * SECOND_MS);
    places['/groups?of=jane'] = await provider.sign({ ...meant, groups: 'one' });
    assert.deepEqual(await whoIs(server, token), ['jane', 'one']);

    shown.splice(0);
    places['/own'] = await provider.sign({ ...meant, groups: ['other'] });
    assert.deepEqual(await whoIs(server, await provider.sign({ ...claims, groups: ['own'], ...at('/own') })), ['jane', 'own']);
    assert.deepEqual(await whoIs(server, await provider.sign({ ...claims, _claim_names: { roles: 'src' }, _claim_sources: {} })), ['jane']);
    assert.deepEqual(await whoIs(server, await provider.sign({ ...claims, _claim_names: { groups: 'src' }, _claim_sources: { src: { JWT: 'x' } } })), ['jane']);
    assert.deepEqual(await whoIs(server, await provider.sign({ ...claims, _claim_names: { groups: '__proto__' }, _claim_sources: { ['__proto__']: 7 } })), NOBODY);
    assert.deepEqual(shown, [], 'what is there, or not said to be elsewhere, is not asked for');
    logged.splice(0);

    const now = Math.floor(clock.nowMs() / SECOND_MS);
    const good = await provider.sign({ ...meant, groups: ['g'] });
    const useless: Readonly<Record<string, string>> = {
      '/no-token': 'groups',
      '/no-claim': await provider.sign(meant),
      '/for-others': await provider.sign({ ...meant, aud: 'x', groups: ['g'] }),
      '/ended': await provider.sign({ ...meant, exp: now - 1, groups: ['g'] }),
      '/unsigned': `${encodePart({ alg: 'none' })}.${good.split('.')[1] ?? ''}.`,
      '/stranger': await provider.sign({ ...meant, iss: 'https://127.0.0.1:1', groups: ['g'] }),
      '/no-texts': await provider.sign({ ...meant, groups: [7] }),
      '/too-much': 'x'.repeat(2_000_000),
    };
    Object.assign(places, useless);
    for (const path of [...Object.keys(useless), '/absent']) assert.equal(await whoIs(server, await provider.sign({ ...claims, ...at(path) })), NOBODY, path);
    const plain = { _claim_names: { groups: 'src' }, _claim_sources: { src: { endpoint: 'http://127.0.0.1/groups' } } };
    const sources = { src: { endpoint: `${provider.issuer}/groups` } };
    const unnamed = ['src', ['src'], { groups: 7 }, { groups: '' }].map((names) => ({ _claim_names: names, _claim_sources: sources }));
    for (const wrong of [plain, ...unnamed, { _claim_names: { groups: 'src' } }, { _claim_names: { groups: 'src' }, _claim_sources: { other: {} } }]) {
      assert.equal(await whoIs(server, await provider.sign({ ...claims, ...wrong })), NOBODY, JSON.stringify(wrong));
    }
    assert.ok(logged.every((line) => !line.includes('opener')));
    shown.splice(0);
    const stranger = await provider.sign({ ...claims, aud: 'x', ...at('/no-claim') });
    assert.equal(await whoIs(server, stranger), NOBODY);
    assert.deepEqual(shown, [], 'a token for others makes this server ask nobody');
  });

  test('an address that is not verified is nobody', async () => {
    const server = await start({ usernameClaim: 'email' });
    const email = 'j@example.com';
    assert.deepEqual(await whoIs(server, await provider.idToken({ email, email_verified: true })), [email]);
    for (const verified of [false, 'true', 1]) assert.equal(await whoIs(server, await provider.idToken({ email, email_verified: verified })), NOBODY);
  });

  test('claims that are required must be there as they are required', async () => {
    const server = await start({ requiredClaims: { hd: 'example.com', tenant: 'a' }, usernamePrefix: '-' });
    assert.deepEqual(await whoIs(server, await provider.idToken({ hd: 'example.com', tenant: 'a' })), ['jane']);
    for (const claims of [{}, { hd: 'example.com' }, { hd: 'example.com', tenant: 'b' }, { hd: ['example.com'], tenant: 'a' }]) {
      assert.equal(await whoIs(server, await provider.idToken(claims)), NOBODY);
    }
  });

  test('only algorithms that are named are accepted', async () => {
    const elliptic = await provider.idToken({}, CLIENTS.elliptic);
    const rsa = await provider.idToken();
    const usual = await start({ clientId: CLIENTS.elliptic });
    const other = await start({ clientId: CLIENTS.elliptic, signingAlgorithms: ['ES256'], usernamePrefix: '-' });
    const ours = await start({ signingAlgorithms: ['ES256'] });
    assert.equal(await whoIs(usual, elliptic), NOBODY);
    assert.deepEqual(await whoIs(other, elliptic), ['jane']);
    assert.equal(await whoIs(ours, rsa), NOBODY);
  });

  test('tokens for others, of other times and from others are nobody', async () => {
    const server = await start({ usernamePrefix: '-' });
    const claims = claimsOf(await provider.idToken());
    const now = Math.floor(clock.nowMs() / SECOND_MS);
    assert.deepEqual(await whoIs(server, await provider.sign(claims)), ['jane']);
    assert.deepEqual(await whoIs(server, await provider.sign({ ...claims, aud: ['x', CLIENTS.ours] })), ['jane']);
    assert.deepEqual(await whoIs(server, await provider.sign({ ...claims, nbf: now + 60 })), ['jane']);
    assert.equal(await whoIs(server, await provider.idToken({}, CLIENTS.theirs)), NOBODY);
    const wrong: readonly object[] = [
      { aud: 'x' },
      { aud: [] },
      { aud: undefined },
      { iss: `${provider.issuer}/` },
      { iss: undefined },
      { exp: now - 1 },
      { exp: undefined },
      { exp: '9999999999' },
      { nbf: now + 61 },
      { iat: 'x' },
      { sub: undefined },
      { sub: '' },
      { sub: 7 },
    ];
    for (const change of wrong) assert.equal(await whoIs(server, await provider.sign({ ...claims, ...change })), NOBODY, JSON.stringify(change));
  });

  test('why a token is not accepted is told to who reviews it and to the log, not to who uses it', async () => {
    const server = await start({ usernameClaim: 'email', groupsClaim: 'groups', requiredClaims: { hd: 'example.com' } });
    const good = { ...claimsOf(await provider.idToken()), email: 'j@example.com', groups: ['dev'], hd: 'example.com' };
    const now = Math.floor(clock.nowMs() / SECOND_MS);
    const of = (change: object, header?: object): Promise<string> => provider.sign({ ...good, ...change }, header);
    const far = { groups: undefined, _claim_names: { groups: 'far' }, _claim_sources: { far: { endpoint: `${provider.issuer}/absent` } } };
    assert.deepEqual(await whoIs(server, await of({})), ['j@example.com', 'dev']);
    for (const [token, why] of [
      [await of({}, { alg: 'RS512' }), 'verify token: oidc: id token signed with unsupported algorithm, expected ["RS256"] got "RS512"'],
      [`${encodePart({ alg: { toString: 1 } })}.${encodePart(good)}.x`, 'verify token: oidc: id token signed with unsupported algorithm, expected ["RS256"] got ""'],
      [await of({}, { kid: 'unknown' }), 'verify token: failed to verify signature: failed to verify id token signature'],
      [await of({ aud: ['x', 'y'] }), `verify token: oidc: expected audience "${CLIENTS.ours}" got ["x" "y"]`],
      [await of({ exp: now - 1 }), 'verify token: oidc: token is expired'],
      [await of({ nbf: now + 61 }), 'verify token: oidc: current time before the nbf (not before) time'],
      [await of({ exp: '1' }), 'verify token: oidc: failed to unmarshal claims: exp, nbf and iat must be numbers'],
      [await of(far), 'could not expand distributed claims'],
      [await of({ email: undefined }), 'parse username claims "email": claim not present'],
      [await of({ email: 7 }), 'parse username claims "email": no text'],
      [await of({ email_verified: false }), 'email not verified'],
      [await of({ groups: [7] }), 'parse groups claim "groups": no list of texts'],
      [await of({ hd: undefined }), 'required claim hd not present in ID token'],
      [await of({ hd: 'example.org' }), 'required claim hd value does not match, want = example.com'],
    ] as const) {
      assert.equal(await whoIs(server, token), NOBODY);
      assert.deepEqual(JSON.parse(logged.at(-1) ?? ''), ['credentials are refused', { why: `oidc: ${why}` }]);
      const { status } = expect(201, await server.request('POST', '/apis/authentication.orch.io/v1/tokenreviews', { spec: { token } }));
      assert.equal(status.error, `[invalid bearer token, oidc: ${why}]`);
    }
  });

  test('a token that was good ends with its time', async () => {
    const server = await start({ usernamePrefix: '-' });
    const token = await provider.sign({ ...claimsOf(await provider.idToken()), exp: Math.floor(clock.nowMs() / SECOND_MS) + 5 });
    assert.deepEqual(await whoIs(server, token), ['jane']);
    clock.turn(6 * SECOND_MS);
    assert.equal(await whoIs(server, token), NOBODY);
  });

  test('what a token says about its own signature is not believed', async () => {
    const server = await start({ usernamePrefix: '-' });
    const good = await provider.idToken();
    const [header = '', payload = '', signature = ''] = good.split('.');
    assert.deepEqual(await whoIs(server, good), ['jane']);
    const jwks = JSON.stringify((await fetchKeys()).keys[0]);
    const forged = `${encodePart({ alg: 'HS256', kid: 'first-rsa' })}.${payload}`;
    const bad = [
      `${encodePart({ alg: 'none' })}.${payload}.`,
      `${encodePart({ alg: 'none', kid: 'first-rsa' })}.${payload}.${signature}`,
      `${forged}.${createHmac('sha256', jwks).update(forged).digest('base64url')}`,
      `${header}.${encodePart({ ...claimsOf(good), sub: 'root' })}.${signature}`,
      await provider.sign(claimsOf(good), { kid: 'unknown' }),
      await provider.sign(claimsOf(good), { kid: '__proto__' }),
      await provider.sign(claimsOf(good), { kid: 'first-ec' }),
      await provider.sign(claimsOf(good), { alg: 'RS512' }),
    ];
    for (const token of bad) assert.equal(await whoIs(server, token), NOBODY, token);
  });

  const fetchKeys = async (): Promise<{ readonly keys: readonly object[] }> => {
    const { get } = await import('node:https');
    return new Promise((resolve, reject) => {
      get(`${provider.issuer}/jwks`, { ca: provider.authority, agent: false }, (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
        answer.on('end', () => resolve(JSON.parse(text) as { readonly keys: readonly object[] }));
      }).on('error', reject);
    });
  };

  test('keys that are exchanged are noticed with the first token of a new one, and the old ones forgotten', async () => {
    const server = await start({ usernamePrefix: '-' });
    const old = await provider.idToken();
    assert.deepEqual(await whoIs(server, old), ['jane']);
    provider.rotate('second');
    const fresh = await provider.idToken();
    // A moment ago the provider was asked, and is left in peace.
    assert.equal(await whoIs(server, fresh), NOBODY);
    clock.turn(11 * SECOND_MS);
    assert.deepEqual(await whoIs(server, fresh), ['jane']);
    assert.equal(await whoIs(server, old), NOBODY);
    provider.asked.splice(0);
    for (let count = 0; count < 5; count++) assert.equal(await whoIs(server, await provider.sign(claimsOf(fresh), { kid: `unknown-${count}` })), NOBODY);
    assert.deepEqual(provider.asked, []);
  });

  test('keys that are exchanged under the same name, or that have none, are noticed as well', async () => {
    for (const header of [{}, { kid: undefined }]) {
      provider.rotate('same');
      const server = await start({ usernamePrefix: '-' });
      const claims = claimsOf(await provider.idToken());
      const old = await provider.sign(claims, header);
      assert.deepEqual(await whoIs(server, old), ['jane']);
      provider.rotate('same');
      const fresh = await provider.sign(claims, header);
      assert.equal(await whoIs(server, fresh), NOBODY);
      clock.turn(11 * SECOND_MS);
      assert.deepEqual(await whoIs(server, fresh), ['jane']);
      assert.equal(await whoIs(server, old), NOBODY);
      provider.asked.splice(0);
      const forged = fresh.slice(0, fresh.lastIndexOf('.')) + old.slice(old.lastIndexOf('.'));
      for (let count = 0; count < 5; count++) assert.equal(await whoIs(server, forged), NOBODY);
      assert.deepEqual(provider.asked, []);
    }
  });

  test('a provider that is away is asked again later', async () => {
    const server = await start({ usernamePrefix: '-' });
    const token = await provider.idToken();
    provider.instead = (_request, response) => response.writeHead(503).end();
    assert.equal(await whoIs(server, token), NOBODY);
    assert.deepEqual(logged.map(messageOf), NO_KEYS);
    provider.instead = undefined;
    assert.equal(await whoIs(server, token), NOBODY);
    clock.turn(10 * SECOND_MS);
    assert.deepEqual(await whoIs(server, token), ['jane']);
  });

  test('documents that are none are not believed', async () => {
    const token = await provider.idToken();
    const [issuer, plain] = [provider.issuer, provider.issuer.replace('https:', 'http:')];
    const documents = ['', '[]', '{}', 'x'.repeat(2_000_000), { issuer: 'https://other.example', jwks_uri: `${issuer}/jwks` }, { issuer }, { issuer, jwks_uri: `${plain}/jwks` }, { issuer, jwks_uri: 'nowhere' }];
    for (const document of documents) {
      const server = await start();
      provider.beside = ({ url }, response) => url === DISCOVERY && Boolean(response.end(typeof document === 'string' ? document : JSON.stringify(document)));
      assert.equal(await whoIs(server, token), NOBODY, JSON.stringify(document));
      assert.deepEqual(logged.map(messageOf), NO_KEYS, logged.join());
      logged.splice(0);
    }
    const keys = JSON.stringify(await fetchKeys());
    provider.beside = ({ url }, response) => url === '/jwks' && Boolean(response.writeHead(404).end(keys));
    assert.equal(await whoIs(await start(), token), NOBODY);
    provider.beside = undefined;
    const server = await start();
    provider.instead = (_request, response) => response.writeHead(302, { location: `${issuer}/elsewhere` }).end();
    assert.equal(await whoIs(server, token), NOBODY);
    assert.ok(!provider.asked.includes('/elsewhere'));
  });

  test('keys that are not for signatures vouch for nothing, and do not disturb those that are', async () => {
    const token = await provider.idToken();
    const { keys: [own] } = await fetchKeys();
    const others = [null, 'key', {}, { kty: 'oct', k: 'AAAA' }, { ...own, n: 'AAAA' }];
    const published: readonly (readonly [keys: unknown, user: unknown])[] = [
      [[{ ...own, use: 'enc' }], NOBODY],
      [[{ ...own, use: undefined }], ['jane']],
      [[...others, own], ['jane']],
      [others, NOBODY],
      [{ 0: own, length: 1 }, NOBODY],
    ];
    for (const [keys, user] of published) {
      const server = await start({ usernamePrefix: '-' });
      provider.beside = ({ url }, response) => url === '/jwks' && Boolean(response.end(JSON.stringify({ keys })));
      assert.deepEqual(await whoIs(server, token), user, JSON.stringify(keys));
    }
  });

  test('a provider that another authority vouches for is not believed', async () => {
    const { cert } = await makeAuthority('others');
    assert.equal(await whoIs(await start({ authority: cert }), await provider.idToken()), NOBODY);
    assert.deepEqual(provider.asked, []);
  });

  test('options that make no sense fail the start with the name of the flag', async () => {
    await assert.rejects(start({ issuerUrl: 'http://plain.example' }), /oidc-issuer-url: /);
    await assert.rejects(start({ issuerUrl: 'nowhere' }), /oidc-issuer-url: /);
    await assert.rejects(start({ clientId: '' }), /oidc-client-id: /);
    await assert.rejects(start({ signingAlgorithms: ['HS256'] }), /oidc-signing-algs: "HS256" is none of RS256/);
    await assert.rejects(start({ signingAlgorithms: ['none'] }), /oidc-signing-algs: /);
  });

  // The last one: the provider's own clock stays behind.
  test('whose keys are known waits no second time for a provider that is away', async () => {
    const server = await start({ usernamePrefix: '-' });
    const token = await provider.sign({ ...claimsOf(await provider.idToken()), exp: Math.floor(clock.nowMs() / SECOND_MS) + 9_999 });
    assert.deepEqual(await whoIs(server, token), ['jane']);
    clock.turn(3_600 * SECOND_MS);
    provider.instead = (_request, response) => response.writeHead(503).end();
    assert.deepEqual(await whoIs(server, token), ['jane'], 'the keys are as good as they were');
    clock.turn(11 * SECOND_MS);
    const asked = new Promise<ServerResponse>((resolve) => (provider.instead = (_request, response) => resolve(response)));
    assert.deepEqual(await whoIs(server, token), ['jane']);
    const held = await asked;
    assert.equal(held.destroyed, false, 'the provider has not been given up yet');
    const unknown = whoIs(server, await provider.sign(claimsOf(token), { kid: 'unknown' }));
    held.writeHead(503).end();
    assert.equal(await unknown, NOBODY);
    provider.instead = undefined;
  });
});
