import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { NetworkPolicy, type NetworkPolicy as Policy } from './network-policy.ts';

const policy = (spec: object): Policy => write(NetworkPolicy, { body: { spec } }).object as Policy;

test('R2.9-01 R2.9-02 NetworkPolicy: group, version and scope', () => {
  assert.equal(brandOf('orch').group(NetworkPolicy.group), 'networking.orch.io');
  assert.deepEqual([Object.keys(NetworkPolicy.versions), NetworkPolicy.scope], [['v1'], 'Namespaced']);
});

const types: readonly (readonly [line: string, spec: object, types: readonly string[]])[] = [
  ['R2.9-07 unset', {}, ['Ingress']],
  ['R2.9-07 empty', { policyTypes: [] }, ['Ingress']],
  ['R2.9-08 an egress section', { egress: [{}] }, ['Ingress', 'Egress']],
  ['R2.9-09 Egress alone', { policyTypes: ['Egress'] }, ['Egress']],
  ['R2.9-10 an egress section that is empty', { egress: [] }, ['Ingress']],
  ['R2.9-11 an ingress section', { ingress: [{}] }, ['Ingress']],
];

for (const [line, spec, expected] of types) {
  test(`NetworkPolicy: policyTypes: ${line}`, () => assert.deepEqual(policy(spec).spec.policyTypes, expected));
}

const from = (peer: object): object => ({ ingress: [{ from: [peer] }] });
const to = (peer: object): object => ({ egress: [{ to: [peer] }] });
const port = (one: object): object => ({ ingress: [{ ports: [one] }] });
const block = (cidr: string, ...except: readonly string[]): object => from({ ipBlock: { cidr, except } });

const PEER = 'spec.ingress[0].from[0]';
const PORT = 'spec.ingress[0].ports[0]';

