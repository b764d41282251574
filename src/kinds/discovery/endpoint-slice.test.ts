import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { toV1, toV1Beta1 } from './endpoint-slice-v1beta1.ts';
import { EndpointSlice, type EndpointSlice as Slice } from './endpoint-slice.ts';


const many = <T>(count: number, one: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => one(at));
const manyPorts = (count: number): object[] => many(count, (at) => ({ name: `p-${at}`, port: 80 }));
const manyLabels = (count: number): object => Object.fromEntries(many(count, (at) => [`l${at}`, 'x']));
const inV4 = (endpoint: object): object => ({ addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'], ...endpoint }] });

const slices: readonly (readonly [what: string, body: object, causes: readonly string[]])[] = [
  ['no type', { endpoints: [] }, ['Required addressType']],
  ['good', { addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'] }], ports: [{ port: 80 }] }, []],
  ['the other family', { addressType: 'IPv6', endpoints: [{ addresses: ['192.0.2.1'] }] }, ['Invalid endpoints[0].addresses[0]']],
  ['no addresses', { addressType: 'IPv4', endpoints: [{ addresses: [] }] }, ['Required endpoints[0].addresses']],
  ['domain names', { addressType: 'FQDN', endpoints: [{ addresses: ['db.example', 'db.example.', 'a.b.c'] }] }, []],
  ['no domain names', { addressType: 'FQDN', endpoints: [{ addresses: ['db', 'db.', '', 'D.b', `${'x'.repeat(64)}.example`] }] }, ['Invalid endpoints[0].addresses[0]', 'Invalid endpoints[0].addresses[1]', 'Required endpoints[0].addresses[2]', 'Invalid endpoints[0].addresses[3]', 'Invalid endpoints[0].addresses[4]']],
  ['an unknown type, whose addresses are any', { addressType: 'Name', endpoints: [{ addresses: ['!'] }] }, ['NotSupported addressType']],
  ['an IPv4 address that is written as one of IPv6', { addressType: 'IPv6', endpoints: [{ addresses: ['2001:db8::1', '::ffff:192.0.2.1'] }] }, ['Invalid endpoints[0].addresses[1]']],
  ['addresses of the machine itself', inV4({ addresses: ['127.0.0.1', '192.0.2.1', '0.0.0.0'] }), ['Invalid endpoints[0].addresses[0]', 'Invalid endpoints[0].addresses[2]']],
  ['as many endpoints as there may be', { addressType: 'IPv4', endpoints: many(1000, () => ({ addresses: ['192.0.2.1'] })) }, []],
  ['one endpoint more, of which nothing is said', { addressType: 'IPv4', endpoints: many(1001, () => ({})) }, ['TooMany endpoints']],
  ['as many addresses as there may be', inV4({ addresses: many(100, (at) => `192.0.2.${at}`) }), []],
  ['one address more', inV4({ addresses: many(101, (at) => `192.0.2.${at}`) }), ['TooMany endpoints[0].addresses']],
  ['as many topology labels as there may be', inV4({ deprecatedTopology: manyLabels(16) }), []],
  ['one topology label more', inV4({ deprecatedTopology: manyLabels(17) }), ['TooMany endpoints[0].deprecatedTopology']],
  ['bad names of node and host', inV4({ nodeName: 'N', hostname: 'a.b' }), ['Invalid endpoints[0].nodeName', 'Invalid endpoints[0].hostname']],
  ['a port of another protocol', { addressType: 'IPv4', endpoints: [], ports: [{ port: 1, protocol: 'ICMP', appProtocol: 'a b' }] }, ['NotSupported ports[0].protocol', 'Invalid ports[0].appProtocol']],
  ['as many ports as there may be', { addressType: 'IPv4', endpoints: [], ports: manyPorts(20_000) }, []],
  ['one port more', { addressType: 'IPv4', endpoints: [], ports: manyPorts(20_001) }, ['TooMany ports']],
  ['a port by a bad name', { addressType: 'IPv4', endpoints: [], ports: [{ name: 'A', port: 1 }] }, ['Invalid ports[0].name']],
  ['a port twice', { addressType: 'IPv4', endpoints: [], ports: [{ port: 1 }, { port: 2 }] }, ['Duplicate ports[1].name']],
];

for (const [what, body, causes] of slices) test(`EndpointSlice: ${what}`, () => assert.deepEqual(write(EndpointSlice, { body }).causes, causes));

test('EndpointSlice: the type stays', () => {
  const live = write(EndpointSlice, { body: { addressType: 'IPv4', endpoints: [] } }).object;
  assert.deepEqual(write(EndpointSlice, { body: { addressType: 'IPv6', endpoints: [] }, live }).causes, ['Invalid addressType']);
});

test('R2.5-12 EndpointSlice: cells', () => {
  const slice = write(EndpointSlice, { body: { addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'] }], ports: [{ name: 'any' }] } }).object as Slice;
  assert.deepEqual(cellsOf(EndpointSlice, slice), ['IPv4', 'any', '192.0.2.1']);
  const many = (count: number): unknown => {
    const endpoints = Array.from({ length: count }, (_, at) => ({ addresses: [`192.0.2.${at + 1}`] }));
    const ports = Array.from({ length: count }, (_, at) => ({ name: `p${at}`, port: at + 1 }));
    return cellsOf(EndpointSlice, write(EndpointSlice, { body: { addressType: 'IPv4', endpoints, ports } }).object as Slice).slice(1);
  };
  assert.deepEqual(many(0), ['<unset>', '<unset>']);
  assert.deepEqual(many(3), ['1,2,3', '192.0.2.1,192.0.2.2,192.0.2.3']);
  assert.deepEqual(many(5), ['1,2,3 + 2 more...', '192.0.2.1,192.0.2.2,192.0.2.3 + 2 more...']);
});

for (const dialect of ['orch', 'kubernetes'] as const) {
  test(`EndpointSlice: from v1beta1 to v1 and back nothing is lost (${dialect})`, () => {
    const brand = brandOf(dialect);
    const zone = `topology.${brand.names.domain}/zone`;
    const before = { apiVersion: 'x/v1beta1', kind: 'EndpointSlice', metadata: {}, endpoints: [{ addresses: ['192.0.2.1'], topology: { [zone]: 'z', other: 'o' } }, { addresses: ['192.0.2.2'] }] };
    const lifted = toV1(structuredClone(before), brand);
    assert.deepEqual(Reflect.get(lifted, 'endpoints'), [
      { addresses: ['192.0.2.1'], zone: 'z', deprecatedTopology: { other: 'o' } },
      { addresses: ['192.0.2.2'] },
    ]);
    assert.deepEqual(toV1Beta1(lifted, brand), before);
  });

  test(`EndpointSlice: v1beta1 shows node and zone as labels, which leave no trace on the way back (${dialect})`, () => {
    const brand = brandOf(dialect);
    const { domain, hostnameLabel } = brand.names;
    const addresses = ['192.0.2.1'];
    const before = { apiVersion: 'x/v1', kind: 'EndpointSlice', metadata: {}, endpoints: [{ addresses, nodeName: 'n' }, { addresses, nodeName: 'n', zone: 'z', deprecatedTopology: { other: 'o' } }] };
    const shown = toV1Beta1(structuredClone(before), brand);
    assert.deepEqual(Reflect.get(shown, 'endpoints'), [
      { addresses, nodeName: 'n', topology: { [hostnameLabel]: 'n' } },
      { addresses, nodeName: 'n', topology: { other: 'o', [`topology.${domain}/zone`]: 'z', [hostnameLabel]: 'n' } },
    ]);
    assert.deepEqual(toV1(shown, brand), before);
  });
}

test('EndpointSlice: a change that is dropped raises the generation all the same', () => {
  const body = (endpoint: object): object => ({ addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'], ...endpoint }] });
  const live = write(EndpointSlice, { body: body({}) }).object;
  live.metadata.generation = 1;
  const next = (endpoint: object): unknown => write(EndpointSlice, { body: body(endpoint), live, version: 'v1' }).object.metadata.generation;
  assert.deepEqual([next({ hints: { forZones: [{ name: 'z' }] } }), next({ deprecatedTopology: { a: 'b' } })], [2, 2]);
});

test('EndpointSlice: hints that are dropped are no change that takes topology labels along', () => {
  const body = (endpoint: object): object => ({ addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'], deprecatedTopology: { a: 'b' }, ...endpoint }] });
  const live = write(EndpointSlice, { body: body({}), version: 'v1beta1' }).object;
  const next = write(EndpointSlice, { body: body({ hints: { forZones: [{ name: 'z' }] } }), live, version: 'v1' }).object as Slice;
  assert.deepEqual(next.endpoints, [{ addresses: ['192.0.2.1'], conditions: {}, deprecatedTopology: { a: 'b' } }]);
});

test('EndpointSlice: hints of one that has some name few zones, each once', () => {
  const body = (...zones: readonly string[]): object => ({ addressType: 'IPv4', endpoints: [{ addresses: ['192.0.2.1'], hints: { forZones: zones.map((name) => ({ name })) } }] });
  const live = { ...write(EndpointSlice, { body: body() }).object, ...body('z') };
  const at = 'endpoints[0].hints.forZones';
  const causes = (...zones: readonly string[]): readonly string[] => write(EndpointSlice, { body: body(...zones), live }).causes;
  const eight = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  assert.deepEqual([causes(...eight), causes(...eight, '!'), causes('z', 'y z', 'z')], [[], [`TooMany ${at}`], [`Invalid ${at}[1].name`, `Duplicate ${at}[2].name`]]);
});

test('EndpointSlice: through v1 topology labels stay until the endpoints change', () => {
  const old = { addresses: ['192.0.2.1'], deprecatedTopology: { a: 'b' } };
  const body = (endpoints: object[], labels: object = {}): object => ({ metadata: { labels }, addressType: 'IPv4', endpoints });
  const live = write(EndpointSlice, { body: body([old]), version: 'v1beta1' }).object;
  const next = (endpoints: object[], version: string): unknown => (write(EndpointSlice, { body: body(endpoints, { x: 'y' }), live, version }).object as Slice).endpoints?.[0]?.deprecatedTopology;
  assert.deepEqual(next([old], 'v1'), { a: 'b' });
  assert.deepEqual(next([old, { addresses: ['192.0.2.2'] }], 'v1'), undefined);
  assert.deepEqual(next([old, { addresses: ['192.0.2.2'] }], 'v1beta1'), { a: 'b' });
});

test('EndpointSlice: the node that a topology label named stays known when the labels go', () => {
  const hostname = brandOf('orch').names.hostnameLabel;
  const on = (node: string, more: object = {}): object => ({ addresses: ['192.0.2.1'], deprecatedTopology: { [hostname]: node }, ...more });
  const body = (...endpoints: object[]): object => ({ addressType: 'IPv4', endpoints });
  const live = write(EndpointSlice, { body: body(on('n-1'), on('Odd_Name')), version: 'v1beta1' }).object;
  const next = write(EndpointSlice, { body: body(on('n-1'), on('n-1', { nodeName: 'n-2' }), on('n-3'), on('Odd_Name'), { addresses: ['192.0.2.1'] }), live, version: 'v1' }).object as Slice;
  assert.deepEqual(next.endpoints?.map(({ nodeName }) => nodeName), ['n-1', 'n-2', undefined, undefined, undefined]);
  assert.ok(next.endpoints?.every(({ deprecatedTopology }) => deprecatedTopology === undefined));
});

test('EndpointSlice: a topology label that names another machine than the node is shown as it was written', () => {
  const brand = brandOf('orch');
  const { hostnameLabel } = brand.names;
  const before = { apiVersion: 'x/v1beta1', kind: 'EndpointSlice', metadata: {}, endpoints: [{ addresses: ['192.0.2.1'], nodeName: 'n', topology: { [hostnameLabel]: 'm' } }] };
  assert.deepEqual(toV1Beta1(toV1(structuredClone(before), brand), brand), before);
});

test('EndpointSlice: a domain name is shown without the dot that it may end with', () => {
  const { messages } = write(EndpointSlice, { body: { addressType: 'FQDN', endpoints: [{ addresses: ['db.'] }] } });
  const label = 'x'.repeat(64);
  const long = write(EndpointSlice, { body: { addressType: 'FQDN', endpoints: [{ addresses: [`${label}.example`] }] } }).messages;
  assert.deepEqual(long, [`Invalid value: "${label}": must be no more than 63 characters`], 'of a long label nothing else is shown');
  assert.deepEqual(messages, ['Invalid value: "db": should be a domain with at least two segments separated by dots']);
});

test('EndpointSlice: a bad name of a port twice is first bad, then twice', () => {
  const { messages } = write(EndpointSlice, { body: { addressType: 'IPv4', endpoints: [], ports: [{ name: 'A' }, { name: 'A' }] } });
  assert.equal(messages.at(-1), 'Duplicate value: "A"');
});
