import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, objectTypeOf } from '#api';
import { ApiError } from '#errors';
import { decode } from '#schema';
import { cellsOf, write } from '../test-support.ts';
import { DaemonSet, type DaemonSet as Kind } from './daemon-set.ts';

const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'img:1' }] } };
const specWith = (more: object = {}): object => ({ selector: { matchLabels: { app: 'a' } }, template, ...more });
const create = (more: object = {}, metadata: object = {}): Kind => write(DaemonSet, { body: { metadata, spec: specWith(more) } }).object as Kind;
const rolling = (rollingUpdate: object): object => specWith({ updateStrategy: { rollingUpdate } });

test('R2.10-01 R2.10-34 DaemonSet is a namespaced kind of apps/v1', () => {
  assert.deepEqual([DaemonSet.group, DaemonSet.kind, DaemonSet.scope, Object.keys(DaemonSet.versions)], ['apps', 'DaemonSet', 'Namespaced', ['v1']]);
});

test('R2.10-06 R2.10-08 R2.10-11 R2.10-16 R2.10-19 DaemonSet: what a new one gets that says nothing', () => {
  const { template: _, selector: __, ...rest } = create().spec;
  assert.deepEqual(rest, {
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
    revisionHistoryLimit: 10,
  });
});

test('R2.10-09 DaemonSet: OnDelete has no rolling update, and what stands there is not looked at', () => {
  assert.deepEqual(create({ updateStrategy: { type: 'OnDelete' } }).spec.updateStrategy, { type: 'OnDelete' });
  const odd = specWith({ updateStrategy: { type: 'OnDelete', rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } });
  assert.deepEqual(write(DaemonSet, { body: { spec: odd } }).causes, []);
  const bare = { updateStrategy: { type: 'OnDelete', rollingUpdate: {} } };
  assert.deepEqual(create(bare).spec.updateStrategy.rollingUpdate, { maxUnavailable: 0, maxSurge: 0 });
});

const rows: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['R2.10-02 R2.10-04 nothing', {}, ['Invalid template.metadata.labels', 'Required template.spec.containers']],
  ['R2.10-02 an empty selector', specWith({ selector: {} }), ['Invalid selector']],
  ['R2.10-03 labels that do not match', specWith({ selector: { matchLabels: { app: 'b' } } }), ['Invalid template.metadata.labels']],
  ['R2.10-36 an unknown operator', specWith({ selector: { matchExpressions: [{ key: 'app', operator: 'Near' }] } }), ['Invalid selector.matchExpressions[0].operator']],
  ['R2.10-36 all operators', specWith({ selector: { matchExpressions: [{ key: 'app', operator: 'In', values: ['a'] }, { key: 'app', operator: 'NotIn', values: ['b'] }, { key: 'app', operator: 'Exists' }, { key: 'b', operator: 'DoesNotExist' }] } }), []],
  ['R2.10-07 an unknown strategy', specWith({ updateStrategy: { type: 'Sudden' } }), ['NotSupported updateStrategy']],
  ['R2.10-12 R2.10-17 both zero', rolling({ maxUnavailable: 0, maxSurge: 0 }), ['Required updateStrategy.rollingUpdate.maxUnavailable']],
  ['R2.10-17 zero beside the default', rolling({ maxUnavailable: '0%' }), ['Required updateStrategy.rollingUpdate.maxUnavailable']],
  ['R2.10-20 both set', rolling({ maxUnavailable: 1, maxSurge: 1 }), ['Invalid updateStrategy.rollingUpdate.maxSurge']],
  ['R2.10-14 surge only', rolling({ maxUnavailable: 0, maxSurge: '20%' }), []],
  ['more than all', rolling({ maxUnavailable: '101%' }), ['Invalid updateStrategy.rollingUpdate.maxUnavailable']],
  ['not a percentage', rolling({ maxUnavailable: 'x' }), ['Invalid updateStrategy.rollingUpdate.maxUnavailable', 'Required updateStrategy.rollingUpdate.maxUnavailable']],
  ['R2.10-35 pods that stop', specWith({ template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } }), ['NotSupported template.spec.restartPolicy']],
  ['negative numbers', specWith({ minReadySeconds: -1, revisionHistoryLimit: -1 }), ['Invalid minReadySeconds', 'Invalid revisionHistoryLimit']],
];

