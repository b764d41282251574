import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, objectTypeOf, type ApiObject, type HookContext } from '#api';
import { applyDefaults, decode } from '#schema';
import { cellsOf, write } from '../test-support.ts';
import { HorizontalPodAutoscaler, type HorizontalPodAutoscaler as One } from './horizontal-pod-autoscaler.ts';

const CONTEXT: HookContext = { brand: brandOf('orch'), subresource: '', nowMs: 0 };

const target = { kind: 'Deployment', name: 'd' };
const base = { scaleTargetRef: target, maxReplicas: 5 };
const cpu = (averageUtilization = 60): object => ({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } });
const pods = { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '5' } } };
const metric = (one: object): object => ({ metrics: [one] });
const up = (rules: object): object => ({ behavior: { scaleUp: rules } });
const M = 'spec.metrics[0]';

const created: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['nothing wrong', {}, []],
  ['no limits and nothing to scale', { scaleTargetRef: {}, maxReplicas: 0 }, ['Invalid spec.maxReplicas', 'Required spec.scaleTargetRef.kind', 'Required spec.scaleTargetRef.name']],
  ['zero replicas', { minReplicas: 0 }, ['Invalid spec.minReplicas', 'Forbidden spec.metrics']],
  ['an amount that is nothing', metric({ type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '0' } } }), [`Invalid ${M}.pods.target.averageValue`]],
  ['limits that cross', { minReplicas: 9 }, ['Invalid spec.maxReplicas']],
  ['no type', metric({}), [`Required ${M}.type`, `NotSupported ${M}.type`]],
  ['no source', metric({ type: 'Pods' }), [`Required ${M}.pods`]],
  ['the source of another type', metric({ ...cpu(), type: 'Pods' }), [`Required ${M}.pods`]],
  ['two sources', metric({ ...pods, resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 1 } } }), [`Forbidden ${M}.resource`]],
  ['a feature that is off', metric({ type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', target: { type: 'Utilization', averageUtilization: 1 } } }), [`Required ${M}.containerResource`]],
  ['an unknown target', metric({ type: 'Resource', resource: { name: '', target: { type: 'Bogus', averageUtilization: 0 } } }), [`Required ${M}.resource.name`, `Invalid ${M}.resource.target.type`, `Invalid ${M}.resource.target.averageUtilization`]],
  ['no amount', metric({ type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value' } } }), [`Required ${M}.external.target.averageValue`]],
  ['two amounts', metric({ type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1', averageValue: '1' } } }), [`Forbidden ${M}.external.target.value`]],
  ['an amount for each pod', metric({ type: 'External', external: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } }), []],
  ['a target without type', metric({ type: 'External', external: { metric: { name: 'm' }, target: { value: '1' } } }), [`Required ${M}.external.target.type`, `Invalid ${M}.external.target.type`]],
  ['an amount below zero', metric({ type: 'Object', object: { describedObject: target, metric: { name: 'm' }, target: { type: 'Value', value: '-1' } } }), [`Invalid ${M}.object.target.value`]],
  ['a type in small letters, and two sources', metric({ ...pods, type: 'pods', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 1 } } }), [`NotSupported ${M}.type`, `Forbidden ${M}.pods`, `Forbidden ${M}.resource`]],
  ['a metric by a bad name', metric({ type: 'External', external: { metric: { name: 'a/b' }, target: { type: 'Value', value: '1' } } }), [`Invalid ${M}.external.metric.name`]],
  ['a metric without name and average', metric({ type: 'Pods', pods: { metric: {}, target: { type: 'AverageValue' } } }), [`Required ${M}.pods.metric.name`, `Required ${M}.pods.target.averageValue`]],
  [
    'an object without name and amount',
    metric({ type: 'Object', object: { describedObject: { kind: 'a/b' }, metric: { name: 'm' }, target: { type: 'Value' } } }),
    [`Invalid ${M}.object.describedObject.kind`, `Required ${M}.object.describedObject.name`, `Required ${M}.object.target.averageValue`],
  ],
  ['a resource by its amount', metric({ type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '1' } } }), []],
  ['a resource without amount', metric({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } }), [`Required ${M}.resource.target.averageUtilization`]],
  ['a resource by two amounts', metric({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 1, averageValue: '1' } } }), [`Forbidden ${M}.resource.target.averageValue`]],
  ['the longest times', up({ stabilizationWindowSeconds: 3600, policies: [{ type: 'Pods', value: 1, periodSeconds: 1800 }] }), []],
  ['times below zero', up({ stabilizationWindowSeconds: -1, policies: [{ type: 'Percent', value: 1, periodSeconds: 0 }] }), ['Invalid spec.behavior.scaleUp.stabilizationWindowSeconds', 'Invalid spec.behavior.scaleUp.policies[0].periodSeconds']],
  ['a policy for the way down', { behavior: { scaleDown: { selectPolicy: 'Disabled', policies: [{ type: 'Pods', value: -1, periodSeconds: 1 }] } } }, ['Invalid spec.behavior.scaleDown.policies[0].value']],
  ['no policies', up({ policies: [] }), ['Required spec.behavior.scaleUp.policies']],
  ['bad rules', up({ stabilizationWindowSeconds: 3601, selectPolicy: 'X' }), ['Invalid spec.behavior.scaleUp.stabilizationWindowSeconds', 'NotSupported spec.behavior.scaleUp.selectPolicy']],
  ['a bad policy', up({ policies: [{ type: 'X', value: 0, periodSeconds: 1801 }] }), ['NotSupported spec.behavior.scaleUp.policies[0].type', 'Invalid spec.behavior.scaleUp.policies[0].value', 'Invalid spec.behavior.scaleUp.policies[0].periodSeconds']],
];

