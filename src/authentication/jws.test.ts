import assert from 'node:assert/strict';
import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import type { JsonObject } from '#base';
import { readUnchecked, signJws, verifyJws } from './jws.ts';

const encode = (value: unknown): string => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url');
const curve = (namedCurve: string): KeyObject => generateKeyPairSync('ec', { namedCurve }).privateKey;
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const [P256, OTHER, P384] = [curve('P-256'), curve('P-256'), curve('P-384')];
const CLAIMS = { iss: 'us', sub: 'jane' };

const sign = (algorithm: string, key: KeyObject, claims: JsonObject = CLAIMS): Promise<string> => signJws(claims, { key, algorithm, keyId: 'k' });
const verify = (token: string, algorithm: string, key: KeyObject): Promise<JsonObject | undefined> => verifyJws(token, [{ key: createPublicKey(key), algorithm }]);

test('a token is three parts of which the first two are objects, and all else is none', () => {
  const [header, claims] = [{ alg: 'none' }, CLAIMS].map(encode) as [string, string];
  assert.deepEqual(readUnchecked(`${header}.${claims}.`), { header: { alg: 'none' }, claims: CLAIMS });
  for (const part of ['', 'x', ...['', '{', '[]', 'null', '"a"', '7', '['.repeat(20_000), '{"a":'.repeat(20_000)].map(encode)]) {
    for (const token of [`${part}.${claims}.x`, `${header}.${part}.x`]) assert.equal(readUnchecked(token), undefined, token.slice(0, 100));
  }
  for (const token of ['', header, `${header}.${claims}`, `${header}.${claims}.x.`, `${header}.${claims}.x.y.z`, `.${header}.${claims}`]) assert.equal(readUnchecked(token), undefined, token);
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 100, size: 'max' }), (text) => assert.equal(readUnchecked(text), undefined)));
});

test('what was signed is verified by its key with its algorithm alone', async () => {
  for (const [algorithm, key] of [['RS256', RSA], ['ES256', P256], ['ES384', P384]] as const) {
    const token = await sign(algorithm, key);
    assert.deepEqual(await verify(token, algorithm, key), CLAIMS);
    for (const other of ['RS256', 'PS256', 'ES256', 'ES384', 'ES512', 'HS256', 'none']) if (other !== algorithm) assert.equal(await verify(token, other, key), undefined);
    for (const stranger of [RSA, OTHER, P384]) if (stranger !== key) assert.equal(await verify(token, algorithm, stranger), undefined);
  }
  const known = [['ES256', OTHER], ['RS256', RSA], ['ES256', P256]].map(([algorithm, key]) => ({ algorithm, key: createPublicKey(key as KeyObject) }) as never);
  assert.deepEqual(await verifyJws(await sign('ES256', P256), known), CLAIMS);
  await assert.rejects(sign('ES256', P384));
});

test('the public key of a signer is no secret to sign with, and no signature is none', async () => {
  const pem = createPublicKey(RSA).export({ type: 'spki', format: 'pem' });
  for (const header of [{ alg: 'HS256' }, { alg: 'none' }, { alg: 'RS256' }, { alg: 'RS256', b64: false, crit: ['b64'] }, {}]) {
    const signed = `${encode(header)}.${encode(CLAIMS)}`;
    for (const signature of ['', createHmac('sha256', pem).update(signed).digest('base64url')]) {
      for (const algorithm of ['RS256', 'HS256', 'none']) assert.equal(await verify(`${signed}.${signature}`, algorithm, RSA), undefined);
    }
  }
});

test('a token of which anything is changed is not verified', async () => {
  const token = await sign('ES256', P256);
  const changed = fc.tuple(fc.nat(token.length - 1), fc.constantFrom(...'Aa0-_.'));
  await fc.assert(
    fc.asyncProperty(changed, async ([at, letter]) => {
      fc.pre(token[at] !== letter && decoded(token) !== decoded(token.slice(0, at) + letter + token.slice(at + 1)));
      assert.equal(await verify(token.slice(0, at) + letter + token.slice(at + 1), 'ES256', P256), undefined);
    }),
  );
});

/** Of the last letter of a part, some bits stand for nothing. */
const decoded = (token: string): string => token.split('.').map((part) => Buffer.from(part, 'base64url').toString('hex')).join('.');