const rules: readonly (readonly [line: string, spec: object, causes: readonly string[]])[] = [
  ['R2.9-04 an empty selector', { podSelector: {} }, []],
  ['R2.9-03 a bad selector', { podSelector: { matchLabels: { 'bad key!': 'x' } } }, ['Invalid spec.podSelector.matchLabels']],
  ['R2.9-06 an unknown type', { policyTypes: ['Bogus', 'Egress'] }, ['NotSupported spec.policyTypes[0]']],
  ['R2.9-06 too many types', { policyTypes: ['Ingress', 'Egress', 'Ingress'] }, ['Invalid spec.policyTypes']],
  ['R2.9-06 too many types, of which nothing more is said', { policyTypes: ['Ingress', 'Egress', 'Bogus'] }, ['Invalid spec.policyTypes']],
  ['R2.9-16 R2.9-17 no peers', { ingress: [{ from: [] }] }, []],
  ['R2.9-16 a peer without content', from({}), [`Required ${PEER}`]],
  ['R2.9-22 a peer of egress without content', to({}), ['Required spec.egress[0].to[0]']],
  ['R2.9-25 a block beside a pod selector', from({ ipBlock: { cidr: '10.0.0.0/8' }, podSelector: {} }), [`Forbidden ${PEER}`]],
  [
    'R2.9-25 a block beside a namespace selector',
    to({ ipBlock: { cidr: '10.0.0.0/8' }, namespaceSelector: {} }),
    ['Forbidden spec.egress[0].to[0]'],
  ],
  ['R2.9-28 both selectors', from({ namespaceSelector: {}, podSelector: {} }), []],
  [
    'R2.9-28 a bad namespace selector',
    from({ namespaceSelector: { matchExpressions: [{ key: 'k', operator: 'Exists', values: ['x'] }] } }),
    [`Forbidden ${PEER}.namespaceSelector.matchExpressions[0].values`],
  ],
  ['R2.9-26 a block without cidr', from({ ipBlock: {} }), [`Required ${PEER}.ipBlock.cidr`]],
  ['R2.9-26 no CIDR', block('bad'), [`Invalid ${PEER}.ipBlock.cidr`]],
  ['R2.9-26 no CIDR, and exceptions of it', block('bad', '10.0.0.0/8'), [`Invalid ${PEER}.ipBlock.cidr`]],
  ['R2.9-26 a CIDR of IPv6', block('2001:db8::/32', '2001:db8:1::/48'), []],
  ['R2.9-27 inside', block('10.0.0.0/8', '10.1.0.0/16'), []],
  ['R2.9-27 outside', block('10.0.0.0/8', '11.0.0.0/16'), [`Invalid ${PEER}.ipBlock.except[0]`]],
  ['R2.9-27 the whole block', block('10.0.0.0/8', '10.1.0.0/16', '10.0.0.0/8'), [`Invalid ${PEER}.ipBlock.except[1]`]],
  ['R2.9-27 another family', block('10.0.0.0/8', '::a00:0/120'), [`Invalid ${PEER}.ipBlock.except[0]`]],
  ['R2.9-27 no CIDR', block('10.0.0.0/8', 'bad'), [`Invalid ${PEER}.ipBlock.except[0]`]],
  ['R2.9-33 a port without port', port({}), []],
  ['R2.9-32 a number', port({ port: 80 }), []],
  ['R2.9-32 a name', port({ port: 'dns' }), []],
  ['R2.9-32 zero', port({ port: 0 }), [`Invalid ${PORT}.port`]],
  ['R2.9-32 a bad name', port({ port: 'Bad Name' }), [`Invalid ${PORT}.port`]],
  ['R2.9-34 a range', port({ port: 80, endPort: 90 }), []],
  ['R2.9-36 a range of one', port({ port: 80, endPort: 80 }), []],
  ['R2.9-36 a range backwards', port({ port: 80, endPort: 79 }), [`Invalid ${PORT}.endPort`]],
  ['R2.9-34 a range too far', port({ port: 80, endPort: 70_000 }), [`Invalid ${PORT}.endPort`]],
  ['R2.9-27 no CIDR, and what follows it', block('10.0.0.0/8', '11.0.0.0/16', 'bad', '12.0.0.0/16'), [`Invalid ${PEER}.ipBlock.except[0]`, `Invalid ${PEER}.ipBlock.except[1]`]],
  ['R2.9-35 a range from a bad name', port({ port: 'Bad Name', endPort: 90 }), [`Invalid ${PORT}.endPort`, `Invalid ${PORT}.port`]],
  ['R2.9-35 a range from a name', port({ port: 'http', endPort: 90 }), [`Invalid ${PORT}.endPort`]],
  ['R2.9-35 a range from nowhere', port({ endPort: 90 }), [`Invalid ${PORT}.endPort`]],
  ['R2.9-38 SCTP', port({ protocol: 'SCTP' }), []],
  ['R2.9-38 ICMP', port({ protocol: 'ICMP' }), [`NotSupported ${PORT}.protocol`]],
  ['R2.9-38 an empty protocol', port({ protocol: '' }), [`NotSupported ${PORT}.protocol`]],
];

for (const [line, spec, causes] of rules) {
  test(`NetworkPolicy: ${line}`, () => {
    const created = write(NetworkPolicy, { body: { spec } });
    assert.deepEqual(created.causes, causes);
    assert.deepEqual(write(NetworkPolicy, { body: { spec }, live: policy({}) }).causes, causes);
  });
}

test('R2.9-39 NetworkPolicy: the protocol defaults to TCP, in both directions', () => {
  const { spec } = policy({ ingress: [{ ports: [{}] }], egress: [{ ports: [{ port: 53 }] }] });
  assert.deepEqual([spec.ingress?.[0]?.ports?.[0]?.protocol, spec.egress?.[0]?.ports?.[0]?.protocol], ['TCP', 'TCP']);
});

test('R2.9-31 NetworkPolicy: an empty selector is not an absent one', () => {
  const peer = policy(from({ podSelector: {} })).spec.ingress?.[0]?.from?.[0];
  assert.notEqual(peer?.podSelector, undefined);
  assert.equal(peer?.namespaceSelector, undefined);
});

test('R2.5-12 NetworkPolicy: the column shows the selector', () => {
  assert.deepEqual(cellsOf(NetworkPolicy, policy({ podSelector: { matchLabels: { app: 'a' } } })), ['app=a']);
  assert.deepEqual(cellsOf(NetworkPolicy, policy({})), ['<none>']);
});
