import assert from 'node:assert/strict';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import { afterEach, beforeEach, mock, test } from 'node:test';
import { silentLog, systemClock } from '#base';
import { brandOf, type ApiObject } from '#api';
import { bootstrapTokens } from './methods/bootstrap-token.ts';
import { staticTokens } from './methods/static-token.ts';
import { whyLegacyTokenEnded } from './service-accounts/revocation.ts';

const QUESTION = { audiences: ['api'], annotate: () => {} };
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Wrong in the first place, in the last, in all of them. */
const misses = (secret: string): readonly string[] => [`x${secret.slice(1)}`, `${secret.slice(0, -1)}x`, 'x'.repeat(secret.length)];

/** What was compared in constant time. */
const compared: (readonly [one: string, other: string])[] = [];

beforeEach(() => {
  compared.splice(0);
  const compare = crypto.timingSafeEqual;
  mock.method(crypto, 'timingSafeEqual', (one: Uint8Array, other: Uint8Array) => {
    compared.push([Buffer.from(one).toString(), Buffer.from(other).toString()]);
    return compare(one, other);
  });
  syncBuiltinESMExports();
});
afterEach(() => {
  mock.restoreAll();
  syncBuiltinESMExports();
});

test('timing: the secret of a bootstrap token is compared whole, wherever it differs', async () => {
  const secret = 'f0e1d2c3b4a59687';
  const brand = brandOf('orch');
  const data = { 'token-id': base64('abcdef'), 'token-secret': base64(secret), 'usage-bootstrap-authentication': base64('true') };
  const stored = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'bootstrap-token-abcdef' }, type: brand.names.bootstrapTokenSecret, data } as unknown as ApiObject;
  const method = bootstrapTokens({ brand, clock: systemClock, objects: { get: async () => stored }, audiences: ['api'] });
  for (const miss of misses(secret)) {
    assert.equal(await method.authenticateToken(`abcdef.${miss}`, QUESTION), undefined);
    assert.deepEqual(compared.splice(0), [[secret, miss]]);
  }
  assert.equal((await method.authenticateToken(`abcdef.${secret}`, QUESTION))?.user.name, 'system:bootstrap:abcdef');
});

test('timing: a token that stands in a Secret is compared whole, wherever it differs', async () => {
  const token = 'eyJhbGciOi.eyJpc3Mi.c2lnbmF0dXJl';
  const secret = { metadata: { name: 's' }, data: { token: base64(token) } };
  const objects = { get: async (kind: { readonly kind: string }) => (kind.kind === 'Secret' ? secret : { metadata: { name: 'a', uid: '1' } }) as unknown as ApiObject };
  const claims = { namespace: 'n', account: { name: 'a', uid: '1' }, secretName: 's' };
  for (const miss of misses(token)) {
    assert.equal(await whyLegacyTokenEnded(miss, claims, objects), "Token does not match server's copy");
    assert.deepEqual(compared.splice(0), [[token, miss]]);
  }
  assert.equal(await whyLegacyTokenEnded(token, claims, objects), undefined);
});

test('timing: tokens of the file are looked up by a digest of all of them, never by themselves', async () => {
  const token = 'a-long-token-of-the-file';
  const method = staticTokens(`${token},alice,1`, { log: silentLog, audiences: ['api'] });
  const lookedUp: unknown[] = [];
  const get = Map.prototype.get;
  const spy = mock.method(Map.prototype, 'get', function (this: Map<unknown, unknown>, key: unknown) {
    lookedUp.push(key);
    return get.call(this, key);
  });
  for (const given of [token, ...misses(token)]) await method.authenticateToken(given, QUESTION);
  spy.mock.restore();
  const digests = [token, ...misses(token)].map((text) => crypto.createHash('sha256').update(text).digest('base64'));
  assert.deepEqual(lookedUp.filter((key) => digests.includes(String(key))), digests);
  assert.ok(lookedUp.every((key) => !String(key).includes('token-of-the-file')));
});
