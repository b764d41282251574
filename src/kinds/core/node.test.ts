import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { Node, type Node as NodeObject } from './node.ts';

const TAINT = { key: 'k', value: 'v', effect: 'NoSchedule' };
const taint = (more: object): object => ({ spec: { taints: [{ ...TAINT, ...more }] } });

const cases: readonly (readonly [title: string, body: object, causes: readonly string[]])[] = [
  ['a node', {}, []],
  ['ranges of both families', { spec: { podCIDRs: ['10.0.0.0/24', 'fd00::/64'] } }, []],
  ['ranges of one', { spec: { podCIDRs: ['10.0.0.0/24', '10.0.1.0/24'] } }, ['Invalid spec.podCIDRs']],
  ['one range of a family more', { spec: { podCIDRs: ['10.0.0.0/24', 'fd00::/64', '10.1.0.0/24'] } }, ['Invalid spec.podCIDRs']],
  ['no range of two families', { spec: { podCIDRs: ['10.0.0.0/24', 'x:'] } }, ['Invalid spec.podCIDRs[1]', 'InternalError spec.podCIDRs', 'Invalid spec.podCIDRs']],
  ['a range twice', { spec: { podCIDRs: ['10.0.0.0/24', '10.0.0.0/24'] } }, ['Invalid spec.podCIDRs', 'Duplicate spec.podCIDRs[1]']],
  ['no range of two', { spec: { podCIDRs: ['10.0.0.0/24', 'x'] } }, ['Invalid spec.podCIDRs[1]', 'InternalError spec.podCIDRs', 'Invalid spec.podCIDRs']],
  ['no range', { spec: { podCIDR: '10.0.0.0' } }, ['Invalid spec.podCIDRs[0]']],
  ['a taint', taint({}), []],
  ['a taint without key', taint({ key: '' }), ['Invalid metadata.taints[0].key']],
  ['a taint with a bad value', taint({ value: 'a b' }), ['Invalid metadata.taints[0].value']],
  ['a taint without effect', taint({ effect: '' }), ['Required metadata.taints[0].effect']],
  ['a taint with another', taint({ effect: 'Panic' }), ['NotSupported metadata.taints[0].effect']],
  ['a taint twice', { spec: { taints: [TAINT, { ...TAINT, value: 'w' }] } }, ['Duplicate metadata.taints[1]']],
  ['less than nothing', { status: { capacity: { cpu: '-1' }, allocatable: { cpu: '1' } } }, ['Invalid status.capacity.cpu']],
  ['half a pod', { status: { capacity: { pods: '500m' }, allocatable: { cpu: '1' } } }, ['Invalid status.capacity.pods']],
];

const AVOIDED = 'scheduler.alpha.orch.io/preferAvoidPods';
const noted = (key: string, value: unknown): object => ({ metadata: { annotations: { [key]: typeof value === 'string' ? value : JSON.stringify(value) } } });
const avoiding = (podSignature: unknown): object => noted(AVOIDED, { preferAvoidPods: [{ podSignature }] });
const TAINTS = 'scheduler.alpha.orch.io/taints';

const annotated: readonly (readonly [title: string, body: object, causes: readonly string[]])[] = [
  ['pods of a controller avoided', avoiding({ podController: { name: 'a', controller: true } }), []],
  ['member names in other capitals', avoiding({ PodController: { Controller: true } }), []],
  ['pods of no controller avoided', avoiding({}), [`Required metadata.annotations.${AVOIDED}[0].PodSignature`]],
  ['pods of an owner avoided', avoiding({ podController: { controller: false } }), [`Invalid metadata.annotations.${AVOIDED}[0].PodSignature.PodController.Controller`]],
  ['pods of who knows whom avoided', avoiding({ podController: {} }), [`Invalid metadata.annotations.${AVOIDED}[0].PodSignature.PodController.Controller`]],
  ['no pods avoided', noted(AVOIDED, { preferAvoidPods: null }), []],
  ['nothing said of pods', noted(AVOIDED, ''), []],
  ['pods avoided in no JSON', noted(AVOIDED, '{'), ['Invalid metadata.annotations.AvoidPods']],
  ['pods avoided in a list', noted(AVOIDED, []), ['Invalid metadata.annotations.AvoidPods']],
  ['a taint of old', noted(TAINTS, [TAINT]), []],
  ['a bad taint of old', noted(TAINTS, [{ ...TAINT, effect: '' }]), [`Required metadata.annotations.${TAINTS}[0].effect`]],
  ['taints in no list', noted(TAINTS, {}), ['Invalid metadata.annotations']],
];

for (const [title, body, causes] of annotated) {
  test(`Node: ${title}`, () => {
    assert.deepEqual(write(Node, { body }).causes, causes);
    assert.deepEqual(write(Node, { body, live: write(Node, { body: {} }).object, subresource: 'status' }).causes, causes);
  });
}

