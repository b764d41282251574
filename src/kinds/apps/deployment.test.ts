import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { Deployment, type Deployment as Kind } from './deployment.ts';

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'img:1' }] } };
const specWith = (more: object = {}): object => ({ selector: { matchLabels: { app: 'a' } }, template, ...more });
const create = (more: object = {}): Kind => write(Deployment, { body: { spec: specWith(more) } }).object as Kind;

test('Deployment: what a new one gets that says nothing', () => {
  const { template: _, selector: __, ...rest } = create().spec;
  assert.deepEqual(rest, {
    replicas: 1,
    strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' } },
    revisionHistoryLimit: 10,
    progressDeadlineSeconds: 600,
  });
  assert.deepEqual(create({ strategy: { type: 'Recreate' } }).spec.strategy, { type: 'Recreate' });
  assert.deepEqual(create({ replicas: 0, strategy: { rollingUpdate: { maxSurge: 0 } } }).spec.strategy.rollingUpdate, { maxUnavailable: '25%', maxSurge: 0 });
});

const rows: readonly (readonly [spec: object, causes: readonly string[]])[] = [
  [{}, ['Required selector', 'Invalid template.metadata.labels', 'Required template.spec.containers']],
  [specWith(), []],
  [specWith({ selector: {} }), ['Invalid selector']],
  [specWith({ selector: { matchLabels: { app: 'b' } } }), ['Invalid template.metadata.labels']],
  [specWith({ selector: { matchLabels: { app: 'a b' } } }), ['Invalid selector.matchLabels', 'Invalid selector']],
  [specWith({ selector: { matchExpressions: [{ key: 'app', operator: 'x' }] } }), ['Invalid selector.matchExpressions[0].operator', 'Invalid selector']],
  [specWith({ replicas: -1 }), ['Invalid replicas']],
  [specWith({ minReadySeconds: -1, revisionHistoryLimit: -1 }), ['Invalid minReadySeconds', 'Invalid revisionHistoryLimit']],
  [specWith({ minReadySeconds: 5, progressDeadlineSeconds: 5 }), ['Invalid progressDeadlineSeconds']],
  [specWith({ strategy: { type: 'x' } }), ['NotSupported strategy']],
  [specWith({ strategy: { type: 'Recreate', rollingUpdate: {} } }), ['Forbidden strategy.rollingUpdate']],
  [specWith({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: '0%' } } }), ['Invalid strategy.rollingUpdate.maxUnavailable']],
  [specWith({ strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } } }), []],
  [specWith({ strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } } }), []],
  [specWith({ strategy: { rollingUpdate: { maxUnavailable: 'x' } } }), ['Invalid strategy.rollingUpdate.maxUnavailable']],
  [specWith({ strategy: { rollingUpdate: { maxUnavailable: '101%' } } }), ['Invalid strategy.rollingUpdate.maxUnavailable']],
  [specWith({ strategy: { rollingUpdate: { maxSurge: '200%' } } }), []],
  [specWith({ strategy: { rollingUpdate: { maxSurge: 'x' } } }), ['Invalid strategy.rollingUpdate.maxSurge']],
  [specWith({ template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } }), ['NotSupported template.spec.restartPolicy']],
  [specWith({ template: { ...template, spec: { ...template.spec, activeDeadlineSeconds: 5 } } }), ['Forbidden template.spec.activeDeadlineSeconds']],
];

test('Deployment: what is refused', () => {
  for (const [spec, causes] of rows) {
    assert.deepEqual(write(Deployment, { body: { spec } }).causes, causes.map((cause) => cause.replace(' ', ' spec.')), JSON.stringify(spec));
  }
});

test('Deployment: disks that several pods share are read only', () => {
  const shared = (disk: object): object => ({ ...template, spec: { ...template.spec, volumes: [{ name: 'e', emptyDir: {} }, { name: 'v', gcePersistentDisk: { pdName: 'd', ...disk } }] } });
  const causesOf = (replicas: number, disk: object = {}): readonly string[] => write(Deployment, { body: { spec: specWith({ replicas, template: shared(disk) }) } }).causes;
  assert.deepEqual(causesOf(1), []);
  assert.deepEqual(causesOf(2), ['Invalid spec.template.spec.volumes[1].gcePersistentDisk.readOnly']);
  assert.deepEqual(causesOf(2, { readOnly: true }), []);
});

