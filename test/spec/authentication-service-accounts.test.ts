import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync, verify, type JsonWebKey } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { createLocalJWKSet, importPKCS8, jwtVerify, SignJWT, type JSONWebKeySet, type JWTPayload } from 'jose';
import { brandOf, DIALECTS, type Brand, type Dialect } from '#api';
import { startTestServer, TurnedClock, type TestAnswer, type TestJson, type TestServer } from '#testing';
import { expect, expectFailure } from './world.ts';

const NAMESPACE = 'default';
const ACCOUNTS = `/api/v1/namespaces/${NAMESPACE}/serviceaccounts`;
const ELSEWHERE = 'https://elsewhere.example';
const keyPem = (): { readonly privatePem: string; readonly publicPem: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
};
const SIGNING = keyPem();
const OLD = keyPem();
const STRANGER = keyPem();
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });

const bearer = (token: string): Readonly<Record<string, string>> => ({ authorization: `Bearer ${token}` });
const decodePart = (part: string | undefined): TestJson => JSON.parse(Buffer.from(part ?? '', 'base64url').toString()) as TestJson;
const encodePart = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const claimsOf = (token: string): TestJson => decodePart(token.split('.')[1]);

class Place {
  readonly brand: Brand;
  readonly clock = new TurnedClock();
  #server: TestServer | undefined;
  #count = 0;

  constructor(dialect: Dialect) {
    this.brand = brandOf(dialect);
  }

  get server(): TestServer {
    if (this.#server === undefined) throw new Error('the server has not started');
    return this.#server;
  }

  get issuer(): string {
    return `https://${this.brand.names.apiService}.default.svc`;
  }

  async start(): Promise<void> {
    const serviceAccounts = {
      signingKey: SIGNING.privatePem,
      verifyingKeys: [`${OLD.publicPem}\n${SIGNING.publicPem}`, RSA.publicKey.export({ type: 'pkcs1', format: 'pem' }).toString()],
      maxExpirationSeconds: 100_000,
    };
    const { dialect } = this.brand;
    this.#server = await startTestServer({ dialect, clock: this.clock, controllers: 'none', authentication: { serviceAccounts } });
  }

  /** An account nobody else uses. */
  async account(): Promise<{ readonly name: string; readonly uid: string }> {
    this.#count += 1;
    const name = `account-${this.#count}`;
    const made = expect(201, await this.server.request('POST', ACCOUNTS, { metadata: { name } }));
    return { name, uid: made.metadata.uid as string };
  }

  ask(name: string, spec: object = {}, more: object = {}): Promise<TestAnswer> {
    return this.server.request('POST', `${ACCOUNTS}/${name}/token`, { spec, ...more });
  }

  async token(name: string, spec: object = {}): Promise<string> {
    return expect(201, await this.ask(name, spec)).status.token as string;
  }

  /** Who a token is to the server: 403 names the user, 401 is nobody. */
  async whoIs(token: string): Promise<string> {
    const { status, body } = await this.server.request('GET', '/api/v1/nodes', undefined, bearer(token));
    if (status === 401) {
      assert.deepEqual([body.message, body.reason, body.details], ['Unauthorized', 'Unauthorized', undefined]);
      return 'nobody';
    }
    assert.equal(status, 403);
    return /User "([^"]*)"/.exec(body.message as string)?.[1] ?? '';
  }

  async review(token: string, audiences?: readonly string[]): Promise<TestJson> {
    const path = `/apis/${this.brand.group('authentication')}/v1/tokenreviews`;
    const answer = await this.server.request('POST', path, { spec: { token, ...(audiences === undefined ? {} : { audiences }) } });
    return expect(201, answer).status;
  }

  /** A token signed with a key of ours by another library. */
  async forge(claims: object, { pem = SIGNING.privatePem, alg = 'ES256', kid = 'x' } = {}): Promise<string> {
    return new SignJWT(claims as JWTPayload).setProtectedHeader({ alg, kid }).sign(await importPKCS8(pem, alg));
  }

  /** The claims of a good token for an account. */
  async goodClaims(): Promise<Record<string, unknown>> {
    const { name } = await this.account();
    return claimsOf(await this.token(name)) as Record<string, unknown>;
  }

  end(): Promise<void> | undefined {
    return this.#server?.close();
  }
}

