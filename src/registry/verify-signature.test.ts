import assert from 'node:assert/strict';
import { constants, generateKeyPairSync, sign, type KeyObject } from 'node:crypto';
import { test } from 'node:test';
import { verifySignature } from './verify-signature.ts';

const CONTENT = new TextEncoder().encode('what is signed');
const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 });
const ec = (namedCurve: string): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } => generateKeyPairSync('ec', { namedCurve });
const P256 = ec('prime256v1');
const ED = generateKeyPairSync('ed25519');
const [WITH_SHA256, WITH_MD5, WITH_PSS, WITH_ECDSA, WITH_ED25519] = ['2a864886f70d01010b', '2a864886f70d010104', '2a864886f70d01010a', '2a8648ce3d040302', '2b6570'];

const spki = ({ publicKey }: { readonly publicKey: KeyObject }): Uint8Array => publicKey.export({ format: 'der', type: 'spki' });
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };

const cases: readonly (readonly [title: string, algorithm: string, publicKey: Uint8Array, signature: Uint8Array, isGood: boolean])[] = [
  ['RSA', WITH_SHA256, spki(RSA), sign('sha256', CONTENT, RSA.privateKey), true],
  ['RSA with random padding', WITH_PSS, spki(RSA), sign('sha384', CONTENT, { key: RSA.privateKey, ...pss }), true],
  ['ECDSA', WITH_ECDSA, spki(P256), sign('sha256', CONTENT, P256.privateKey), true],
  ['Ed25519', WITH_ED25519, spki(ED), sign(null, CONTENT, ED.privateKey), true],
  ['of other content', WITH_SHA256, spki(RSA), sign('sha256', Buffer.from('else'), RSA.privateKey), false],
  ['of another key', WITH_ECDSA, spki(P256), sign('sha256', CONTENT, ec('prime256v1').privateKey), false],
  ['MD5', WITH_MD5, spki(RSA), sign('md5', CONTENT, RSA.privateKey), false],
  ['an algorithm for other keys', WITH_ECDSA, spki(RSA), sign('sha256', CONTENT, RSA.privateKey), false],
  ['an unknown algorithm', '00', spki(RSA), sign('sha256', CONTENT, RSA.privateKey), false],
  ['no key', WITH_SHA256, Uint8Array.of(1, 2, 3), sign('sha256', CONTENT, RSA.privateKey), false],
  ['no signature', WITH_ECDSA, spki(P256), new Uint8Array(0), false],
];

for (const [title, algorithm, publicKey, signature, isGood] of cases) {
  test(`verifySignature: ${title}`, () => assert.equal(verifySignature({ content: CONTENT, publicKey, algorithm, signature }), isGood));
}

test('verifySignature: a curve that nobody uses', () => {
  const pair = ec('secp256k1');
  const signed = { content: CONTENT, publicKey: spki(pair), algorithm: WITH_ECDSA, signature: sign('sha256', CONTENT, pair.privateKey) };
  assert.equal(verifySignature(signed), false);
});
