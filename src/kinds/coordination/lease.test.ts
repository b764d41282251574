import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { Lease, type Lease as LeaseObject } from './lease.ts';

const cases: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['nothing', {}, []],
  ['everything', { holderIdentity: 'me', leaseDurationSeconds: 15, leaseTransitions: 0, renewTime: '2020-01-01T00:00:00.500000Z' }, []],
  ['a duration of zero', { leaseDurationSeconds: 0 }, ['Invalid spec.leaseDurationSeconds']],
  ['a duration below zero', { leaseDurationSeconds: -1 }, ['Invalid spec.leaseDurationSeconds']],
  ['transitions below zero', { leaseTransitions: -1 }, ['Invalid spec.leaseTransitions']],
];

for (const [title, spec, causes] of cases) {
  test(`Lease: ${title}`, () => assert.deepEqual(write(Lease, { body: { spec } }).causes, causes));
}

test('Lease: times have microseconds and are in UTC', () => {
  const { spec } = write(Lease, { body: { spec: { renewTime: '2020-01-01T02:00:00.500000+02:00' } } }).object as LeaseObject;
  assert.equal(spec.renewTime, '2020-01-01T00:00:00.500000Z');
});

test('R2.5-12 Lease: the column says who holds it', () => {
  assert.deepEqual(cellsOf(Lease, write(Lease, { body: { spec: { holderIdentity: 'me' } } }).object), ['me']);
  assert.deepEqual(cellsOf(Lease, write(Lease, { body: {} }).object), ['']);
});