test('Node: what is wrong with JSON is said in words that clients know', () => {
  const said = (value: string): readonly string[] => write(Node, { body: noted(AVOIDED, value) }).messages;
  assert.deepEqual(said('{'), [`Invalid value: "${AVOIDED}": unexpected end of JSON input`]);
  assert.deepEqual(said('[]'), [`Invalid value: "${AVOIDED}": json: cannot unmarshal array into Go value of type v1.AvoidPods`]);
});

test('Node: a taint that is there twice is shown whole', () => {
  const { messages } = write(Node, { body: { spec: { taints: [TAINT, { ...TAINT, value: 'w' }] } } });
  assert.deepEqual(messages, ['Duplicate value: core.Taint{Key:"k", Value:"w", Effect:"NoSchedule", TimeAdded:<nil>}: taints must be unique by key and effect pair']);
});

test('Node: each range that changed is said', () => {
  const live = write(Node, { body: { spec: { podCIDRs: ['10.0.0.0/24', 'fd00::/64'] } } }).object;
  const count = (podCIDRs: readonly string[]): number => write(Node, { body: { spec: { podCIDRs } }, live }).messages.length;
  assert.deepEqual([count(['10.1.0.0/24', 'fd01::/64']), count(['10.1.0.0/24', 'fd00::/64']), count(['10.0.0.0/24']), count(['10.1.0.0/24'])], [2, 1, 1, 1]);
});

for (const [title, body, causes] of cases) test(`Node: ${title}`, () => assert.deepEqual(write(Node, { body }).causes, causes));

test('Node: the range and the list of ranges say the same, and what is not taken is left', () => {
  const made = (body: object): NodeObject => write(Node, { body }).object as NodeObject;
  assert.deepEqual(made({ spec: { podCIDR: '10.0.0.0/24' } }).spec.podCIDRs, ['10.0.0.0/24']);
  assert.equal(made({ spec: { podCIDRs: ['10.0.0.0/24'] } }).spec.podCIDR, '10.0.0.0/24');
  assert.deepEqual(made({ spec: { podCIDR: '10.0.0.0/24', podCIDRs: ['10.9.0.0/24'] } }).spec.podCIDRs, ['10.0.0.0/24']);
  assert.deepEqual(made({ status: { capacity: { cpu: '1' } } }).status.allocatable, { cpu: '1' });
  assert.deepEqual(made({ status: { capacity: { cpu: '2' }, allocatable: { cpu: '1' } } }).status.allocatable, { cpu: '1' });
});

test('Node: ranges and provider are given once', () => {
  const spec = { podCIDR: '10.0.0.0/24', providerID: 'p://a' };
  const { object: live } = write(Node, { body: { spec } });
  const causes = (body: object): readonly string[] => write(Node, { body, live }).causes;
  assert.deepEqual(write(Node, { body: { spec }, live: write(Node, { body: {} }).object }).causes, []);
  assert.deepEqual(causes({ spec: { ...spec, unschedulable: true, taints: [TAINT] } }), []);
  assert.deepEqual(causes({ spec: { podCIDR: '10.1.0.0/24', providerID: 'p://b', externalID: 'x' } }), [
    'Forbidden spec.podCIDRs',
    'Forbidden spec.providerID',
    'Forbidden spec.externalID',
  ]);
  const addresses = [
    { type: 'InternalIP', address: '10.0.0.1' },
    { type: 'InternalIP', address: '10.0.0.1' },
  ];
  assert.deepEqual(causes({ spec, status: { addresses } }), ['Duplicate status.addresses[1]']);
});

test('R2.5-12 Node: columns', () => {
  const cells = (body: object): readonly unknown[] => cellsOf(Node, write(Node, { body }).object);
  assert.deepEqual(cells({}), ['Unknown', '<none>', '<unknown>', '', '<none>', '<none>', '<unknown>', '<unknown>', '<unknown>']);
  const body = {
    metadata: { labels: { 'node-role.orch.io/worker': '', 'node-role.orch.io/edge': '' } },
    spec: { unschedulable: true },
    status: { conditions: [{ type: 'Ready', status: 'False' }], addresses: [{ type: 'ExternalIP', address: '1.2.3.4' }], nodeInfo: { kubeletVersion: 'v1' } },
  };
  assert.deepEqual(cells(body).slice(0, 6), ['NotReady,SchedulingDisabled', 'edge,worker', '<unknown>', 'v1', '<none>', '1.2.3.4']);
});

