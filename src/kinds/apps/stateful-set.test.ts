import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { StatefulSet, type StatefulSet as Set } from './stateful-set.ts';

const pod = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const base = { serviceName: 's', selector: { matchLabels: { a: 'b' } }, template: pod };
const body = (spec: object): { spec: object } => ({ spec: { ...base, ...spec } });
const stored = (spec: object = {}): Set => write(StatefulSet, { body: body(spec) }).object as Set;

const created: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['nothing wrong', {}, []],
  ['no name of a service', { serviceName: '' }, []],
  ['a pod that is not looked at before it is made', { template: { ...pod, spec: { containers: [] } } }, []],
  ['claims that are not looked at before they are made', { volumeClaimTemplates: [{ metadata: { name: 'Bad_' } }] }, []],
  ['an unknown order', { podManagementPolicy: 'Bogus' }, ['Invalid spec.podManagementPolicy']],
  ['an unknown strategy', { updateStrategy: { type: 'Bogus' } }, ['Invalid spec.updateStrategy']],
  ['parameters of another strategy', { updateStrategy: { type: 'OnDelete', rollingUpdate: {} } }, ['Invalid spec.updateStrategy.rollingUpdate']],
  ['a partition below zero', { updateStrategy: { rollingUpdate: { partition: -1 } } }, ['Invalid spec.updateStrategy.rollingUpdate.partition']],
  ['counts below zero', { replicas: -1, minReadySeconds: -1 }, ['Invalid spec.replicas', 'Invalid spec.minReadySeconds']],
  ['no selector', { selector: null }, ['Required spec.selector', 'Invalid spec.template.metadata.labels']],
  ['a selector of everything', { selector: {} }, ['Invalid spec.selector']],
  ['other labels', { selector: { matchLabels: { a: 'x' } } }, ['Invalid spec.template.metadata.labels']],
  ['a selector that cannot be asked', { selector: { matchLabels: { a: '!' } } }, ['Invalid spec.selector.matchLabels', 'Invalid spec.selector']],
  ['a pod with a deadline', { template: { ...pod, spec: { ...pod.spec, activeDeadlineSeconds: 5 } } }, ['Forbidden spec.template.spec.activeDeadlineSeconds']],
  ['pods with annotations that are none', { template: { ...pod, metadata: { ...pod.metadata, annotations: { 'a b': '' } } } }, ['Invalid spec.template.annotations']],
  ['pods with labels that are none', { template: { ...pod, metadata: { labels: { a: 'b', 'a b': '' } } } }, ['Invalid spec.template.labels']],
  ['pods with a cost that is no number', { template: { ...pod, metadata: { ...pod.metadata, annotations: { 'controller.orch.io/pod-deletion-cost': 'much' } } } }, ['Invalid spec.template.annotations[controller.orch.io/pod-deletion-cost]']],
  ['a pod that ends', { template: { ...pod, spec: { ...pod.spec, restartPolicy: 'Never' } } }, ['NotSupported spec.template.spec.restartPolicy']],
];

for (const [title, spec, causes] of created) {
  test(`StatefulSet: ${title}`, () => assert.deepEqual(write(StatefulSet, { body: body(spec) }).causes, causes));
}

test('StatefulSet: a strategy brings its parameters along only where it is not spelled out', () => {
  assert.deepEqual(stored().spec.updateStrategy, { type: 'RollingUpdate', rollingUpdate: { partition: 0 } });
  assert.deepEqual(stored({ updateStrategy: { type: 'RollingUpdate' } }).spec.updateStrategy, { type: 'RollingUpdate' });
  assert.deepEqual(stored({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: {} } }).spec.updateStrategy.rollingUpdate, { partition: 0 });
});

test('StatefulSet: claims say what they are', () => {
  const [claim] = stored({ volumeClaimTemplates: [{ metadata: { name: 'data' } }] }).spec.volumeClaimTemplates ?? [];
  assert.deepEqual([claim?.apiVersion, claim?.kind, claim?.spec.volumeMode, claim?.status.phase], ['v1', 'PersistentVolumeClaim', 'Filesystem', 'Pending']);
});

