import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import { machineAddresses } from './machine-addresses.ts';

test('the addresses of a machine are those of all its interfaces, and none where a sandbox keeps them', () => {
  assert.deepEqual(
    machineAddresses(),
    Object.values(networkInterfaces()).flatMap((addresses) => addresses),
  );
  const refused = (): never => {
    throw new Error('uv_interface_addresses returned Unknown system error 97');
  };
  assert.deepEqual(machineAddresses(refused), []);
});

test('the service of systemd may ask for the addresses of its machine', () => {
  // They come over a netlink socket.
  assert.match(readFileSync('packaging/orch.service', 'utf8'), /^RestrictAddressFamilies=.*\bAF_NETLINK\b/m);
});
