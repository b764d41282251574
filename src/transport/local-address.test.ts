import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askBackEnd } from './back-end.ts';
import { TransportFailure } from './failure.ts';
import { isLocalAddress } from './local-address.ts';

test('addresses of this machine and its link are local, in all their spellings; others are not', () => {
  const local = ['127.0.0.1', '127.9.9.9', '0.0.0.0', '169.254.169.254', '224.0.0.1', '255.255.255.255', '::1', '::', 'fe80::1', 'ff02::1', '::ffff:127.0.0.1', 'not an address', ''];
  assert.deepEqual(local.filter((ip) => !isLocalAddress(ip)), []);
  assert.deepEqual(['10.0.0.1', '192.168.1.1', '8.8.8.8', 'fd00::1', '2001:db8::1', '::ffff:10.0.0.1'].filter(isLocalAddress), []);
});

test('a back end that may not be local is refused before anything is sent, as an address and as a name', async () => {
  for (const host of ['127.0.0.1', '::1', '169.254.169.254', '0177.0.0.1', '127.1', '2130706433', 'localhost']) {
    const call = askBackEnd({ isSecure: false, host, port: 1, isLocalRefused: true }, { method: 'GET', path: '/', headers: {}, signal: new AbortController().signal });
    await assert.rejects(call, (cause) => cause instanceof TransportFailure && cause.code === 'forbidden-address', host);
  }
});