test('StatefulSet: claims say what they are, whatever the request called them', () => {
  const [claim] = stored({ volumeClaimTemplates: [{ apiVersion: 'a/v2', kind: 'Other', metadata: { name: 'data' } }] }).spec.volumeClaimTemplates ?? [];
  assert.deepEqual([claim?.apiVersion, claim?.kind], ['v1', 'PersistentVolumeClaim']);
});

test('StatefulSet: the policy for claims belongs to a feature that is off', () => {
  assert.equal(stored({ persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete' } }).spec.persistentVolumeClaimRetentionPolicy, undefined);
});

test('StatefulSet: one that is stored with a policy for claims keeps it, and may change it', () => {
  const live = stored();
  const policy = (whenDeleted: string, whenScaled?: string): object => ({ persistentVolumeClaimRetentionPolicy: { whenDeleted, ...(whenScaled && { whenScaled }) } });
  Object.assign(live.spec, policy('Delete', 'Retain'));
  const update = (spec: object): ReturnType<typeof write> => write(StatefulSet, { body: body(spec), live });
  const { object, causes } = update({ ...policy('Retain', 'Delete'), replicas: 2 });
  assert.deepEqual([causes, (object as Set).spec.persistentVolumeClaimRetentionPolicy], [[], { whenDeleted: 'Retain', whenScaled: 'Delete' }]);
  const here = 'spec.persistentVolumeClaimRetentionPolicy';
  assert.deepEqual(update(policy('Never')).causes, [`NotSupported ${here}.whenDeleted`, `NotSupported ${here}.whenScaled`]);
});

const changes: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['what may change', { replicas: 3, minReadySeconds: 1, updateStrategy: { type: 'OnDelete' }, template: { ...pod, spec: { containers: [] } } }, []],
  ['the service', { serviceName: 'x' }, ['Forbidden spec']],
  ['the claims', { volumeClaimTemplates: [{ metadata: { name: 'data' } }] }, ['Forbidden spec']],
  ['several at once', { revisionHistoryLimit: 1, podManagementPolicy: 'Parallel' }, ['Forbidden spec']],
];

test('StatefulSet: numbers of an update are held to their rules twice', () => {
  const { messages } = write(StatefulSet, { body: body({ replicas: -1 }), live: stored() });
  assert.deepEqual(messages, Array(2).fill('Invalid value: -1: must be greater than or equal to 0'));
});

for (const [title, spec, causes] of changes) {
  test(`StatefulSet: an update of ${title}`, () => assert.deepEqual(write(StatefulSet, { body: body(spec), live: stored() }).causes, causes));
}

test('StatefulSet: parts of the status are not larger than the whole', () => {
  const status = { replicas: 1, readyReplicas: 2, currentReplicas: -1, availableReplicas: 3, collisionCount: 0 };
  const live = stored();
  live.status.collisionCount = 1;
  assert.deepEqual(write(StatefulSet, { body: { ...body({}), status }, live, subresource: 'status' }).causes, [
    'Invalid status.currentReplicas',
    'Invalid status.readyReplicas',
    'Invalid status.availableReplicas',
    'Invalid status.collisionCount',
  ]);
});

test('StatefulSet: columns', () => assert.deepEqual(cellsOf(StatefulSet, stored({ replicas: 2 })), ['0/2', 'c', 'i']));

test('StatefulSet: claims that ask for the same in other words are the same', () => {
  const claims = (storage: string): object => ({ volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: { resources: { requests: { storage } } } }] });
  const causes = (storage: string): readonly string[] => write(StatefulSet, { body: body(claims(storage)), live: stored(claims('1Gi')) }).causes;
  assert.deepEqual(causes('1073741824'), []);
  assert.deepEqual(causes('2Gi'), ['Forbidden spec']);
});

test('StatefulSet: counts below zero are told again of a change, and of pods that are available more than are ready', () => {
  assert.equal(write(StatefulSet, { body: body({ replicas: -1, minReadySeconds: -1 }), live: stored() }).messages.length, 4);
  const status = { replicas: 3, readyReplicas: 1, availableReplicas: 2 };
  assert.deepEqual(write(StatefulSet, { body: { ...body({}), status }, live: stored(), subresource: 'status' }).messages, ['Invalid value: 2: cannot be greater than readyReplicas']);
});