for (const dialect of DIALECTS) {
  describe(dialect, () => {
    const place = new Place(dialect);
    before(() => place.start());
    after(() => place.end());

    test('a token says who made it, for whom, about whom and for how long, and any JOSE library can check it', async () => {
      const { name, uid } = await place.account();
      const answer = expect(201, await place.ask(name, { expirationSeconds: 600 }));
      const nowMs = Math.floor(place.clock.nowMs() / 1000) * 1000;
      assert.deepEqual([answer.kind, answer.apiVersion], ['TokenRequest', `${place.brand.group('authentication')}/v1`]);
      assert.deepEqual(answer.spec, { audiences: [place.issuer], expirationSeconds: 600, boundObjectRef: null });
      assert.equal(Date.parse(answer.status.expirationTimestamp as string), nowMs + 600_000);
      const token = answer.status.token as string;
      const user = `system:serviceaccount:${NAMESPACE}:${name}`;
      assert.deepEqual(claimsOf(token), {
        aud: [place.issuer],
        exp: nowMs / 1000 + 600,
        iat: nowMs / 1000,
        iss: place.issuer,
        [place.brand.names.domain]: { namespace: NAMESPACE, serviceaccount: { name, uid } },
        nbf: nowMs / 1000,
        sub: user,
      });
      const keys = expect(200, await place.server.request('GET', '/openid/v1/jwks')) as JSONWebKeySet;
      const { payload } = await jwtVerify(token, createLocalJWKSet(keys), { issuer: place.issuer, audience: place.issuer, currentDate: new Date(nowMs) });
      assert.equal(payload.sub, user);
      const [header, claims, signature] = token.split('.');
      const jwk = keys.keys.find(({ kid }) => kid === decodePart(header).kid);
      const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
      assert.ok(verify('sha256', Buffer.from(`${header}.${claims}`), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature ?? '', 'base64url')));
      assert.equal(await place.whoIs(token), user);
      const groups = ['system:serviceaccounts', `system:serviceaccounts:${NAMESPACE}`, 'system:authenticated'];
      assert.deepEqual(await place.review(token), { authenticated: true, user: { username: user, uid, groups }, audiences: [place.issuer] });
    });

    test('issuer and keys can be found by those who may look', async () => {
      const document = await place.server.request('GET', '/.well-known/openid-configuration');
      const { issuer, jwks_uri: address, id_token_signing_alg_values_supported: algorithms } = expect(200, document);
      assert.deepEqual([issuer, address, algorithms], [place.issuer, `${place.issuer}/openid/v1/jwks`, ['ES256', 'RS256']]);
      const jwks = await place.server.request('GET', '/openid/v1/jwks');
      assert.equal(jwks.headers['content-type'], 'application/jwk-set+json');
      assert.equal(expect(200, jwks).keys.length, 3);
      for (const key of jwks.body.keys) assert.deepEqual([key.use, key.d, key.p, key.k], ['sig', undefined, undefined, undefined]);
      for (const path of ['/openid/v1/jwks', '/.well-known/openid-configuration']) {
        expectFailure(403, 'Forbidden', await place.server.request('GET', path, undefined, { authorization: '' }));
        expectFailure(405, 'MethodNotAllowed', await place.server.request('POST', path, {}));
      }
    });

    test('requests for tokens are checked', async () => {
      const { name } = await place.account();
      const fields = (answer: TestAnswer): TestJson => expectFailure(422, 'Invalid', answer).details.causes.map((cause: TestJson) => cause.field);
      assert.deepEqual(fields(await place.ask(name, { expirationSeconds: 599 })), ['spec.expirationSeconds']);
      assert.deepEqual(fields(await place.ask(name, { expirationSeconds: 2 ** 32 + 1 })), ['spec.expirationSeconds']);
      for (const metadata of [{ name: 'other' }, { namespace: 'other' }]) {
        const { creationTimestamp, managedFields: _, ...said } = expect(201, await place.ask(name, {}, { metadata })).metadata;
        assert.deepEqual([said, creationTimestamp], [metadata, null]);
      }
      assert.deepEqual(fields(await place.ask('nowhere', { expirationSeconds: 1 })), ['spec.expirationSeconds']);
      expectFailure(404, 'NotFound', await place.ask('nowhere'));
      expectFailure(404, 'NotFound', await place.ask(name, { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'nowhere' } }));
      expectFailure(400, 'BadRequest', await place.ask(name, { boundObjectRef: { kind: 'ConfigMap', apiVersion: 'v1', name: 'a' } }));
      expectFailure(400, 'BadRequest', await place.ask(name, { boundObjectRef: { kind: '__proto__', apiVersion: 'v1', name: 'a' } }));
      const grouped = expectFailure(400, 'BadRequest', await place.ask(name, { boundObjectRef: { kind: 'Pod', apiVersion: 'apps/v1', name: 'a' } }));
      assert.equal(grouped.message, 'cannot bind token to object of type apps/v1, Kind=Pod');
      // What is no version is as good as none.
      for (const apiVersion of ['', '/v1', 'a/b/c']) expectFailure(404, 'NotFound', await place.ask(name, { boundObjectRef: { kind: 'Pod', apiVersion, name: 'nowhere' } }));
      const unknown = expectFailure(400, 'BadRequest', await place.ask(name, { boundObjectRef: { kind: 'Job', apiVersion: 'a/b/c', name: 'a' } }));
      assert.equal(unknown.message, 'cannot bind token to object of type /, Kind=Job');
      expectFailure(405, 'MethodNotAllowed', await place.server.request('GET', `${ACCOUNTS}/${name}/token`));
      const long = await place.ask(name, { expirationSeconds: 200_000 });
      assert.equal(expect(201, long).spec.expirationSeconds, 100_000);
      assert.match(long.headers['warning'] ?? '', /shortened to 100000 seconds/);
    });

    test('a token ends with its time, a minute given for clocks', async () => {
      const { name } = await place.account();
      const token = await place.token(name, { expirationSeconds: 600 });
      place.clock.turn(659_000);
      assert.notEqual(await place.whoIs(token), 'nobody');
      place.clock.turn(2_000);
      assert.equal(await place.whoIs(token), 'nobody');
    });

    test('a token ends with its account at once, and a new account of the name does not bring it back', async () => {
      const { name } = await place.account();
      const token = await place.token(name);
      assert.notEqual(await place.whoIs(token), 'nobody');
      expect(200, await place.server.request('DELETE', `${ACCOUNTS}/${name}`));
      assert.equal(await place.whoIs(token), 'nobody');
      expect(201, await place.server.request('POST', ACCOUNTS, { metadata: { name } }));
      assert.equal(await place.whoIs(token), 'nobody');
    });

    test('R5.9-14 a token bound to a pod names it, and ends with it', async () => {
      const { name } = await place.account();
      const pods = `/api/v1/namespaces/${NAMESPACE}/pods`;
      const pod = { metadata: { name }, spec: { serviceAccountName: name, containers: [{ name: 'c', image: 'i' }] } };
      const { uid } = expect(201, await place.server.request('POST', pods, pod)).metadata;
      const reference = { kind: 'Pod', apiVersion: 'v1', name };
      expectFailure(409, 'Conflict', await place.ask(name, { boundObjectRef: { ...reference, uid: 'another' } }));
      const other = await place.account();
      expectFailure(400, 'BadRequest', await place.ask(other.name, { boundObjectRef: reference }));
      const token = await place.token(name, { boundObjectRef: { ...reference, uid } });
      const { user } = await place.review(token);
      assert.deepEqual(user.extra, { [place.brand.names.podNameExtra]: [name], [place.brand.names.podUidExtra]: [uid] });
      expect(200, await place.server.request('DELETE', `${pods}/${name}`, { gracePeriodSeconds: 0 }));
      assert.equal(await place.whoIs(token), 'nobody');
    });

    test('a token a pod got by itself outlives what it says, for a year', async () => {
      const { name } = await place.account();
      const pod = { metadata: { name }, spec: { serviceAccountName: name, containers: [{ name: 'c', image: 'i' }] } };
      expect(201, await place.server.request('POST', `/api/v1/namespaces/${NAMESPACE}/pods`, pod));
      const bound = { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name }, expirationSeconds: 3607 };
      const answer = expect(201, await place.ask(name, bound));
      const { aud, exp, iat, [place.brand.names.domain]: own } = claimsOf(answer.status.token as string);
      assert.deepEqual([exp - iat, own.warnafter - iat], [365 * 24 * 3600, 3607]);
      assert.equal(Date.parse(answer.status.expirationTimestamp as string), iat * 1000 + 3_607_000);
      // Not one for others too, nor one that no pod has got, nor one whose time somebody chose.
      for (const asked of [{ audiences: [ELSEWHERE] }, { audiences: [...aud, ELSEWHERE] }, { boundObjectRef: undefined }, { expirationSeconds: 3600 }]) {
        const wanted = { ...bound, ...asked };
        const other = claimsOf(await place.token(name, wanted));
        assert.deepEqual([other.exp - other.iat, other[place.brand.names.domain].warnafter], [wanted.expirationSeconds, undefined], JSON.stringify(asked));
      }
    });

    test('metrics tell who goes on to use the token that a pod got by itself after its time, and who uses one that names nobody it is for', async () => {
      const uses = async (): Promise<readonly number[]> => {
        const { text } = await place.server.request('GET', '/metrics');
        return ['valid', 'stale', 'legacy'].map((age) => Number(new RegExp(`^serviceaccount_${age}_tokens_total (\\d+)$`, 'm').exec(text)?.[1]));
      };
      const { name } = await place.account();
      const pod = { metadata: { name }, spec: { serviceAccountName: name, containers: [{ name: 'c', image: 'i' }] } };
      expect(201, await place.server.request('POST', `/api/v1/namespaces/${NAMESPACE}/pods`, pod));
      const plain = await place.token(name, { expirationSeconds: 7200 });
      const projected = await place.token(name, { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name }, expirationSeconds: 3607 });
      const nobodys = await place.forge({ ...claimsOf(plain), aud: undefined });
      const before = await uses();
      const since = async (): Promise<readonly number[]> => (await uses()).map((count, at) => count - (before[at] ?? 0));
      for (const token of [plain, projected, projected, 'x.y.z']) await place.whoIs(token);
      assert.deepEqual(await since(), [2, 0, 0]);
      await place.whoIs(nobodys);
      place.clock.turn(3_608_000);
      for (const token of [plain, projected]) assert.notEqual(await place.whoIs(token), 'nobody');
      assert.deepEqual(await since(), [2, 1, 1]);
    });

    test('a token bound to a Secret ends with it', async () => {
      const { name } = await place.account();
      const secrets = `/api/v1/namespaces/${NAMESPACE}/secrets`;
      expect(201, await place.server.request('POST', secrets, { metadata: { name } }));
      const token = await place.token(name, { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name } });
      assert.notEqual(await place.whoIs(token), 'nobody');
      expect(200, await place.server.request('DELETE', `${secrets}/${name}`));
      assert.equal(await place.whoIs(token), 'nobody');
    });

    test('R2.13-11 R5.9-15 a token for others is nobody here, and theirs when they ask about it', async () => {
      const { name } = await place.account();
      const token = await place.token(name, { audiences: [ELSEWHERE, 'more'] });
      assert.equal(await place.whoIs(token), 'nobody');
      assert.equal((await place.review(token)).authenticated, undefined);
      const review = await place.review(token, ['other', ELSEWHERE]);
      assert.deepEqual([review.authenticated, review.audiences], [true, [ELSEWHERE]]);
    });

    test('R2.13-01 R2.13-03 R2.13-05 R2.13-06 R2.13-08 any token can be reviewed; of one that is none nothing is said', async () => {
      const { user } = await place.review('alicetoken');
      assert.deepEqual(user, { username: 'alice', uid: 'alice', groups: ['dev', 'system:authenticated'] });
      for (const token of ['nobody', 'alicetoken ', 'x'.repeat(70_000), 'a.b.c']) {
        assert.deepEqual(await place.review(token), { user: {}, error: 'invalid bearer token' });
      }
      const path = `/apis/${place.brand.group('authentication')}/v1/tokenreviews`;
      expectFailure(400, 'BadRequest', await place.server.request('POST', path, { spec: {} }));
      expectFailure(403, 'Forbidden', await place.server.request('POST', path, { spec: { token: 'x' } }, bearer('alicetoken')));
      expectFailure(405, 'MethodNotAllowed', await place.server.request('GET', path));
    });

    test('a review says why a token of an account is not accepted, and who uses it does not learn it', async () => {
      const { name, uid } = await place.account();
      const secrets = `/api/v1/namespaces/${NAMESPACE}/secrets`;
      expect(201, await place.server.request('POST', secrets, { metadata: { name } }));
      const [token, bound] = [await place.token(name), await place.token(name, { boundObjectRef: { kind: 'Secret', apiVersion: 'v1', name } })];
      const claims = claimsOf(token);
      const now = place.clock.nowMs() / 1000;
      const errorOf = async (one: string): Promise<unknown> => {
        assert.equal(await place.whoIs(one), 'nobody');
        return (await place.review(one)).error;
      };
      const of = (change: object, options?: object): Promise<string> => place.forge({ ...claims, ...change }, options);
      const others = `token audiences ["${ELSEWHERE}" "more"] is invalid for the target audiences ["${place.issuer}"]`;
      assert.equal(await errorOf(await of({ exp: now - 100 })), '[invalid bearer token, service account token has expired]');
      assert.equal(await errorOf(await of({ nbf: now + 100 })), '[invalid bearer token, service account token is not valid yet]');
      assert.equal(await errorOf(await of({ exp: 'x' })), '[invalid bearer token, service account token claims could not be validated]');
      assert.equal(await errorOf(await of({ aud: [ELSEWHERE, 'more'] })), `[invalid bearer token, ${others}]`);
      assert.equal(await errorOf(await of({}, { pem: STRANGER.privatePem })), '[invalid bearer token, square/go-jose: error in cryptographic primitive]');
      expect(200, await place.server.request('DELETE', `${secrets}/${name}`));
      assert.equal(await errorOf(bound), '[invalid bearer token, service account token has been invalidated]');
      expect(200, await place.server.request('DELETE', `${ACCOUNTS}/${name}`));
      assert.equal(await errorOf(token), `[invalid bearer token, serviceaccounts "${name}" not found]`);
      const again = expect(201, await place.server.request('POST', ACCOUNTS, { metadata: { name } })).metadata.uid as string;
      assert.equal(await errorOf(token), `[invalid bearer token, service account UID (${again}) does not match claim (${uid})]`);
    });

    test('R5.9-20 tokens of every given key are accepted, of no other', async () => {
      const claims = await place.goodClaims();
      assert.equal(await place.whoIs(await place.forge(claims)), claims['sub']);
      assert.equal(await place.whoIs(await place.forge(claims, { pem: OLD.privatePem })), claims['sub']);
      const rsaPem = RSA.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
      assert.equal(await place.whoIs(await place.forge(claims, { pem: rsaPem, alg: 'RS256' })), claims['sub']);
      assert.equal(await place.whoIs(await place.forge(claims, { pem: rsaPem, alg: 'RS512' })), 'nobody');
      assert.equal(await place.whoIs(await place.forge(claims, { pem: rsaPem, alg: 'PS256' })), 'nobody');
      assert.equal(await place.whoIs(await place.forge(claims, { pem: STRANGER.privatePem })), 'nobody');
    });

    test('claims that are wrong or missing make a token bad', async () => {
      const claims = await place.goodClaims();
      const domain = place.brand.names.domain;
      const own = claims[domain] as { readonly serviceaccount: { readonly name: string } };
      const now = place.clock.nowMs() / 1000;
      const wrong: readonly object[] = [
        { exp: now - 100 },
        { exp: undefined },
        { exp: String(claims['exp']) },
        { nbf: now + 100 },
        { iat: 'x' },
        { iss: ELSEWHERE },
        { iss: undefined },
        { iss: [claims['iss']] },
        { aud: ELSEWHERE },
        { aud: {} },
        { aud: null },
        { [domain]: undefined },
        { [domain]: { ...own, namespace: 'other' } },
        { [domain]: { ...own, serviceaccount: { name: own.serviceaccount.name, uid: 'another' } } },
        { [domain]: { ...own, serviceaccount: { name: own.serviceaccount.name } } },
        { [domain]: { ...own, serviceaccount: 'x' } },
        { [domain]: { ...own, pod: { name: 'p' } } },
        { [domain]: { ...own, secret: null } },
        { [domain]: { ...own, pod: { name: 'p', uid: 'u' } } },
      ];
      for (const change of wrong) assert.equal(await place.whoIs(await place.forge({ ...claims, ...change })), 'nobody', JSON.stringify(change));
    });

    test('what a token says about its own signature is not believed', async () => {
      const claims = await place.goodClaims();
      const good = await place.forge(claims);
      const [header = '', payload = '', signature = ''] = good.split('.');
      const hmac = (head: object, secret: string): string => {
        const text = `${encodePart(head)}.${payload}`;
        return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
      };
      const embedded = createPublicKey(STRANGER.publicPem).export({ format: 'jwk' });
      const stranger = await importPKCS8(STRANGER.privatePem, 'ES256');
      const withOwnKey = await new SignJWT(claims as JWTPayload).setProtectedHeader({ alg: 'ES256', jwk: embedded, jku: 'https://evil.example', x5c: [] }).sign(stranger);
      const bad: readonly string[] = [
        `${encodePart({ alg: 'none' })}.${payload}.`,
        `${encodePart({ alg: 'None', typ: 'JWT' })}.${payload}.${signature}`,
        `${encodePart({ alg: 'none' })}.${payload}`,
        hmac({ alg: 'HS256' }, SIGNING.publicPem),
        hmac({ alg: 'HS256' }, RSA.publicKey.export({ type: 'spki', format: 'pem' }).toString()),
        hmac({ alg: 'HS256', kid: '../../../../dev/null' }, ''),
        hmac({ alg: 'ES256' }, SIGNING.publicPem),
        withOwnKey,
        await place.forge(claims, { pem: STRANGER.privatePem, kid: decodePart((await place.token((await place.account()).name)).split('.')[0]).kid as string }),
        `${encodePart({ alg: 'ES256', crit: ['exp'] })}.${payload}.${signature}`,
        `${header}.${encodePart({ ...claims, sub: 'system:admin' })}.${signature}`,
        `${header}.${payload}.${signature.slice(0, -2)}AA`,
        `${header}.${payload}.${Buffer.alloc(64).toString('base64url')}`,
        `${header}.${payload}.${signature}.${signature}`,
        `${header}.${payload}`,
        `${header}..${signature}`,
        '..',
        encodePart([]).repeat(3),
        `${encodePart({ alg: ['ES256'] })}.${payload}.${signature}`,
        `${encodePart(null)}.${payload}.${signature}`,
        `${header}.${Buffer.from('{"iss":').toString('base64url')}.${signature}`,
      ];
      for (const token of bad) assert.equal(await place.whoIs(token), 'nobody', token);
      assert.equal(await place.whoIs(good), claims['sub']);
      assert.equal(await place.whoIs(await place.forge(claims, { kid: `'; DROP TABLE keys; --` })), claims['sub']);
    });

    test('R2.13-46 a token in a Secret lives as long as it stands there', async () => {
      const { name, uid } = await place.account();
      const { names } = place.brand;
      const prefix = `${names.domain}/serviceaccount`;
      const sub = `system:serviceaccount:${NAMESPACE}:${name}`;
      const claims = {
        iss: names.legacyTokenIssuer,
        sub,
        [`${prefix}/namespace`]: NAMESPACE,
        [`${prefix}/secret.name`]: name,
        [`${prefix}/service-account.name`]: name,
        [`${prefix}/service-account.uid`]: uid,
      };
      const token = await place.forge(claims);
      assert.equal(await place.whoIs(token), 'nobody');
      const secrets = `/api/v1/namespaces/${NAMESPACE}/secrets`;
      const annotations = { [names.serviceAccountNameAnnotation]: name };
      const secret = { metadata: { name, annotations }, type: names.serviceAccountTokenSecret, stringData: { token } };
      expect(201, await place.server.request('POST', secrets, secret));
      assert.equal(await place.whoIs(token), sub);
      assert.equal((await place.review(token, [ELSEWHERE])).authenticated, undefined);
      for (const change of [{ sub: `${sub}x` }, { sub: undefined }, { [`${prefix}/service-account.uid`]: 'another' }, { iss: place.issuer }]) {
        assert.equal(await place.whoIs(await place.forge({ ...claims, ...change })), 'nobody', JSON.stringify(change));
      }
      // Signed as well, and not what stands in the Secret.
      const copy = await place.forge(claims, { kid: 'y' });
      assert.equal(await place.whoIs(copy), 'nobody');
      assert.equal((await place.review(copy)).error, "[invalid bearer token, Token does not match server's copy]");
      expect(200, await place.server.request('DELETE', `${secrets}/${name}`));
      assert.equal(await place.whoIs(token), 'nobody');
      assert.equal((await place.review(token)).error, '[invalid bearer token, Token has been invalidated]');
    });

    test('R5.2-03 of several Authorization headers the first one counts; none of them is mixed with another', async () => {
      const get = async (authorization: readonly string[]): Promise<number> => {
        const { status, headers } = await place.server.server.exchange({ path: '/api/v1/nodes', headers: { authorization } });
        assert.equal(headers['warning'], undefined, authorization.join());
        return status;
      };
      assert.equal(await get(['Bearer admintoken']), 200);
      assert.equal(await get(['Bearer alicetoken', 'Bearer admintoken']), 403);
      assert.equal(await get(['Bearer nobody', 'Bearer admintoken']), 401);
      assert.equal(await get(['Bearer nobody, Bearer admintoken']), 401);
      assert.equal(await get(['Bearer  admintoken']), 403);
      assert.equal(await get(['bEARER admintoken more']), 200);
    });

    test('browsers give their token among the protocols of a WebSocket', async () => {
      const protocol = (token: string): string => `base64url.bearer.${place.brand.group('authorization')}.${Buffer.from(token).toString('base64url')}`;
      const get = async (protocols: string, more: Readonly<Record<string, string>> = {}): Promise<number> => {
        const headers = { upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-protocol': protocols, ...more };
        return (await place.server.server.exchange({ path: '/api/v1/nodes', headers })).status;
      };
      assert.equal(await get(`chat, ${protocol('admintoken')}`), 200);
      assert.equal(await get(`chat, ${protocol('nobody')}`), 401);
      assert.equal(await get(protocol('admintoken')), 401);
      assert.equal(await get(`chat, ${protocol('admintoken')}, ${protocol('admintoken')}`), 401);
      assert.equal(await get(`chat, ${protocol('admintoken')}`, { upgrade: 'h2c' }), 403);
      assert.equal(await get(`chat, ${protocol('admintoken')}`, { connection: 'keep-alive, Upgrade' }), 200);
      assert.equal(await get(`chat, ${protocol('admintoken')}`, { connection: 'keep-alive' }), 403);
    });

    test('a token among the protocols of a WebSocket has no padding, and counts also beside an Authorization header of nobody', async () => {
      const prefix = `base64url.bearer.${place.brand.group('authorization')}.`;
      const get = async (protocols: string, authorization?: string): Promise<number> => {
        const headers = { upgrade: 'websocket', connection: 'upgrade', 'sec-websocket-protocol': protocols, ...(authorization === undefined ? {} : { authorization }) };
        return (await place.server.server.exchange({ path: '/api/v1/nodes', headers })).status;
      };
      assert.equal(await get(`chat, ${prefix}YWxpY2V0b2tlbg`), 403);
      for (const encoded of ['YWxpY2V0b2tlbg=', 'YWxpY2V0b2tlbg==', 'YWxpY', '__8', '!']) assert.equal(await get(`chat, ${prefix}${encoded}`), 401, encoded);
      assert.equal(await get(prefix), 403);
      assert.equal(await get(`chat, ${prefix}YWRtaW50b2tlbg`, 'Bearer nobody'), 200);
      assert.equal(await get(`chat, ${prefix}bm9ib2R5`, 'Bearer admintoken'), 200);
    });
  });
}

