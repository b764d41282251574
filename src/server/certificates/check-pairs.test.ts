import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ServerOptions } from '../options.ts';
import { settle } from '../settle-options.ts';
import { createAuthority, createServingCertificate } from './certificates.ts';

const NOW_MS = Date.UTC(2026, 10, 21);
const authority = createAuthority(NOW_MS);
const good = createServingCertificate(authority, ['localhost'], NOW_MS);
const NO_PEM = { cert: '/etc/orch/tls.crt', key: '/etc/orch/tls.key' };

const MISTAKES: readonly (readonly [options: ServerOptions, message: RegExp])[] = [
  [{ listen: { tls: NO_PEM } }, /^option listen\.tls: cert and key are not a certificate and its key, as PEM texts: .*no start line/],
  [{ listen: { tls: { ...good, key: authority.key } } }, /^option listen\.tls: cert and key are not a certificate and its key, as PEM texts: .*mismatch/],
  [{ listen: { tls: { ...good, sniCertificates: [good, NO_PEM] } } }, /^option listen\.tls\.sniCertificates\[1\]: cert and key are not/],
  [{ nodes: { clientCertificate: NO_PEM } }, /^option nodes\.clientCertificate: cert and key are not/],
  [{ listen: { tls: { ...good, clientCa: '/etc/orch/ca.crt' } } }, /^option listen\.tls\.clientCa is no PEM text with certificates: there is none in it$/],
  [{ authentication: { requestHeader: { clientCa: good.key, usernameHeaders: [] } } }, /^option authentication\.requestHeader\.clientCa is no PEM text with certificates/],
];

for (const [options, message] of MISTAKES) test(`the start names the option: ${String(message)}`, () => assert.throws(() => settle(options), { message }));

test('certificates, keys and authorities that are in order start', () => {
  assert.doesNotThrow(() => settle({ listen: { tls: { ...good, clientCa: authority.cert, sniCertificates: [good] } }, nodes: { clientCertificate: good } }));
});
