import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { ControllerRevision } from './controller-revision.ts';

test('ControllerRevision: data is mandatory, and may be empty', () => {
  assert.deepEqual(write(ControllerRevision, { body: { revision: 1 } }).causes, ['Required data']);
  assert.deepEqual(write(ControllerRevision, { body: { revision: 1, data: {} } }).causes, []);
  // Nobody looks inside.
  for (const data of [[], 'x', 5, 0, true, false, '']) {
    const { object, causes } = write(ControllerRevision, { body: { revision: 1, data } });
    assert.deepEqual([(object as unknown as { data: unknown }).data, causes], [data, []]);
  }
  assert.deepEqual(write(ControllerRevision, { body: { revision: -1, data: {} } }).causes, ['Invalid revision']);
});

test('ControllerRevision: data stays, the number may change', () => {
  const live = write(ControllerRevision, { body: { revision: 1, data: { a: [1, 2] } } }).object;
  const causes = (body: object): readonly string[] => write(ControllerRevision, { body, live }).causes;
  assert.deepEqual(causes({ revision: 2, data: { a: [1, 2] } }), []);
  assert.deepEqual(causes({ revision: 1, data: { a: [2, 1] } }), ['Invalid data']);
  assert.deepEqual(causes({ revision: 1 }), ['Required data', 'Invalid data']);
});

test('ControllerRevision: the column names the controller', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u' };
  const cells = (ownerReferences: object[]): unknown => cellsOf(ControllerRevision, write(ControllerRevision, { body: { metadata: { ownerReferences }, data: {}, revision: 3 } }).object);
  assert.deepEqual(cells([{ ...owner, controller: true }]), ['statefulset.apps/web', 3]);
  assert.deepEqual(cells([owner]), ['<none>', 3]);
});
