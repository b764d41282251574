import assert from 'node:assert/strict';
import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import type { Clock, JsonObject } from '#base';
import { brandOf, DIALECTS, type ApiObject, type ObjectKey } from '#api';
import { signJws } from './jws.ts';
import { serviceAccountTokens } from './methods/service-account-token.ts';
import { createTokenIssuer } from './service-accounts/issuer.ts';
import { legacyClaims } from './service-accounts/token-claims.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const NOW_MS = 1_700_000_000_000;
const ACCOUNT = { name: 'a', uid: 'u' };

/** A place with one account, and the pods and secrets given. */
function place(dialect: (typeof DIALECTS)[number], objects: readonly ApiObject[] = []) {
  const brand = brandOf(dialect);
  const clock: Clock & { at: number } = { at: NOW_MS, nowMs: () => clock.at, after: () => () => {} };
  const stored: ApiObject[] = [{ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { ...ACCOUNT, namespace: 'n' } }, ...objects];
  const get = ({ kind }: { readonly kind: string }, key: ObjectKey): Promise<ApiObject | undefined> =>
    Promise.resolve(stored.find((one) => one.kind === kind && one.metadata.name === key.name && one.metadata.namespace === key.namespace));
  const audiences = ['here'];
  const signing = { key: privateKey, algorithm: 'ES256', keyId: 'k' };
  const issuer = createTokenIssuer({ brand, issuer: 'us', audiences, extendsExpiration: true, signingKey: () => signing, secretSigningKey: () => signing });
  const verifyingKeys = () => [{ key: createPublicKey(privateKey), algorithm: 'ES256' }];
  const method = serviceAccountTokens({ brand, clock, objects: { get }, issuers: ['us'], audiences, isLookedUp: true, verifyingKeys });
  const notes: string[][] = [];
  const ask = (token: string) => method.authenticateToken(token, { audiences, annotate: (key, value) => void notes.push([key, value]) });
  return { brand, clock, stored, issuer, ask, notes };
}

for (const dialect of DIALECTS) {
  test(`the use of a token after the time it was meant for is noted: ${dialect}`, async () => {
    const { brand, clock, issuer, ask, notes } = place(dialect);
    const order = { namespace: 'n', account: ACCOUNT, audiences: ['here'], issuedAtMs: NOW_MS, expirationSeconds: 10_000, warnAfterSeconds: 100 };
    const token = await issuer.issueBound(order);
    clock.at += 100_000;
    assert.equal((await ask(token))?.user.name, 'system:serviceaccount:n:a');
    assert.deepEqual(notes, []);
    clock.at += 7_000;
    assert.ok(await ask(token));
    const group = brand.group('authentication');
    assert.deepEqual(notes, [[`${group}/stale-token`, 'subject: system:serviceaccount:n:a, seconds after warning threshold: 7']]);
  });

  test(`the use of a token that stands in a Secret is noted: ${dialect}`, async () => {
    const { brand, stored, issuer, ask, notes } = place(dialect);
    const token = await issuer.issueLegacy({ namespace: 'n', account: ACCOUNT, secretName: 's' });
    assert.equal(await ask(token), undefined);
    const data = { token: Buffer.from(token).toString('base64') };
    stored.push({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'n' }, data } as ApiObject);
    assert.deepEqual((await ask(token))?.audiences, ['here']);
    assert.deepEqual(notes, [[`${brand.group('authentication')}/legacy-token`, 'system:serviceaccount:n:a']]);
  });
}

test('the claims of a token that stands in a Secret are all there and name one account', async () => {
  const { brand, stored, ask } = place('kubernetes');
  const sound = legacyClaims({ namespace: 'n', account: ACCOUNT, secretName: 's' }, brand);
  const says = async (claims: JsonObject): Promise<boolean> => {
    const token = await signJws(claims, { key: privateKey, algorithm: 'ES256', keyId: 'k' });
    const data = { token: Buffer.from(token).toString('base64') };
    stored.splice(1, 1, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'n' }, data } as ApiObject);
    return (await ask(token)) !== undefined;
  };
  assert.equal(await says(sound), true);
  assert.equal(await says({ ...sound, sub: 'system:serviceaccount:n:other' }), false);
  for (const name of Object.keys(sound)) assert.equal(await says({ ...sound, [name]: undefined }), false, name);
});

