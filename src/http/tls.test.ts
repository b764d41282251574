import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { DEFAULT_LIMITS } from './limits.ts';
import { ca, serverPair } from './test-support.ts';
import { TlsFront } from './tls.ts';

test('a certificate with a key of another kind is not listened with, and replaces none', async () => {
  const mixed = { ...serverPair, key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
  const wrong = /the key is not that of the first certificate/;
  const open = (tls: typeof serverPair): TlsFront => new TlsFront(tls, DEFAULT_LIMITS, () => {});
  assert.throws(() => open(mixed), wrong);
  const front = open(serverPair);
  await once(front.server.listen(0, '127.0.0.1'), 'listening');
  assert.throws(() => front.replace(mixed), wrong);
  assert.throws(() => front.replace({ ...serverPair, sniCertificates: [mixed] }), wrong);
  const client = connect({ port: (front.server.address() as AddressInfo).port, host: '127.0.0.1', ca });
  await once(client, 'secureConnect');
  client.destroy();
  front.server.close();
});
