// Objects in which each of many could be compared with each of many: no such answer may take longer than its lists are long.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestAnswer } from '#testing';
import { newRequester } from '../support/certificate-requests.ts';
import { brokenInto } from './judge.ts';

const server = brokenInto({ dialect: 'kubernetes' });
const send = (path: string, body: object, method = 'POST'): Promise<TestAnswer> => server().request(method, path, body);
/** So many that comparing each with each takes minutes. */
const many = <T>(count: number, make: (n: number) => T): readonly T[] => Array.from({ length: count }, (_, n) => make(n));

const POD = { containers: [{ name: 'c', image: 'i' }] };
const NAMESPACE = '/api/v1/namespaces/default';

const REFUSED: readonly (readonly [what: string, path: string, body: object])[] = [
  ['a quota with scopes that nobody knows, each shown with all', `${NAMESPACE}/resourcequotas`, { metadata: { name: 'unknown' }, spec: { scopes: many(120_000, (n) => `s${n}`) } }],
  [
    'a quota with scopes beside resources that have none',
    `${NAMESPACE}/resourcequotas`,
    { metadata: { name: 'both' }, spec: { hard: Object.fromEntries(many(60_000, (n) => [`hugepages-${n}Mi`, '1'])), scopes: many(80_000, () => 'BestEffort') } },
  ],
  ['a storage class with empty topologies', '/apis/storage.k8s.io/v1/storageclasses', { metadata: { name: 'empty' }, provisioner: 'p', allowedTopologies: many(200_000, () => ({})) }],
  [
    'a storage class with topologies that differ',
    '/apis/storage.k8s.io/v1/storageclasses',
    { metadata: { name: 'differ' }, provisioner: 'p', allowedTopologies: many(35_000, (n) => ({ matchLabelExpressions: [{ key: 'a/b c', values: [`${n}`] }] })) },
  ],
  [
    'a pod with devices and mounts',
    `${NAMESPACE}/pods`,
    {
      metadata: { name: 'mounts' },
      spec: { containers: [{ name: 'c', image: 'i', volumeMounts: many(30_000, (n) => ({ name: `m${n}`, mountPath: `/m${n}` })), volumeDevices: many(30_000, (n) => ({ name: `d${n}`, devicePath: `/d${n}` })) }] },
    },
  ],
  [
    'a security policy with capabilities that are dropped and allowed',
    '/apis/policy/v1beta1/podsecuritypolicies',
    { metadata: { name: 'capable' }, spec: { requiredDropCapabilities: many(80_000, (n) => `d${n}`), allowedCapabilities: many(80_000, (n) => `a${n}`) } },
  ],
];

test('the account of pods, which no controller makes here', async () => {
  assert.equal((await send(`${NAMESPACE}/serviceaccounts`, { metadata: { name: 'default' } })).status, 201);
});

for (const [what, path, body] of REFUSED) {
  test(`${what}: refused`, async () => {
    const { status, text } = await send(path, body);
    assert.equal(status, 422, text.slice(0, 300));
  });
}

test('tolerations of a pod and of its runtime class', async () => {
  const tolerations = (prefix: string): readonly object[] => many(18_000, (n) => ({ key: 'a', operator: 'Equal', value: `${prefix}${n}`, effect: 'NoSchedule' }));
  const made = await send('/apis/node.k8s.io/v1/runtimeclasses', { metadata: { name: 'long' }, handler: 'h', scheduling: { tolerations: tolerations('x') } });
  assert.equal(made.status, 201, made.text.slice(0, 300));
  const pod = await send(`${NAMESPACE}/pods`, { metadata: { name: 'tolerant' }, spec: { ...POD, runtimeClassName: 'long', tolerations: tolerations('y') } });
  assert.equal(pod.status, 201, pod.text.slice(0, 300));
  assert.equal(pod.body.spec.tolerations.length, 36_002);
});

test('gates and conditions of a pod in a table, and containers that may not start again', async () => {
  const gates = many(25_000, (n) => ({ conditionType: `example.com/g${n}` }));
  const made = await send(`${NAMESPACE}/pods`, { metadata: { name: 'gates' }, spec: { ...POD, restartPolicy: 'Never', readinessGates: gates } });
  assert.equal(made.status, 201, made.text.slice(0, 300));
  const conditions = many(25_000, (n) => ({ type: `example.com/c${n}`, status: 'True' }));
  const told = await server().patch('merge', `${NAMESPACE}/pods/gates/status`, { status: { conditions } });
  assert.equal(told.status, 200, told.text.slice(0, 300));
  const table = await server().request('GET', `${NAMESPACE}/pods/gates`, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });
  assert.equal(table.body.rows[0].cells.at(-1), '0/25000');
  const states = (state: object): readonly object[] => many(16_000, (n) => ({ name: `c${n}`, image: 'i', imageID: '', ready: false, restartCount: 0, state }));
  const ended = await server().patch('merge', `${NAMESPACE}/pods/gates/status`, { status: { conditions: null, containerStatuses: states({ terminated: { exitCode: 0 } }) } });
  assert.equal(ended.status, 200, ended.text.slice(0, 300));
  const again = await server().patch('merge', `${NAMESPACE}/pods/gates/status`, { status: { containerStatuses: states({ running: {} }) } });
  assert.equal(again.status, 422, again.text.slice(0, 300));
});

test('drivers of a node are compared with those of the same name', async () => {
  const path = '/apis/storage.k8s.io/v1/csinodes';
  const drivers = many(12_000, (n) => ({ name: `d${n}`, nodeID: 'n', topologyKeys: null }));
  const made = await send(path, { metadata: { name: 'drivers' }, spec: { drivers } });
  assert.equal(made.status, 201, made.text.slice(0, 300));
  const turned = await send(`${path}/drivers`, { ...made.body, spec: { drivers: drivers.toReversed() } }, 'PUT');
  assert.equal(turned.status, 200, turned.text.slice(0, 300));
});

test('conditions of a certificate request', async () => {
  const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const { base64 } = await (await newRequester()).make({ subject: [{ CN: ['somebody'] }] });
  const made = await send(path, { metadata: { name: 'conditions' }, spec: { request: base64, signerName: 'example.com/signer', usages: ['client auth'] } });
  assert.equal(made.status, 201, made.text.slice(0, 300));
  const conditions = many(15_000, (n) => ({ type: `t${n}`, status: 'True' }));
  for (const all of [conditions, conditions.toReversed()]) {
    const told = await server().patch('merge', `${path}/conditions/status`, { status: { conditions: all } });
    assert.equal(told.status, 200, told.text.slice(0, 300));
  }
});

test('audiences of a token, and those that a review asks about', async () => {
  assert.equal((await send(`${NAMESPACE}/serviceaccounts`, { metadata: { name: 'heard' } })).status, 201);
  const made = await send(`${NAMESPACE}/serviceaccounts/heard/token`, { spec: { audiences: many(5_000, (n) => `a${n}`) } });
  assert.equal(made.status, 201, made.text.slice(0, 300));
  const audiences = [...many(250_000, (n) => `b${n}`), 'a4999', 'a7'];
  const { status, body, text } = await send('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token: made.body.status.token, audiences } });
  assert.equal(status, 201, text.slice(0, 300));
  assert.deepEqual([body.status.authenticated, body.status.audiences], [true, ['a4999', 'a7']]);
});