for (const [title, spec, causes] of created) {
  test(`HorizontalPodAutoscaler: ${title}`, () => assert.deepEqual(write(HorizontalPodAutoscaler, { body: { spec: { ...base, ...spec } } }).causes, causes));
}

const stored = (spec: object = {}, status: object = {}): One => write(HorizontalPodAutoscaler, { body: { spec: { ...base, ...spec }, status } }).object as One;

test('HorizontalPodAutoscaler: one that scales to nothing goes on to do so', () => {
  const toNothing = { spec: { ...base, minReplicas: 0, ...metric({ type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } }) } };
  const { object, causes } = write(HorizontalPodAutoscaler, { body: toNothing });
  assert.deepEqual([causes, write(HorizontalPodAutoscaler, { body: toNothing, live: object }).causes], [['Invalid spec.minReplicas'], []]);
  assert.deepEqual(write(HorizontalPodAutoscaler, { body: toNothing, live: stored() }).causes, ['Invalid spec.minReplicas']);
  const { messages } = write(HorizontalPodAutoscaler, { body: { spec: { ...toNothing.spec, minReplicas: -1 } }, live: object });
  assert.deepEqual(messages, ['Invalid value: -1: must be greater than or equal to 0']);
});

test('HorizontalPodAutoscaler: looks at the processor unless it says otherwise, and goes up faster than down', () => {
  const { spec } = stored(up({}));
  assert.deepEqual([spec.metrics, spec.minReplicas], [[cpu(80)], 1]);
  assert.deepEqual([spec.behavior?.scaleUp?.policies?.length, spec.behavior?.scaleUp?.stabilizationWindowSeconds], [2, 0]);
  assert.deepEqual([spec.behavior?.scaleDown?.policies?.length, spec.behavior?.scaleDown?.stabilizationWindowSeconds], [1, undefined]);
});

const brand = brandOf('orch');
const version = (name: string): NonNullable<(typeof HorizontalPodAutoscaler.versions)[string]> => {
  const found = HorizontalPodAutoscaler.versions[name];
  assert.ok(found);
  return found;
};

/** What clients of a version see. */
const shown = (name: string, object: One): { metadata: ApiObject['metadata']; spec: Record<string, unknown>; status: Record<string, unknown> } =>
  version(name).down?.(structuredClone(object), brand) as never;

/** What a request in a version becomes. */
function read(name: string, body: object): One {
  const { schema, up: lift } = version(name);
  const value = decode(objectTypeOf(schema), { metadata: {}, ...body });
  applyDefaults(objectTypeOf(schema), value);
  return (lift?.(value as never, brand) ?? value) as One;
}

test('HorizontalPodAutoscaler: one that measures containers is checked for them', () => {
  const measuring = (name: string, container: string): object => ({
    spec: { ...base, ...metric({ type: 'ContainerResource', containerResource: { name, container, target: { type: 'Utilization', averageUtilization: 1 } } }) },
  });
  const live = { ...stored(), spec: read('v2', measuring('cpu', 'c')).spec };
  const causes = (body: object): readonly string[] => write(HorizontalPodAutoscaler, { body, live }).causes;
  assert.deepEqual([causes(measuring('', '')), causes(measuring('cpu', 'C!'))], [[`Required ${M}.containerResource.name`, `Required ${M}.containerResource.container`], [`Invalid ${M}.containerResource.container`]]);
  assert.deepEqual([causes(measuring('kpu', 'c')), causes(measuring('x.io/gpu', 'c')), causes(measuring('orch.io/gpu', 'c'))], [[`Invalid ${M}.containerResource.name`], [], []]);
});

