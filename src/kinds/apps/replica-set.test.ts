import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { FieldErrors } from '#errors';
import { cellsOf, write } from '../test-support.ts';
import { ReplicaSet } from './replica-set.ts';

const pod = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const disk = { name: 'v', gcePersistentDisk: { pdName: 'd' } };
const base = { selector: { matchLabels: { a: 'b' } }, template: pod };
const body = (spec: object): { spec: object } => ({ spec: { ...base, ...spec } });
const withDisk = { template: { ...pod, spec: { ...pod.spec, volumes: [disk] } } };

const created: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['nothing wrong', {}, []],
  ['no selector', { selector: null }, ['Required spec.selector', 'Invalid spec.template.metadata.labels']],
  ['a selector that cannot be asked hides the rest', { selector: { matchExpressions: [{ key: 'a', operator: 'No' }] }, template: {} }, ['Invalid spec.selector.matchExpressions[0].operator', 'Invalid spec.selector']],
  ['a disk for one pod', { ...withDisk, replicas: 1 }, []],
  ['a disk for two pods', { ...withDisk, replicas: 2 }, ['Invalid spec.template.spec.volumes[0].gcePersistentDisk.readOnly']],
  ['counts below zero', { replicas: -1, minReadySeconds: -1 }, ['Invalid spec.replicas', 'Invalid spec.minReadySeconds']],
];

for (const [title, spec, causes] of created) {
  test(`ReplicaSet: ${title}`, () => assert.deepEqual(write(ReplicaSet, { body: body(spec) }).causes, causes));
}

test('ReplicaSet: the selector stays', () => {
  const live = write(ReplicaSet, { body: body({}) }).object;
  const other = { selector: { matchLabels: { x: 'y' } }, template: { ...pod, metadata: { labels: { x: 'y' } } } };
  assert.deepEqual(write(ReplicaSet, { body: body(other), live }).causes, ['Invalid spec.selector']);
});

test('ReplicaSet: parts of the status are not larger than the whole', () => {
  const live = write(ReplicaSet, { body: body({}) }).object;
  const status = { replicas: 1, fullyLabeledReplicas: 2, availableReplicas: 1 };
  const { causes } = write(ReplicaSet, { body: { ...body({}), status }, live, subresource: 'status' });
  assert.deepEqual(causes, ['Invalid status.fullyLabeledReplicas', 'Invalid status.availableReplicas']);
});

test('ReplicaSet: columns', () => {
  assert.deepEqual(cellsOf(ReplicaSet, write(ReplicaSet, { body: body({}) }).object), [1, 0, 0, 'c', 'i', 'a=b']);
});

test('ReplicaSet: what is wrong with a changed one is told twice', () => {
  const live = write(ReplicaSet, { body: body({}) }).object;
  const at = new FieldErrors();
  const next = { ...live, spec: { ...Reflect.get(live, 'spec'), minReadySeconds: -1 } };
  ReplicaSet.validate?.(next as never, live as never, at, { brand: brandOf('orch'), subresource: '', nowMs: 0 });
  assert.deepEqual(at.causes.map(({ field }) => field), ['spec.minReadySeconds', 'spec.minReadySeconds']);
});
