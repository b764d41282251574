import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { Endpoints, type Endpoints as AnyEndpoints } from './endpoints.ts';

const subset = (one: object): readonly string[] => write(Endpoints, { body: { subsets: [one] } }).causes;
const ADDRESSES = [{ ip: '192.0.2.1' }];

const subsets: readonly (readonly [what: string, one: object, causes: readonly string[]])[] = [
  ['no address', {}, ['Required subsets[0]']],
  ['only addresses that are not ready', { notReadyAddresses: ADDRESSES }, []],
  ['no IP', { addresses: [{ ip: 'x' }] }, ['Invalid subsets[0].addresses[0].ip']],
  ['link-local', { addresses: [{ ip: '169.254.169.254' }, { ip: 'fe80::1' }] }, ['Invalid subsets[0].addresses[0].ip', 'Invalid subsets[0].addresses[1].ip']],
  ['ports without names', { addresses: ADDRESSES, ports: [{ port: 1 }, { name: 'b', port: 2 }] }, ['Required subsets[0].ports[0].name']],
  ['a bad protocol', { addresses: ADDRESSES, ports: [{ port: 1, protocol: 'ICMP' }] }, ['NotSupported subsets[0].ports[0].protocol']],
];

for (const [what, one, causes] of subsets) test(`Endpoints: ${what}`, () => assert.deepEqual(subset(one), causes));

test('R2.5-12 Endpoints: the cell shows the first three', () => {
  const ips = ['192.0.2.1', '2001:db8::1', '192.0.2.3', '192.0.2.4'].map((ip) => ({ ip }));
  const endpoints = write(Endpoints, { body: { subsets: [{ addresses: ips, ports: [{ port: 80 }] }] } }).object as AnyEndpoints;
  assert.deepEqual(cellsOf(Endpoints, endpoints), ['192.0.2.1:80,[2001:db8::1]:80,192.0.2.3:80 + 1 more...']);
  assert.deepEqual(cellsOf(Endpoints, write(Endpoints, { body: {} }).object as AnyEndpoints), ['<none>']);
});
