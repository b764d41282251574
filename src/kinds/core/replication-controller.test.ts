import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { PodTemplate, type PodTemplate as Template } from './pod-template.ts';
import { ReplicationController, type ReplicationController as Controller } from './replication-controller.ts';

const TEMPLATE = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };

test('ReplicationController: selector, labels and replicas follow from the template', () => {
  const { object, causes } = write(ReplicationController, { body: { spec: { template: TEMPLATE } } });
  const { spec, metadata } = object as Controller;
  assert.deepEqual([causes, spec.selector, metadata.labels, spec.replicas], [[], { app: 'a' }, { app: 'a' }, 1]);
  assert.deepEqual(cellsOf(ReplicationController, object as Controller), [1, 0, 0, 'c', 'i', 'app=a']);
});

const specs: readonly (readonly [what: string, spec: object, causes: readonly string[]])[] = [
  ['nothing', {}, ['Required spec.selector', 'Required spec.template']],
  ['a selector that looks elsewhere', { selector: { app: 'b' }, template: TEMPLATE }, ['Invalid spec.template.metadata.labels']],
  ['less than none', { replicas: -1, template: TEMPLATE }, ['Invalid spec.replicas']],
  ['pods that end', { template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never' } } }, ['NotSupported spec.template.spec.restartPolicy']],
];

for (const [what, spec, causes] of specs) {
  test(`ReplicationController: ${what}`, () => assert.deepEqual(write(ReplicationController, { body: { spec } }).causes, causes));
}

test('ReplicationController: warnings name the template without the spec, faults name the kind', () => {
  const template = { ...TEMPLATE, spec: { ...TEMPLATE.spec, activeDeadlineSeconds: 5, volumes: [{ name: 'a', gitRepo: { repository: 'r' } }] } };
  const { object, causes } = write(ReplicationController, { body: { spec: { template } } });
  const context = { brand: brandOf('orch'), subresource: '', nowMs: 0 };
  assert.deepEqual(ReplicationController.warn?.(object as Controller, undefined, context), ['template.spec.volumes[0].gitRepo: deprecated in v1.11']);
  assert.deepEqual(causes, ['Forbidden spec.template.spec.activeDeadlineSeconds']);
});

test('ReplicationController: a write of the status without labels leaves those that the pods have', () => {
  const live = write(ReplicationController, { body: { spec: { template: TEMPLATE } } }).object as Controller;
  // The spec is that of the live object by then, whatever was sent.
  const next = { ...live, metadata: { name: 'a' } } as Controller;
  ReplicationController.prepare?.(next, live, { brand: brandOf('orch'), subresource: 'status', nowMs: 0 });
  assert.deepEqual(next.metadata.labels, TEMPLATE.metadata.labels);
});

test('ReplicationController: what it leaves behind stays, unless the request says otherwise', () => assert.equal(ReplicationController.cascade, 'orphan'));

test('PodTemplate: the template is checked, and shown', () => {
  assert.deepEqual(write(PodTemplate, { body: { template: {} } }).causes, ['Required template.spec.containers']);
  const template = write(PodTemplate, { body: { template: TEMPLATE } }).object as Template;
  assert.deepEqual(cellsOf(PodTemplate, template), ['a', 'c', 'i', 'app=a']);
});

test('ReplicationController: what no newer version could say stays', () => {
  const spec = { template: TEMPLATE };
  const live = (path: string): Controller => write(ReplicationController, { body: { metadata: { annotations: { [`non-convertible.orch.io/${path}`]: 'x' } }, spec } }).object as Controller;
  const other = { selector: { app: 'a', b: 'c' }, template: { ...TEMPLATE, metadata: { labels: { app: 'a', b: 'c' } } } };
  const causes = (path: string, body: object): readonly string[] => write(ReplicationController, { body, live: live(path) }).causes;
  assert.deepEqual(causes('spec.selector', { spec: other }), ['Invalid spec.selector']);
  assert.deepEqual(causes('spec.selector', { spec }), []);
  assert.deepEqual(causes('spec.other', { spec }), ['NotFound spec.other']);
  assert.deepEqual(causes('spec.selector/more', { spec: other }), []);
});

test('ReplicationController: a change is warned about for the template that was there, at its place', () => {
  const context = { brand: brandOf('orch'), subresource: '', nowMs: 0 };
  const withVolume = (volume: object): Controller =>
    write(ReplicationController, { body: { spec: { template: { ...TEMPLATE, spec: { ...TEMPLATE.spec, volumes: [{ name: 'v', ...volume }] } } } } }).object as Controller;
  const [old, plain] = [withVolume({ gitRepo: { repository: 'r' } }), withVolume({})];
  old.metadata.generation = 1;
  plain.metadata.generation = 2;
  assert.deepEqual(ReplicationController.warn?.(plain, old, context), ['spec.template.spec.volumes[0].gitRepo: deprecated in v1.11']);
  assert.deepEqual(ReplicationController.warn?.(old, plain, context), []);
});

test('ReplicationController: a disk that pods share is a fault before the policy that ends them', () => {
  const template = { ...TEMPLATE, spec: { ...TEMPLATE.spec, restartPolicy: 'Never', volumes: [{ name: 'v', gcePersistentDisk: { pdName: 'd' } }] } };
  assert.deepEqual(write(ReplicationController, { body: { spec: { replicas: 2, template } } }).causes, [
    'Invalid spec.template.spec.volumes[0].gcePersistentDisk.readOnly',
    'NotSupported spec.template.spec.restartPolicy',
  ]);
});