test('the log says why the token of an account is refused, and nothing of one that another method accepts', async () => {
  const logged: unknown[] = [];
  const log = { info: () => {}, warn: (message: string, fields?: object) => void logged.push([message, fields]), error: () => {} };
  await using server = await startTestServer({ controllers: 'none', log, authentication: { serviceAccounts: { signingKey: SIGNING.privatePem } } });
  expect(201, await server.request('POST', ACCOUNTS, { metadata: { name: 'a' } }));
  const token = expect(201, await server.request('POST', `${ACCOUNTS}/a/token`, { spec: {} })).status.token as string;
  server.clock.advance('2h');
  for (const one of [token, token, 'nobody', 'alicetoken']) await server.request('GET', '/api/v1/nodes', undefined, bearer(one));
  assert.deepEqual(logged, [['credentials are refused', { why: 'service account token has expired' }]]);
});

test('tokens that are not looked up live on without their Secret, bound ones do not', async () => {
  const serviceAccounts = { signingKey: SIGNING.privatePem, isLookedUp: false, issuers: ['https://one.example', 'https://two.example'] };
  const server = await startTestServer({ controllers: 'none', authentication: { serviceAccounts, apiAudiences: ['api'] } });
  const place = new Place('orch');
  const status = async (token: string): Promise<number> => (await server.request('GET', '/api/v1/nodes', undefined, bearer(token))).status;
  const prefix = 'orch.io/serviceaccount';
  const legacy = {
    iss: 'orch/serviceaccount',
    sub: 'system:serviceaccount:a:b',
    [`${prefix}/namespace`]: 'a',
    [`${prefix}/secret.name`]: 's',
    [`${prefix}/service-account.name`]: 'b',
    [`${prefix}/service-account.uid`]: 'u',
  };
  assert.equal(await status(await place.forge(legacy)), 403);
  assert.deepEqual([await status(await place.forge({ ...legacy, aud: ['api'] })), await status(await place.forge({ ...legacy, aud: ['x'] })), await status(await place.forge({ ...legacy, aud: 7 }))], [403, 401, 401]);
  expect(201, await server.request('POST', ACCOUNTS, { metadata: { name: 'a' } }));
  const { token } = expect(201, await server.request('POST', `${ACCOUNTS}/a/token`, { spec: {} })).status;
  const claims = claimsOf(token as string);
  assert.deepEqual([claims.iss, claims.aud], ['https://one.example', ['api']]);
  assert.equal(await status(await place.forge({ ...claims, iss: 'https://two.example' })), 403);
  assert.equal(await status(await place.forge({ ...claims, iss: 'https://three.example' })), 401);
  expect(200, await server.request('DELETE', `${ACCOUNTS}/a`));
  assert.equal(await status(token as string), 401);
  await server.close();
});