test('Node: amounts are looked at whoever reports them; what a driver offers cannot be divided', () => {
  const live = write(Node, { body: {} }).object as NodeObject;
  const causes = (status: object): readonly string[] => write(Node, { body: { status }, live, subresource: 'status' }).causes;
  assert.deepEqual(causes({ capacity: { cpu: '-1' }, allocatable: { pods: '500m' } }), ['Invalid status.capacity.cpu', 'Invalid status.allocatable.pods']);
  assert.deepEqual(causes({ capacity: { 'example.com/gpu': '500m' } }), ['Invalid status.capacity.example.com/gpu', 'Invalid status.allocatable.example.com/gpu']);
  assert.deepEqual(causes({ capacity: { cpu: '500m', 'example.com/gpu': '2' } }), []);
});

test('Node: nothing finer than a thousandth is kept', () => {
  assert.deepEqual((write(Node, { body: { status: { capacity: { cpu: '1500u' } } } }).object as NodeObject).status.capacity, { cpu: '2m' });
});

const CONFIG = { namespace: 'n', name: 'kubelet', kubeletConfigKey: 'kubelet' };
const REVISION = { uid: 'u', resourceVersion: '7' };
const configured = (own: object, reported: object = { ...CONFIG, ...REVISION }): object => ({
  spec: { configSource: { configMap: own } },
  status: { config: { assigned: { configMap: reported }, error: 'e' } },
});
const EARLIER = { ...(write(Node, { body: {} }).object as NodeObject), ...configured(CONFIG) } as unknown as NodeObject;

test('Node: who configured a kubelet from a map keeps that, who did not cannot begin', () => {
  const { object, causes } = write(Node, { body: configured({ ...CONFIG, name: 'next' }), live: EARLIER });
  assert.deepEqual([causes, (object as NodeObject).spec.configSource?.configMap?.name, (object as NodeObject).status.config?.error], [[], 'next', 'e']);
  for (const live of [undefined, write(Node, { body: {} }).object]) {
    const plain = write(Node, { body: configured({}, {}), ...(live && { live }) });
    assert.deepEqual([plain.causes, (plain.object as NodeObject).spec.configSource, (plain.object as NodeObject).status.config], [[], undefined, undefined]);
  }
  const given = write(Node, { body: {}, live: EARLIER }).object as NodeObject;
  assert.deepEqual([given.spec.configSource, given.status.config], [undefined, undefined]);
});

const configs: readonly (readonly [title: string, body: object, causes: readonly string[], messages: readonly string[]])[] = [
  [
    'with nothing',
    configured({}, {}),
    [
      ...['namespace', 'name', 'kubeletConfigKey'].map((name) => `Required spec.configSource.configMap.${name}`),
      ...['uid', 'resourceVersion', 'namespace', 'name', 'kubeletConfigKey'].map((name) => `Required status.config.assigned.configMap.${name}`),
    ],
    [
      ...['namespace', 'name', 'kubeletConfigKey'].map((name) => `Required value: ${name} must be set`),
      ...['uid must be set in status', 'resourceVersion must be set in status'].map((why) => `Required value: ${why}`),
      ...['namespace', 'name', 'kubeletConfigKey'].map((name) => `Required value: ${name} must be set`),
    ],
  ],
  [
    'with a revision',
    configured({ ...CONFIG, ...REVISION }),
    ['Forbidden spec.configSource.configMap.uid', 'Forbidden spec.configSource.configMap.resourceVersion'],
    ['Forbidden: uid must not be set in spec', 'Forbidden: resourceVersion must not be set in spec'],
  ],
  [
    'elsewhere than in a map',
    { spec: { configSource: {} } },
    ['Invalid spec.configSource'],
    ['Invalid value: core.NodeConfigSource{ConfigMap:(*core.ConfigMapNodeConfigSource)(nil)}: exactly one reference subfield must be non-nil'],
  ],
];
for (const [title, body, causes, messages] of configs) {
  test(`Node: the configuration of a kubelet ${title}`, () => {
    const outcome = write(Node, { body, live: EARLIER });
    assert.deepEqual([outcome.causes, outcome.messages], [causes, messages]);
  });
}

test('Node: names in the configuration of a kubelet are names', () => {
  const causes = ['namespace', 'name', 'kubeletConfigKey'].map((name) => `Invalid spec.configSource.configMap.${name}`);
  assert.deepEqual(write(Node, { body: configured({ namespace: 'N', name: 'N', kubeletConfigKey: '/' }), live: EARLIER }).causes, causes);
});

test('Node: the configuration of a kubelet from a map is warned of where it is written', () => {
  const context = { brand: brandOf('orch'), subresource: '', nowMs: 0 };
  assert.deepEqual(Node.warn?.(EARLIER, EARLIER, context), ['spec.configSource: deprecated in v1.22, support removal is planned in v1.23']);
  assert.deepEqual(Node.warn?.(write(Node, { body: {} }).object as NodeObject, EARLIER, context), []);
  assert.deepEqual(Node.warn?.(EARLIER, EARLIER, { ...context, subresource: 'status' }), []);
});
