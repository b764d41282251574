import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, type ApiObject } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { Namespace, type Namespace as Space } from './namespace.ts';

const create = (body: object): Space => write(Namespace, { body }).object as Space;

test('R3.1 Namespace: a new one is Active, has the finalizer of the system and a label with its name', () => {
  const space = create({ metadata: { labels: { x: 'y' } }, spec: { finalizers: ['example.com/hold'] }, status: { phase: 'Terminating' } });
  assert.deepEqual(space.spec.finalizers, ['example.com/hold', 'orch']);
  assert.deepEqual(space.status, { phase: 'Active' });
  assert.deepEqual(space.metadata.labels, { x: 'y', 'orch.io/metadata.name': 'a' });
  const other = write(Namespace, { body: { spec: { finalizers: ['kubernetes'] } }, dialect: 'kubernetes' }).object as Space;
  assert.deepEqual(other.spec.finalizers, ['kubernetes']);
  assert.deepEqual(other.metadata.labels, { 'kubernetes.io/metadata.name': 'a' });
});

const names: readonly (readonly [name: string, causes: readonly string[]])[] = [
  ['x', []],
  ['UPPER', ['Invalid metadata.name']],
  ['dots.in.name', ['Invalid metadata.name']],
  ['dash-', ['Invalid metadata.name', 'Invalid metadata.labels']],
  ['a'.repeat(64), ['Invalid metadata.name', 'Invalid metadata.labels']],
];

test('R2.2-01 Namespace: the name is a DNS label', () => {
  for (const [name, causes] of names) assert.deepEqual(write(Namespace, { body: { metadata: { name } } }).causes, causes, name);
});

test('Namespace: finalizers are qualified names', () => {
  assert.deepEqual(write(Namespace, { body: { spec: { finalizers: ['bad'] } } }).causes, ['Invalid spec.finalizers']);
  assert.deepEqual(write(Namespace, { body: { spec: { finalizers: [''] } } }).causes, ['Invalid spec.finalizers']);
  const live = create({});
  assert.deepEqual(write(Namespace, { body: { spec: { finalizers: ['a.b/c', 'bad value'] } }, live, subresource: 'finalize' }).causes, [
    'Invalid spec.finalizers[1]',
  ]);
});

test('R3.1 Namespace: only finalize writes the finalizers, only status the status, and the label stays', () => {
  const live = create({ spec: { finalizers: ['example.com/hold'] } });
  const body = {
    metadata: { labels: { 'orch.io/metadata.name': 'other' } },
    spec: { finalizers: [] },
    status: { conditions: [{ type: 'X', status: 'True' }] },
  };
  const update = (subresource: string): Space => write(Namespace, { body, live, subresource }).object as Space;
  assert.deepEqual([update('').spec, update('').status], [live.spec, live.status]);
  assert.deepEqual([update('finalize').spec.finalizers ?? [], update('finalize').status], [[], live.status]);
  assert.deepEqual([update('status').spec, update('status').status.conditions?.length], [live.spec, 1]);
  assert.equal(update('').metadata.labels?.['orch.io/metadata.name'], 'a');
});

test('R3.1 Namespace: the phase says whether it is being deleted', () => {
  const live = create({});
  const causes = (phase: string, before: Space, metadata: object = {}): readonly string[] =>
    write(Namespace, { body: { metadata, status: { phase } }, live: before, subresource: 'status' }).causes;
  assert.deepEqual(causes('Active', live), []);
  assert.deepEqual(causes('Weird', live), ['Invalid status.Phase']);
  assert.deepEqual(causes('Terminating', live), ['Invalid status.Phase']);
  const deletionTimestamp = '2020-01-01T00:00:00Z';
  const going = { ...live, metadata: { ...live.metadata, deletionTimestamp } };
  assert.deepEqual(causes('Terminating', going, { deletionTimestamp }), []);
  assert.deepEqual(causes('Active', going, { deletionTimestamp }), ['Invalid status.Phase']);
});

test('R3.1 Namespace: it is held while it has finalizers in its spec, and until its deletion has begun', () => {
  const space = create({});
  const going = { ...space, metadata: { ...space.metadata, deletionTimestamp: '2020-01-01T00:00:00Z' } };
  const isHeld = (one: Space): boolean | undefined => Namespace.finalizing?.isHeld(one);
  assert.deepEqual([isHeld(space), isHeld({ ...space, spec: {} })], [true, true]);
  assert.deepEqual([isHeld(going), isHeld({ ...going, spec: {} })], [true, false]);
  Namespace.finalizing?.mark(space, brandOf('orch'));
  assert.equal(space.status.phase, 'Terminating');
});

test('R2.5-12 Namespace: column, selectable field, verbs', () => {
  const space: ApiObject = create({});
  assert.deepEqual(cellsOf(Namespace, space), ['Active']);
  assert.deepEqual(Namespace.select?.(space as Space), { 'status.phase': 'Active' });
  assert.equal(Namespace.verbs?.includes('deletecollection'), false);
});
