import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectPlain, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { connect } from 'node:tls';
import { DEFAULT_LIMITS } from './limits.ts';
import { ca, renewedPair, serverPair } from './test-support.ts';
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

test('who speaks without TLS is told so, whatever the method and version of HTTP, also where certificates are chosen by name', async () => {
  const requests = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'CONNECT'].map((method) => `${method} /livez HTTP/1.1\r\nhost: a\r\n\r\n`);
  for (const named of [{}, { sniCertificates: [renewedPair] }]) {
    const front = new TlsFront({ ...serverPair, ...named }, DEFAULT_LIMITS, () => assert.fail('there is no handshake'));
    await once(front.server.listen(0, '127.0.0.1'), 'listening');
    const ask = (words: string): Promise<string> => {
      const socket = connectPlain((front.server.address() as AddressInfo).port, '127.0.0.1');
      socket.write(words);
      return text(socket);
    };
    for (const request of [...requests, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'hello, is anybody there?\r\n\r\n']) {
      assert.equal(await ask(request), 'HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n', request);
    }
    front.server.close();
    await once(front.server, 'close');
  }
});

test('who speaks TLS of a version that is too old is answered in TLS', async () => {
  const front = new TlsFront({ ...serverPair, minVersion: 'TLSv1.3' }, DEFAULT_LIMITS, () => assert.fail('there is no handshake'));
  await once(front.server.listen(0, '127.0.0.1'), 'listening');
  const client = connect({ port: (front.server.address() as AddressInfo).port, host: '127.0.0.1', ca, maxVersion: 'TLSv1.2' });
  const [failure] = (await once(client, 'error')) as [NodeJS.ErrnoException];
  assert.equal(failure.code, 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION');
  front.server.close();
  await once(front.server, 'close');
});