test('DaemonSet: what is refused', () => {
  for (const [title, spec, causes] of rows) {
    assert.deepEqual(write(DaemonSet, { body: { spec } }).causes, causes.map((cause) => cause.replace(' ', ' spec.')), title);
  }
});

test('R2.10-10 R2.10-15 DaemonSet: counts stay counts and percentages percentages', () => {
  for (const rollingUpdate of [{ maxUnavailable: 3, maxSurge: 0 }, { maxUnavailable: 0, maxSurge: '30%' }]) {
    assert.deepEqual(create({ updateStrategy: { rollingUpdate } }).spec.updateStrategy.rollingUpdate, rollingUpdate);
  }
});

test('R2.10-21 R2.10-22 R2.10-23 R2.10-24 DaemonSet: four counters are always there, the others only when set', () => {
  assert.deepEqual(create().status, { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 });
});

test('R2.10-25 R2.10-26 R2.10-27 R2.10-28 R2.10-29 R2.10-33 DaemonSet: a status is kept as written, to the last digit', () => {
  const status = {
    currentNumberScheduled: 1,
    numberMisscheduled: 0,
    desiredNumberScheduled: 2,
    numberReady: 1,
    observedGeneration: 2n ** 53n + 1n,
    updatedNumberScheduled: 1,
    numberAvailable: 1,
    numberUnavailable: 1,
    collisionCount: 0,
    conditions: [{ type: 'A', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z', reason: 'R', message: 'm' }],
  };
  const live = create();
  const { object, causes } = write(DaemonSet, { body: { spec: live.spec, status }, live, subresource: 'status' });
  assert.deepEqual(causes, []);
  assert.deepEqual((object as Kind).status, status);
});

test('DaemonSet: counters do not fall below zero, collisions do not become fewer', () => {
  const live = create();
  live.status.collisionCount = 2;
  const status = { numberReady: -1, collisionCount: 1 };
  assert.deepEqual(write(DaemonSet, { body: { spec: live.spec, status }, live, subresource: 'status' }).causes, [
    'Invalid status.numberReady',
    'Invalid status.collisionCount',
  ]);
});

test('R2.10-30 R2.10-31 R2.10-32 DaemonSet: conditions are merged by type; type and status are always there', () => {
  const schema = DaemonSet.versions['v1']?.schema;
  assert.ok(schema);
  const status = objectTypeOf(schema).fields.get('status')?.type;
  const conditions = status?.is === 'message' ? status.message().fields.get('conditions') : undefined;
  assert.equal(conditions?.patch?.key, 'type');
  const value = decode(objectTypeOf(schema), { status: { conditions: [{}] } });
  assert.deepEqual((value as unknown as Kind).status.conditions?.map(({ type, status: text }) => [type, text]), [['', '']]);
});

const KEY = 'deprecated.daemonset.template.generation';

test('DaemonSet: an annotation counts templates, whatever a request says', () => {
  const counted = (object: Kind): string | undefined => object.metadata.annotations?.[KEY];
  assert.equal(counted(create()), '1');
  assert.equal(counted(create({}, { annotations: { [KEY]: '7' } })), '7');
  assert.equal(counted(create({}, { annotations: { [KEY]: '-7' } })), '1');
  const live = create();
  const change = (more: object, subresource = ''): Kind =>
    write(DaemonSet, { body: { metadata: { annotations: { [KEY]: '9' } }, spec: specWith(more) }, live, subresource }).object as Kind;
  assert.equal(counted(change({ minReadySeconds: 5 })), '1');
  assert.equal(counted(change({ template: { ...template, spec: { containers: [{ name: 'c', image: 'img:2' }] } } })), '2');
  assert.equal(counted(change({}, 'status')), '1');
});

test('DaemonSet: an annotation that counts no templates is no form of one', () => {
  const said = (text: string): unknown => assert.throws(() => create({}, { annotations: { [KEY]: text } }), (cause) => cause instanceof ApiError && cause.reason === 'BadRequest' && cause.message.endsWith(`strconv.ParseInt: parsing ${JSON.stringify(text)}: ${/^\d+$/.test(text) ? 'value out of range' : 'invalid syntax'}`));
  for (const text of ['', ' ', 'x', '1.5', '+', '9223372036854775808', '9'.repeat(100_000), `${'0'.repeat(3_000_000)}x`]) said(text);
  for (const [text, count] of [['+5', '5'], ['0005', '5'], ['9223372036854775807', '9223372036854775807']] as const) {
    assert.equal(create({}, { annotations: { [KEY]: text } }).metadata.annotations?.[KEY], count);
  }
});

test('DaemonSet: the selector stays', () => {
  const labels = { app: 'a', tier: 'x' };
  const next = specWith({ selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } });
  assert.deepEqual(write(DaemonSet, { body: { spec: next }, live: create() }).causes, ['Invalid spec.selector']);
});

test('DaemonSet: columns', () => {
  const nodeSelector = { disk: 'ssd', arch: 'x' };
  const set = create({ template: { ...template, spec: { ...template.spec, nodeSelector } } });
  assert.deepEqual(cellsOf(DaemonSet, set), [0, 0, 0, 0, 0, 'arch=x,disk=ssd', 'c', 'img:1', 'app=a']);
  assert.equal(cellsOf(DaemonSet, create())[5], '<none>');
});

test('DaemonSet: a count written as text is wrong, and still a count', () => {
  assert.deepEqual(write(DaemonSet, { body: { spec: rolling({ maxUnavailable: '5' }) } }).causes, ['Invalid spec.updateStrategy.rollingUpdate.maxUnavailable']);
  assert.deepEqual(write(DaemonSet, { body: { spec: rolling({ maxUnavailable: 'x' }) } }).causes, [
    'Invalid spec.updateStrategy.rollingUpdate.maxUnavailable',
    'Required spec.updateStrategy.rollingUpdate.maxUnavailable',
  ]);
});

test('DaemonSet: the same template in other words is no new one', () => {
  const withMemory = (memory: string): object => specWith({ template: { ...template, spec: { containers: [{ name: 'c', image: 'img:1', resources: { limits: { memory } } }] } } });
  const live = write(DaemonSet, { body: { spec: withMemory('1Gi') } }).object as Kind;
  const next = (memory: string): unknown => Object.values(write(DaemonSet, { body: { spec: withMemory(memory) }, live }).object.metadata.annotations ?? {});
  assert.deepEqual(next('1073741824'), ['1']);
  assert.deepEqual(next('1G'), ['2']);
});

test('DaemonSet: faults stand in the order in which 1.23 looks for them', () => {
  const spec = { ...rolling({ maxUnavailable: '101%', maxSurge: '102%' }), minReadySeconds: -1 };
  assert.deepEqual(write(DaemonSet, { body: { spec } }).messages, [
    'Invalid value: -1: must be greater than or equal to 0',
    'Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"101%"}: must not be greater than 100%',
    'Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"102%"}: must not be greater than 100%',
    'Invalid value: intstr.IntOrString{Type:1, IntVal:0, StrVal:"102%"}: may not be set when maxUnavailable is non-zero',
  ]);
});

test('DaemonSet: what is not good in a template is said when the template changes, and not when something else does', () => {
  const brand = brandOf('orch');
  const old = { ...template, spec: { ...template.spec, volumes: [{ name: 'v', gitRepo: { repository: 'r' } }] } };
  const live = create({ template: old });
  const warnings = (more: object): readonly string[] | undefined => {
    const next = write(DaemonSet, { body: { spec: specWith({ template: old, ...more }) }, live }).object as Kind;
    next.metadata.generation = 2;
    return DaemonSet.warn?.(next, live, { brand, subresource: '', nowMs: 0 });
  };
  assert.deepEqual(warnings({ minReadySeconds: 1 }), []);
  const relabelled = { ...old, metadata: { labels: { app: 'a', more: 'b' } } };
  assert.deepEqual(warnings({ template: relabelled }), ['spec.template.spec.volumes[0].gitRepo: deprecated in v1.11']);
});