test('tokens are meant for every issuer where nobody says for whom', async () => {
  const issuers = ['https://one.example', 'https://two.example'];
  const server = await startTestServer({ controllers: 'none', authentication: { serviceAccounts: { signingKey: SIGNING.privatePem, issuers } } });
  expect(201, await server.request('POST', ACCOUNTS, { metadata: { name: 'a' } }));
  const asked = expect(201, await server.request('POST', `${ACCOUNTS}/a/token`, { spec: {} }));
  const claims = claimsOf(asked.status.token as string);
  assert.deepEqual([claims.iss, claims.aud, asked.spec.audiences], [issuers[0], issuers, issuers]);
  const old = await new Place('orch').forge({ ...claims, iss: issuers[1], aud: [issuers[1]] });
  assert.equal((await server.request('GET', '/api/v1/nodes', undefined, bearer(old))).status, 403);
  const { status } = expect(201, await server.request('POST', '/apis/authentication.orch.io/v1/tokenreviews', { spec: { token: asked.status.token } }));
  assert.deepEqual(status.audiences, issuers);
  await server.close();
});

test('a token that a pod got by itself ends when it says so, where nothing is extended', async () => {
  const server = await startTestServer({ controllers: 'none', authentication: { serviceAccounts: { signingKey: SIGNING.privatePem, extendsExpiration: false } } });
  expect(201, await server.request('POST', ACCOUNTS, { metadata: { name: 'a' } }));
  const pod = { metadata: { name: 'p' }, spec: { serviceAccountName: 'a', containers: [{ name: 'c', image: 'i' }] } };
  expect(201, await server.request('POST', `/api/v1/namespaces/${NAMESPACE}/pods`, pod));
  const spec = { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: 'p' }, expirationSeconds: 3607 };
  const { exp, iat } = claimsOf(expect(201, await server.request('POST', `${ACCOUNTS}/a/token`, { spec })).status.token as string);
  assert.equal(exp - iat, 3607);
  await server.close();
});

