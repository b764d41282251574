import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldErrors } from '#errors';
import { scaleOf, validateScale } from './scale.ts';

const metadata = { name: 'a', namespace: 'n', labels: { x: 'y' }, generation: 3 };
const of = (spec: object, status: object = {}): ReturnType<typeof scaleOf> => scaleOf({ apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec, status } as never);

test('Scale: shows the replicas of a workload and how its pods are selected', () => {
  assert.deepEqual(of({ replicas: 2, selector: { matchLabels: { a: 'b' }, matchExpressions: [{ key: 'c', operator: 'Exists' }] } }, { replicas: 1 }), {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name: 'a', namespace: 'n' },
    spec: { replicas: 2 },
    status: { replicas: 1, selector: 'a=b,c' },
  });
});

test('Scale: zero replicas, labels as selector, no selector', () => {
  assert.deepEqual(of({ replicas: 0 }).spec, {});
  assert.deepEqual(of({ selector: { matchLabels: 'b' } }).status, { replicas: 0, selector: 'matchLabels=b' });
  assert.deepEqual([of({ selector: null }).status, of({ selector: {} }).status], [{ replicas: 0 }, { replicas: 0 }]);
});

test('Scale: no replicas below zero, and no scale without a namespace', () => {
  const faults = (scale: object): readonly unknown[] => {
    const at = new FieldErrors();
    validateScale({ ...of({}), ...scale }, at);
    return at.causes.map(({ field }) => field);
  };
  assert.deepEqual(faults({ spec: { replicas: -1 } }), ['spec.replicas']);
  assert.deepEqual(faults({ metadata: { name: 'a' } }), ['metadata.namespace']);
});
