import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { PodDisruptionBudget } from './pod-disruption-budget.ts';

const created: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['nothing at all', {}, []],
  ['a share', { minAvailable: '50%' }, []],
  ['both numbers', { minAvailable: 1, maxUnavailable: 1 }, ['Invalid spec']],
  ['more than all', { maxUnavailable: '110%' }, ['Invalid spec.maxUnavailable']],
  ['no number', { maxUnavailable: 'x%' }, ['Invalid spec.maxUnavailable']],
  ['below zero', { minAvailable: -1 }, ['Invalid spec.minAvailable']],
  ['a bad selector', { selector: { matchLabels: { a: '!' } } }, ['Invalid spec.selector.matchLabels']],
];

for (const [title, spec, causes] of created) {
  test(`PodDisruptionBudget: ${title}`, () => assert.deepEqual(write(PodDisruptionBudget, { body: { spec } }).causes, causes));
}

const standIn = (operator: string): object => ({ matchExpressions: [{ key: 'pdb.orch.io/deprecated-v1beta1-empty-selector-match', operator }] });
const selectors: readonly (readonly [title: string, older: object | undefined, newer: object | undefined])[] = [
  ['nothing selects nothing in both', undefined, undefined],
  ['an empty selector selected nothing', {}, standIn('Exists')],
  ['an empty selector selects everything', standIn('DoesNotExist'), {}],
  ['any other means the same', { matchLabels: { a: 'b' } }, { matchLabels: { a: 'b' } }],
];

for (const [title, older, newer] of selectors) {
  test(`PodDisruptionBudget: v1beta1 and v1: ${title}`, () => {
    const { up, down } = PodDisruptionBudget.versions['v1beta1'] ?? {};
    const brand = brandOf('orch');
    const object = (selector: object | undefined): never => ({ spec: { selector } }) as never;
    assert.deepEqual(up?.(object(older), brand), object(newer));
    assert.deepEqual(down?.(object(newer), brand), object(older));
  });
}

test('PodDisruptionBudget: what is added to a selector that stands in for an empty one takes its place', () => {
  const brand = brandOf('orch');
  for (const version of ['v1', 'v1beta1']) {
    const { up } = PodDisruptionBudget.versions[version] ?? {};
    const added = { spec: { selector: { ...standIn('Exists'), matchLabels: { a: 'b' } } } } as never;
    assert.deepEqual(up?.(added, brand), { spec: { selector: { matchLabels: { a: 'b' } } } }, version);
  }
  const { up } = PodDisruptionBudget.versions['v1'] ?? {};
  for (const same of [standIn('Exists'), {}]) assert.deepEqual(up?.({ spec: { selector: same } } as never, brand), { spec: { selector: same } });
});

test('PodDisruptionBudget: conditions are complete and of different types', () => {
  const good = { type: 'T', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z', reason: 'R', message: '' };
  const { object: live } = write(PodDisruptionBudget, { body: {} });
  const status = { conditions: [good, good, { type: '', status: 'Maybe', reason: '1' }], currentHealthy: -1 };
  const causes = (version: string): readonly string[] => write(PodDisruptionBudget, { body: { status }, live, subresource: 'status', version }).causes;
  const ofConditions = [
    'Duplicate status.conditions[1].type',
    'Invalid status.conditions[2].type',
    'NotSupported status.conditions[2].status',
    'Required status.conditions[2].lastTransitionTime',
    'Invalid status.conditions[2].reason',
  ];
  assert.deepEqual(causes('v1'), [...ofConditions, 'Invalid status.currentHealthy']);
  assert.deepEqual(causes('v1beta1'), ofConditions);
});

test('PodDisruptionBudget: conditions are of a generation that there can be, and say no more than 32 KiB', () => {
  const { object: live } = write(PodDisruptionBudget, { body: {} });
  const causes = (more: object): readonly string[] => {
    const condition = { type: 'T', status: 'Unknown', lastTransitionTime: '2020-01-01T00:00:00Z', reason: 'R', message: '', ...more };
    return write(PodDisruptionBudget, { body: { status: { conditions: [condition] } }, live, subresource: 'status' }).causes;
  };
  assert.deepEqual([causes({ observedGeneration: 0 }), causes({ observedGeneration: -1 })], [[], ['Invalid status.conditions[0].observedGeneration']]);
  assert.deepEqual([causes({ message: 'ä'.repeat(16_384) }), causes({ message: `${'ä'.repeat(16_384)}x` })], [[], ['TooLong status.conditions[0].message']]);
});

test('PodDisruptionBudget: reasons, in words that clients know', () => {
  const { object: live } = write(PodDisruptionBudget, { body: {} });
  const said = (reason: string): readonly string[] => {
    const condition = { type: 'T', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z', reason, message: '' };
    return write(PodDisruptionBudget, { body: { status: { conditions: [condition] } }, live, subresource: 'status' }).messages;
  };
  const form =
    `a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_' ` +
    `(e.g. 'my_name',  or 'MY_NAME',  or 'MyName',  or 'ReasonA,ReasonB',  or 'ReasonA:ReasonB', regex used for validation is '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?')`;
  const long = `1${'a'.repeat(1024)}`;
  assert.deepEqual(said('1'), [`Invalid value: "1": ${form}`]);
  assert.deepEqual(said(long), [`Invalid value: "${long}": ${form}`, 'Too long: must have at most 1024 bytes']);
});

test('PodDisruptionBudget: columns', () => {
  assert.deepEqual(cellsOf(PodDisruptionBudget, write(PodDisruptionBudget, { body: { spec: { minAvailable: 1 } } }).object), ['1', 'N/A', 0]);
});
