import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { DecodeFailure } from '#schema';
import { cellsOf, write } from '../test-support.ts';
import { PriorityClass, SYSTEM_PRIORITY_CLASSES, type PriorityClass as Class } from './priority-class.ts';

test('R2.11-01 PriorityClass: group, version and scope', () => {
  assert.equal(brandOf('orch').group(PriorityClass.group), 'scheduling.orch.io');
  assert.deepEqual([Object.keys(PriorityClass.versions), PriorityClass.scope], [['v1'], 'Cluster']);
});

const cases: readonly { readonly title: string; readonly body: object; readonly causes: readonly string[] }[] = [
  { title: 'R2.11-02 value', body: { value: 100 }, causes: [] },
  { title: 'R2.11-02 value as high as users may go', body: { value: 1_000_000_000 }, causes: [] },
  { title: 'R2.11-02 value higher', body: { value: 1_000_000_001 }, causes: ['Forbidden value'] },
  { title: 'R2.11-02 value below zero', body: { value: -2_147_483_648 }, causes: [] },
  { title: 'R2.11-03 description', body: { value: 1, description: 'Any text!' }, causes: [] },
  { title: 'R2.11-07 Never', body: { value: 1, preemptionPolicy: 'Never' }, causes: [] },
  { title: 'R2.11-07 PreemptLowerPriority', body: { value: 1, preemptionPolicy: 'PreemptLowerPriority' }, causes: [] },
  { title: 'R2.11-07 another policy', body: { value: 1, preemptionPolicy: 'Sometimes' }, causes: ['NotSupported preemptionPolicy'] },
  { title: 'R2.11-07 an empty policy', body: { value: 1, preemptionPolicy: '' }, causes: ['Required preemptionPolicy'] },
  { title: 'a name of the system', body: { metadata: { name: 'system-mine' }, value: 1 }, causes: ['Forbidden metadata.name'] },
  {
    title: 'a class of the system',
    body: { metadata: { name: 'system-node-critical' }, value: SYSTEM_PRIORITY_CLASSES.get('system-node-critical') },
    causes: [],
  },
  {
    title: 'a class of the system with another value',
    body: { metadata: { name: 'system-node-critical' }, value: 5 },
    causes: ['Forbidden metadata.name'],
  },
];

for (const { title, body, causes } of cases) {
  test(`PriorityClass: ${title}`, () => assert.deepEqual(write(PriorityClass, { body }).causes, causes));
}

test('PriorityClass: what is said of the names of the system', () => {
  const said = (name: string, rest: object): string | undefined => write(PriorityClass, { body: { metadata: { name }, ...rest } }).messages[0]?.split('error: ')[1];
  assert.equal(said('system-mine', { value: 1 }), 'system-mine is not a known system priority class');
  assert.equal(said('system-node-critical', { value: 1 }), 'value of system-node-critical PriorityClass must be 2000001000');
  assert.equal(said('system-node-critical', { value: 2_000_001_000, globalDefault: true }), 'globalDefault of system-node-critical PriorityClass must be false');
});

test('R2.11-02 R2.11-04 PriorityClass: value is an int32 and globalDefault a boolean', () => {
  for (const body of [{ value: 1.5 }, { value: '1' }, { value: 2 ** 31 }, { value: 1, globalDefault: 'yes' }]) {
    assert.throws(() => write(PriorityClass, { body }), DecodeFailure);
  }
});

test('R2.11-08 PriorityClass: the policy defaults to PreemptLowerPriority', () => {
  assert.equal((write(PriorityClass, { body: { value: 1 } }).object as Class).preemptionPolicy, 'PreemptLowerPriority');
});

test('PriorityClass: value and policy stay, the rest may change', () => {
  const live = write(PriorityClass, { body: { value: 100, preemptionPolicy: 'Never' } }).object;
  const causes = (body: object): readonly string[] => write(PriorityClass, { body, live }).causes;
  assert.deepEqual(causes({ value: 100, preemptionPolicy: 'Never', description: 'd', globalDefault: true }), []);
  assert.deepEqual(causes({ value: 101, preemptionPolicy: 'Never' }), ['Forbidden Value']);
  assert.deepEqual(causes({ value: 100 }), ['Invalid preemptionPolicy']);
});

test('R2.5-12 PriorityClass: columns', () => {
  assert.deepEqual(cellsOf(PriorityClass, write(PriorityClass, { body: { value: 7 } }).object), [7, false]);
});
