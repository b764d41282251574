import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { checkCertificatePair } from './certificate-pair.ts';

const fixture = (name: string): string => readFileSync(`test/fixtures/tls/${name}`, 'utf8');
const [cert, key] = [fixture('server.crt'), fixture('server.key')];
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const encrypted = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const;

test('a certificate and its key are a pair, also with the authority behind it and as bytes', () => {
  for (const text of [cert, cert + fixture('ca.crt')]) checkCertificatePair({ cert: text, key });
  checkCertificatePair({ cert: Buffer.from(cert), key: Buffer.from(key) });
});

const wrong: readonly (readonly [title: string, pair: Parameters<typeof checkCertificatePair>[0], message: RegExp])[] = [
  ['a key of another kind', { cert, key: rsa.export({ type: 'pkcs8', format: 'pem' }) }, /^the key is not that of the first certificate$/],
  ['a key of the same kind', { cert, key: fixture('client.key') }, /key values mismatch/],
  ['an authority before the certificate', { cert: fixture('ca.crt') + cert, key }, /key values mismatch/],
  ['a key with a password', { cert, key: rsa.export({ type: 'pkcs8', ...encrypted }) }, /^the key has a password, and none can be given here/],
  ['a key with a password in the older form', { cert, key: rsa.export({ type: 'pkcs1', ...encrypted }) }, /^the key has a password/],
  ['no key', { cert, key: cert }, /./],
];

for (const [title, pair, message] of wrong) {
  test(`${title} is refused`, () => assert.throws(() => checkCertificatePair(pair), (thrown) => thrown instanceof Error && message.test(thrown.message)));
}