test('Deployment: the selector stays', () => {
  const labels = { app: 'a', tier: 'x' };
  const next = specWith({ selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } });
  assert.deepEqual(write(Deployment, { body: { spec: next }, live: create() }).causes, ['Invalid spec.selector']);
  assert.deepEqual(write(Deployment, { body: { spec: specWith({ replicas: 3 }) }, live: create() }).causes, []);
});

const statuses: readonly (readonly [status: object, causes: readonly string[]])[] = [
  [{ replicas: 2, updatedReplicas: 2, readyReplicas: 1, availableReplicas: 1, collisionCount: 1 }, []],
  [{ replicas: 1, readyReplicas: 2, collisionCount: 1 }, ['Invalid status.readyReplicas']],
  [{ replicas: 2, availableReplicas: 1, collisionCount: 1 }, ['Invalid status.availableReplicas']],
  [{ replicas: -1, collisionCount: 1 }, ['Invalid status.replicas', 'Invalid status.updatedReplicas', 'Invalid status.readyReplicas', 'Invalid status.availableReplicas']],
  [{}, ['Invalid status.collisionCount']],
];

test('Deployment: a status counts pods that there are, and leaves labels alone', () => {
  const live = create();
  live.metadata.labels = { kept: 'x' };
  live.status = { collisionCount: 1 };
  for (const [status, causes] of statuses) {
    const outcome = write(Deployment, { body: { metadata: { labels: { lost: 'y' } }, status, spec: live.spec }, live, subresource: 'status' });
    assert.deepEqual(outcome.causes, causes, JSON.stringify(status));
    assert.deepEqual(outcome.object.metadata.labels, { kept: 'x' });
  }
});

test('Deployment: columns', () => {
  assert.deepEqual(cellsOf(Deployment, create({ replicas: 2 })), ['0/2', 0, 0, 'c', 'img:1', 'app=a']);
});

test('Deployment: warnings come with a new generation only', () => {
  const live = create();
  const next = create({ template: { ...template, spec: { ...template.spec, nodeSelector: { 'beta.orch.io/os': 'x' } } } });
  const context = { brand: brandOf('orch'), subresource: '', nowMs: 0 };
  live.metadata.generation = next.metadata.generation = 1;
  assert.equal(Deployment.warn?.(next, undefined, context).length, 1);
  assert.equal(Deployment.warn?.(next, live, context).length, 0);
  next.metadata.generation = 2;
  assert.equal(Deployment.warn?.(next, live, context).length, 1);
});

test('Deployment: a selector that cannot be asked hides what is wrong with the template', () => {
  const spec = specWith({ selector: { matchLabels: { app: 'a b' } }, template: { ...template, spec: { containers: [] } } });
  assert.deepEqual(write(Deployment, { body: { spec } }).causes, ['Invalid spec.selector.matchLabels', 'Invalid spec.selector']);
});

test('Deployment: the revision to go back to is a number that only those who write the spec may set', () => {
  const key = 'deprecated.deployment.rollback.to';
  const annotated = (annotations: Record<string, string>): object => ({ metadata: { annotations }, spec: specWith() });
  const shown = (text: string): unknown => write(Deployment, { body: annotated({ [key]: text }) }).object.metadata.annotations?.[key];
  assert.deepEqual(['7', '+7', '007', '-0'].map(shown), ['7', '7', '7', '0']);
  const own = { own: 'x' };
  assert.equal(write(Deployment, { body: annotated({ [key]: '' }) }).object.metadata.annotations, undefined);
  assert.deepEqual(write(Deployment, { body: annotated({ [key]: '', ...own }) }).object.metadata.annotations, own);
  for (const [text, why] of [['x', 'invalid syntax'], ['1_0', 'invalid syntax'], ['9223372036854775808', 'value out of range']] as const) {
    assert.throws(() => shown(text), { reason: 'BadRequest', message: new RegExp(`as int64: strconv.ParseInt: parsing "${text}": ${why}$`) });
  }
  assert.deepEqual(write(Deployment, { body: annotated({ [key]: '-1' }) }).causes, ['Invalid spec.rollback.version']);
  const live = write(Deployment, { body: annotated({ [key]: '1' }) }).object;
  const status = (annotations: Record<string, string>): unknown => write(Deployment, { body: annotated(annotations), live, subresource: 'status' }).object.metadata.annotations;
  assert.deepEqual([status({}), status({ [key]: '2', ...own })], [{ [key]: '1' }, { [key]: '1', ...own }]);
  const none = write(Deployment, { body: { spec: specWith() } }).object;
  assert.equal(write(Deployment, { body: annotated({ [key]: '2' }), live: none, subresource: 'status' }).object.metadata.annotations, undefined);
});
