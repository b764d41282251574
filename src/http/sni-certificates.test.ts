import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SniCertificates } from './sni-certificates.ts';

test('an address is given as sockets write it, also that of IPv4 on a socket of both families, and no star stands for one', () => {
  const named = new SniCertificates(
    [
      { cert: 'one', key: '', names: ['10.0.0.1', '*.0.0.2'] },
      { cert: 'two', key: '', names: ['fd00::1'] },
    ],
    ({ cert }) => cert,
  );
  const shown = ['10.0.0.1', '::ffff:10.0.0.1', 'fd00::1', '10.0.0.2', undefined].map((address) => named.get(undefined, address));
  assert.deepEqual(shown, ['one', 'one', 'two', undefined, undefined]);
});
