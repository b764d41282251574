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
  ['hosts and nodes that have no names', { addresses: [{ ip: '192.0.2.1', hostname: 'a.b', nodeName: 'a b' }] }, ['Invalid subsets[0].addresses[0].hostname', 'Invalid subsets[0].addresses[0].nodeName']],
  ['a port with names that are none', { addresses: ADDRESSES, ports: [{ name: 'A', port: 1, appProtocol: 'a b' }] }, ['Invalid subsets[0].ports[0].name', 'Invalid subsets[0].ports[0].appProtocol']],
  ['a bad protocol', { addresses: ADDRESSES, ports: [{ port: 1, protocol: 'ICMP' }] }, ['NotSupported subsets[0].ports[0].protocol']],
];

for (const [what, one, causes] of subsets) test(`Endpoints: ${what}`, () => assert.deepEqual(subset(one), causes));

test('Endpoints: no address leads to what only a node itself should reach, however it is written', () => {
  const isRefused = (ip: string): boolean => subset({ addresses: [{ ip }] }).length > 0;
  const special = ['0.0.0.0', '127.0.0.1', '127.255.255.255', '169.254.0.1', '224.0.0.1', '224.0.0.255', '::', '::1', 'fe80::1', 'febf::1', 'ff02::1', 'ff12::1', '::ffff:127.0.0.1', '::ffff:169.254.169.254', '::ffff:0.0.0.0'];
  assert.deepEqual(special.filter((ip) => !isRefused(ip)), []);
  const beside = ['0.0.0.1', '126.0.0.1', '128.0.0.1', '169.253.0.1', '169.255.0.1', '10.254.0.1', '10.0.0.1', '224.0.1.1', '224.1.0.1', '225.0.0.1', '::2', '1::1', '::1:1', 'fec0::1', 'fd80::1', 'ff05::1', 'fd02::1', '::ffff:10.0.0.1', '::fffe:127.0.0.1'];
  assert.deepEqual(beside.filter(isRefused), []);
  assert.deepEqual(subset({ notReadyAddresses: [{ ip: '::1' }] }), ['Invalid subsets[0].notReadyAddresses[0].ip']);
  const { messages } = write(Endpoints, { body: { subsets: [{ addresses: [{ ip: '0.0.0.0' }, { ip: '127.0.0.1' }] }] } });
  assert.deepEqual(messages.map((text) => text.split(': ').at(-1)), ['may not be unspecified (0.0.0.0)', 'may not be in the loopback range (127.0.0.0/8, ::1/128)']);
});

test('R2.5-12 Endpoints: the cell shows the first three', () => {
  const ips = ['192.0.2.1', '2001:db8::1', '192.0.2.3', '192.0.2.4'].map((ip) => ({ ip }));
  const endpoints = write(Endpoints, { body: { subsets: [{ addresses: ips, ports: [{ port: 80 }] }] } }).object as AnyEndpoints;
  assert.deepEqual(cellsOf(Endpoints, endpoints), ['192.0.2.1:80,[2001:db8::1]:80,192.0.2.3:80 + 1 more...']);
  assert.deepEqual(cellsOf(Endpoints, write(Endpoints, { body: {} }).object as AnyEndpoints), ['<none>']);
});