test('an issuer that cannot be reached by https is not published', async () => {
  const server = await startTestServer({ controllers: 'none', authentication: { serviceAccounts: { issuers: ['somebody'] } } });
  assert.equal((await server.request('GET', '/openid/v1/jwks')).status, 404);
  expect(201, await server.request('POST', ACCOUNTS, { metadata: { name: 'a' } }));
  const { token } = expect(201, await server.request('POST', `${ACCOUNTS}/a/token`, { spec: {} })).status;
  assert.equal((await server.request('GET', '/api/v1/nodes', undefined, bearer(token as string))).status, 403);
  await server.close();
});

test('keys that cannot be used fail the start with the name of the flag', async () => {
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const start = (serviceAccounts: object): Promise<unknown> => startTestServer({ authentication: { serviceAccounts } });
  await assert.rejects(start({ signingKey: 'no key' }), /^Error: service-account-signing-key-file: /);
  await assert.rejects(start({ signingKey: weak }), /service-account-signing-key-file: a key must be RSA with 2048 bits/);
  await assert.rejects(start({ verifyingKeys: [''] }), /service-account-key-file: there is no PEM key/);
  await assert.rejects(start({ issuers: [''] }), /service-account-issuer: /);
});

test('an issuer that is meant to be an address and is none, or that is given twice, fails the start', async () => {
  const start = (...issuers: string[]): ReturnType<typeof startTestServer> => startTestServer({ controllers: 'none', authentication: { serviceAccounts: { issuers } } });
  await assert.rejects(start('https://a', 'https://[::1]:port'), /^Error: service-account-issuer: "https:\/\/\[::1\]:port" has a colon and is no address$/);
  await assert.rejects(start('10.0.0.1:6443'), /^Error: service-account-issuer: "10\.0\.0\.1:6443" has a colon and is no address$/);
  await assert.rejects(start('https://a', 'b', 'https://a'), /^Error: service-account-issuer: "https:\/\/a" is given twice$/);
  await (await start('https://a', 'https://a/', 'urn:a', 'a b')).close();
});