test('a token that stands in a Secret ends as soon as the Secret or the account is on its way out, and is none of an account made later', async () => {
  const { stored, issuer, ask } = place('orch');
  const token = await issuer.issueLegacy({ namespace: 'n', account: ACCOUNT, secretName: 's' });
  const data = { token: Buffer.from(token).toString('base64') };
  stored.push({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'n' }, data } as ApiObject);
  const [account, secret] = stored as [ApiObject, ApiObject];
  for (const { metadata } of [account, secret]) {
    metadata.deletionTimestamp = new Date(NOW_MS).toISOString();
    assert.equal(await ask(token), undefined);
    delete metadata.deletionTimestamp;
    assert.ok(await ask(token));
  }
  account.metadata.uid = 'later';
  assert.equal(await ask(token), undefined);
});

test('a token of a clock that is ahead is good once its time has begun, and one without audience is meant for this server', async () => {
  const { brand, ask, notes } = place('orch');
  const claims = { iss: 'us', sub: 'system:serviceaccount:n:a', exp: NOW_MS / 1000 + 600, nbf: NOW_MS / 1000, [brand.names.domain]: { namespace: 'n', serviceaccount: ACCOUNT } };
  const sign = (more: object): Promise<string> => signJws({ ...claims, ...more }, { key: privateKey, algorithm: 'ES256', keyId: 'k' });
  assert.ok(await ask(await sign({ aud: ['here'], iat: NOW_MS / 1000 + 500 })));
  assert.deepEqual(notes, []);
  assert.deepEqual((await ask(await sign({})))?.audiences, ['here']);
  assert.deepEqual(notes, [[`${brand.group('authentication')}/legacy-token`, 'system:serviceaccount:n:a']]);
  assert.equal(await ask(await sign({ aud: ['there'] })), undefined);
});

test('a token is good from a minute before its time until a minute after it, and says that time in numbers', async () => {
  const { brand, ask } = place('kubernetes');
  const now = NOW_MS / 1000;
  const claims = { iss: 'us', aud: 'here', exp: now + 600, [brand.names.domain]: { namespace: 'n', serviceaccount: ACCOUNT } };
  const isGood = async (more: object): Promise<boolean> =>
    (await ask(await signJws({ ...claims, ...more }, { key: privateKey, algorithm: 'ES256', keyId: 'k' }))) !== undefined;
  for (const good of [{}, { exp: now - 60 }, { nbf: now + 60 }, { nbf: now - 1e9, iat: -1 }, { aud: ['there', 'here'] }]) assert.equal(await isGood(good), true, JSON.stringify(good));
  const other = ['1800000000', null, true, [now + 600], {}];
  const bad = [{ exp: now - 60.001 }, { nbf: now + 60.001 }, { exp: undefined }, { exp: 0 }, { nbf: 1e300 }, { iss: ['us'] }, { iss: '' }, { aud: ['here', 7] }, { aud: 7 }];
  for (const one of [...bad, ...['exp', 'nbf', 'iat'].flatMap((name) => other.map((value) => ({ [name]: value })))]) assert.equal(await isGood(one), false, JSON.stringify(one));
});

test('what a token is bound to is named whole', async () => {
  const { brand, stored, ask } = place('kubernetes');
  stored.push({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', uid: 'pu', namespace: 'n' } });
  const isGood = async (own: unknown): Promise<boolean> =>
    (await ask(await signJws({ iss: 'us', exp: NOW_MS / 1000, [brand.names.domain]: own as JsonObject }, { key: privateKey, algorithm: 'ES256', keyId: 'k' }))) !== undefined;
  const sound = { namespace: 'n', serviceaccount: ACCOUNT };
  for (const good of [sound, { ...sound, pod: { name: 'p', uid: 'pu' } }, { ...sound, warnafter: 'soon' }]) assert.equal(await isGood(good), true, JSON.stringify(good));
  const references = ['p', [], null, {}, { name: 'p' }, { uid: 'pu' }, { name: 'p', uid: '' }, { name: 'p', uid: 'u' }, { name: 'p', uid: ['pu'] }];
  const bad = [undefined, [], 'n', {}, { ...sound, namespace: ['n'] }, { ...sound, namespace: 'm' }, { namespace: 'n' }, ...references.flatMap((pod) => [{ ...sound, pod }, { ...sound, secret: pod }, { ...sound, serviceaccount: pod }])];
  for (const one of bad) assert.equal(await isGood(one), false, JSON.stringify(one));
});

test('an object on its way out keeps tokens alive for a minute', async () => {
  const { clock, stored, issuer, ask } = place('orch');
  const token = await issuer.issueBound({ namespace: 'n', account: ACCOUNT, audiences: ['here'], issuedAtMs: NOW_MS, expirationSeconds: 10_000 });
  const [account] = stored as [ApiObject];
  account.metadata.deletionTimestamp = new Date(NOW_MS).toISOString();
  clock.at += 60_000;
  assert.ok(await ask(token));
  clock.at += 1;
  assert.equal(await ask(token), undefined);
});