test('HorizontalPodAutoscaler: the oldest version keeps in annotations what it has no member for', () => {
  const status = { currentReplicas: 2, desiredReplicas: 3, currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: 44, averageValue: '440m' } } }], conditions: [{ type: 'T', status: 'True' }] };
  const old = shown('v1', stored({ metrics: [cpu(), pods] }, status));
  assert.deepEqual([old.spec['targetCPUUtilizationPercentage'], old.spec['metrics'], old.status['currentCPUUtilizationPercentage']], [60, undefined, 44]);
  assert.deepEqual(old.metadata.annotations, {
    'autoscaling.alpha.orch.io/metrics': '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"5"}}]',
    'autoscaling.alpha.orch.io/current-metrics': '[{"type":"Resource","resource":{"name":"cpu","currentAverageUtilization":44,"currentAverageValue":"440m"}}]',
    'autoscaling.alpha.orch.io/conditions': '[{"type":"T","status":"True","lastTransitionTime":null}]',
  });
});

test('HorizontalPodAutoscaler: of two loads of the processor that are wanted the first one stays, and the oldest version shows the last one that is seen', () => {
  const { spec } = write(HorizontalPodAutoscaler, { body: { spec: { ...base, metrics: [cpu(50), cpu(60)] } } }).object as One;
  assert.equal(shown('v1', { ...stored(), spec: structuredClone(spec) }).spec['targetCPUUtilizationPercentage'], 50);
  HorizontalPodAutoscaler.settle?.({ spec, status: { currentMetrics: null } } as never, CONTEXT);
  assert.deepEqual(spec.metrics, [cpu(50)]);
  const seen = (averageUtilization: number): object => ({ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization, averageValue: '1' } } });
  assert.equal(shown('v1', stored({}, { desiredReplicas: 1, currentMetrics: [seen(40), seen(41)] })).status['currentCPUUtilizationPercentage'], 41);
});

test('HorizontalPodAutoscaler: what an object is measured by with an average alone gets a value of 0, which no later write may keep', () => {
  const target = (value?: string): object => ({ type: 'AverageValue', averageValue: '2', ...(value === undefined ? {} : { value }) });
  const measured = (value?: string): object => ({ ...base, ...metric({ type: 'Object', object: { describedObject: { kind: 'K', name: 'n' }, metric: { name: 'm' }, target: target(value) } }) });
  const { object, causes } = write(HorizontalPodAutoscaler, { body: { spec: measured() } });
  assert.deepEqual(causes, []);
  const live = object as One;
  HorizontalPodAutoscaler.settle?.(live as never, CONTEXT);
  assert.deepEqual(live.spec.metrics?.[0]?.object?.target, { type: 'AverageValue', value: '0', averageValue: '2' });
  assert.deepEqual(write(HorizontalPodAutoscaler, { body: { spec: live.spec }, live }).causes, [`Invalid ${M}.object.target.value`]);
  assert.deepEqual(write(HorizontalPodAutoscaler, { body: { spec: measured('1') }, live }).causes, []);
  const flat = { type: 'Object', object: { target: { kind: 'K', name: 'n' }, metricName: 'm', averageValue: '2' } };
  assert.deepEqual(write(HorizontalPodAutoscaler, { body: { spec: read('v2beta1', { spec: { ...base, metrics: [flat] } }).spec } }).causes, [`Invalid ${M}.object.target.value`]);
});

test('HorizontalPodAutoscaler: annotations of the oldest version become members, and nothing else does', () => {
  const annotations = { own: 'x', 'autoscaling.alpha.orch.io/metrics': '[{"type":"Pods","pods":{"metricName":"m","targetAverageValue":"5"}}]' };
  const next = read('v1', { metadata: { annotations }, spec: { ...base, targetCPUUtilizationPercentage: 70 } });
  assert.deepEqual([next.spec.metrics, next.metadata.annotations], [[pods, cpu(70)], { own: 'x' }]);
});

for (const text of ['', '{', 'null', '7', '[7]', '[{"type":7}]', '{"ScaleUp":[]}', '{"__proto__":{"a":1}}']) {
  test(`HorizontalPodAutoscaler: an annotation that says ${JSON.stringify(text)} counts as absent`, () => {
    const names = ['metrics', 'current-metrics', 'conditions', 'behavior'];
    const annotations = Object.fromEntries(names.map((name) => [`autoscaling.alpha.orch.io/${name}`, text]));
    const { metadata, spec, status } = read('v1', { metadata: { annotations }, spec: base });
    assert.deepEqual([metadata.annotations, spec.metrics, status.currentMetrics], [undefined, [cpu(80)], null]);
    assert.deepEqual(spec.behavior ?? {}, {});
  });
}

test('HorizontalPodAutoscaler: the processor stands last in every version', () => {
  const object = stored({ metrics: [cpu(), pods] });
  HorizontalPodAutoscaler.settle?.(object, CONTEXT);
  assert.deepEqual(object.spec.metrics, [pods, cpu()]);
});

test('HorizontalPodAutoscaler: no conditions are stored as such, also where an older version sends an empty list', () => {
  for (const name of ['v2beta1', 'v2beta2', 'v2']) {
    const object = read(name, { spec: base, status: { currentReplicas: 1, desiredReplicas: 1, currentMetrics: null, conditions: [] } });
    HorizontalPodAutoscaler.settle?.(object, CONTEXT);
    assert.deepEqual(object.status, { currentReplicas: 1, desiredReplicas: 1, currentMetrics: null }, name);
    assert.deepEqual([shown('v2beta1', object).status['conditions'], shown('v2beta2', object).status['conditions']], [null, null]);
  }
});

test('HorizontalPodAutoscaler: no numbers of replicas below zero are seen or wanted', () => {
  const seen = (status: object): readonly string[] => write(HorizontalPodAutoscaler, { body: { spec: base, status }, live: stored(), subresource: 'status' }).causes;
  assert.deepEqual([seen({ currentReplicas: 0, desiredReplicas: 0 }), seen({ currentReplicas: -1, desiredReplicas: -1 })], [[], ['Invalid status.currentReplicas', 'Invalid status.desiredReplicas']]);
});

test('HorizontalPodAutoscaler: objects and amounts in tables', () => {
  const object = (amounts: object): object => ({ type: 'Object', object: { describedObject: target, metric: { name: 'm' }, target: { type: 'Value', ...amounts } } });
  const cell = (metrics: readonly object[], ...current: readonly object[]): unknown => {
    const currentMetrics = current.map((one) => ({ type: 'Object', object: { describedObject: target, metric: { name: 'm' }, current: one } }));
    return cellsOf(HorizontalPodAutoscaler, stored({ metrics }, { desiredReplicas: 1, currentMetrics }))[1];
  };
  assert.deepEqual([cell([object({ value: '3' })]), cell([object({ value: '3' })], { value: '2' })], ['<unknown>/3', '2/3']);
  assert.deepEqual([cell([object({ averageValue: '3' })], { value: '2' }), cell([object({ averageValue: '3' })], { averageValue: '1' })], ['<unknown>/3 (avg)', '1/3 (avg)']);
  assert.equal(cell([object({ value: '3' }), { type: 'Resource', resource: { name: 'cpu', target: { type: 'AverageValue', averageValue: '1' } } }]), '<unknown>/3, <unknown>/1');
});

test('HorizontalPodAutoscaler: columns', () => {
  const external = { type: 'External', external: { metric: { name: 'q' }, target: { type: 'AverageValue', averageValue: '30' } } };
  const status = { desiredReplicas: 1, currentReplicas: 2, currentMetrics: [{ type: 'Pods', pods: { metric: { name: 'm' }, current: { averageValue: '4' } } }] };
  assert.deepEqual(cellsOf(HorizontalPodAutoscaler, stored({}, {})), ['Deployment/d', '<unknown>/80%', '1', 5, 0]);
  assert.equal(cellsOf(HorizontalPodAutoscaler, stored({ metrics: [pods, external, cpu()] }, status))[1], '4/5, <unknown>/30 (avg) + 1 more...');
});

test('HorizontalPodAutoscaler: behavior kept in an annotation is read however it spells its names', () => {
  const key = 'autoscaling.alpha.orch.io/behavior';
  const behaviorOf = (text: string): unknown => {
    const v1 = HorizontalPodAutoscaler.versions['v1'];
    const value = decode(objectTypeOf(v1?.schema as never), { metadata: { name: 'a', annotations: { [key]: text } }, spec: base });
    const object = v1?.up?.(value as unknown as ApiObject, brandOf('orch')) as One;
    return object.spec.behavior;
  };
  const policies = [{ type: 'Pods', value: 1, periodSeconds: 2 }];
  assert.deepEqual(behaviorOf(JSON.stringify({ scaleUp: { stabilizationWindowSeconds: 5, policies } })), { scaleUp: { stabilizationWindowSeconds: 5, policies } });
  assert.deepEqual(behaviorOf('{"ScaleUp":{"StabilizationWindowSeconds":5},"ScaleDown":null}'), { scaleUp: { stabilizationWindowSeconds: 5 } });
  assert.equal(behaviorOf('{"ScaleUp":null,"ScaleDown":null}'), undefined);
  assert.equal(behaviorOf('{"scaleUp":5}'), undefined);
  assert.equal(behaviorOf('['.repeat(100_000) + ']'.repeat(100_000)), undefined);
  assert.equal(behaviorOf(`{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`), undefined);
});
