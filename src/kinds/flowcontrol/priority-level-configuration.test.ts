import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { PriorityLevelConfiguration, type PriorityLevelConfiguration as Level } from './priority-level-configuration.ts';

const limited = (response: object, shares = 10): object => ({
  type: 'Limited',
  limited: { assuredConcurrencyShares: shares, limitResponse: response },
});
const queue = (queuing: object): object => limited({ type: 'Queue', queuing });
const L = 'spec.limited';
const Q = `${L}.limitResponse.queuing`;

const cases: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['rejecting', limited({ type: 'Reject' }), []],
  ['queuing', queue({}), []],
  ['no type', {}, ['NotSupported spec.type']],
  ['exempt by another name', { type: 'Exempt' }, ['Invalid spec.type']],
  ['limited by nothing', { type: 'Limited' }, [`Required ${L}`]],
  ['less than nothing', limited({ type: 'Reject' }, -1), [`Invalid ${L}.assuredConcurrencyShares`]],
  ['no response', limited({}), [`NotSupported ${L}.limitResponse.type`]],
  ['rejecting with queues', limited({ type: 'Reject', queuing: {} }), [`Forbidden ${Q}`]],
  ['queuing without queues', limited({ type: 'Queue' }), [`Required ${Q}`]],
  ['negative numbers', queue({ queues: -1, handSize: -1, queueLengthLimit: -1 }), [`Invalid ${Q}.queueLengthLimit`, `Invalid ${Q}.queues`, `Invalid ${Q}.handSize`]],
  ['as many queues as there may be', queue({ queues: 10_000_000, handSize: 1 }), []],
  ['too many queues', queue({ queues: 10_000_001, handSize: 1 }), [`Invalid ${Q}.queues`]],
  ['a hand larger than the deck', queue({ queues: 4, handSize: 5 }), [`Invalid ${Q}.handSize`]],
  ['hands too many to tell apart', queue({ queues: 512, handSize: 7 }), [`Invalid ${Q}.handSize`]],
  ['hands just few enough', queue({ queues: 1024, handSize: 6 }), []],
  ['hands too many as kube-apiserver estimates them', queue({ queues: 66, handSize: 10 }), [`Invalid ${Q}.handSize`]],
  ['a single queue', queue({ queues: 1, handSize: 1 }), []],
];

for (const [title, spec, causes] of cases) {
  test(`PriorityLevelConfiguration: ${title}`, () => assert.deepEqual(write(PriorityLevelConfiguration, { body: { spec } }).causes, causes));
}

test('PriorityLevelConfiguration: what is said of too many hands, of too many queues and of what is exempt', () => {
  const said = (spec: object): readonly string[] => write(PriorityLevelConfiguration, { body: { spec } }).messages;
  assert.deepEqual(said(queue({ queues: 512, handSize: 7 })), ['Invalid value: 7: required entropy bits of deckSize 512 and handSize 7 should not be greater than 60']);
  assert.deepEqual(said(queue({ queues: 10_000_001, handSize: 1 })), ['Invalid value: 10000001: must not be greater than 10000000']);
  assert.deepEqual(said({ type: 'Exempt' }), [`Invalid value: "Exempt": type must be 'Exempt' if and only if name is 'exempt'`]);
  assert.equal(said({ ...limited({ type: 'Reject' }), type: 'Exempt' })[1], 'Forbidden: must be nil if the type is not Limited');
});

test('PriorityLevelConfiguration: what the server relies on stays as it is', () => {
  const named = (name: string, spec: object): readonly string[] => write(PriorityLevelConfiguration, { body: { metadata: { name }, spec } }).causes;
  assert.deepEqual(named('exempt', { type: 'Exempt' }), []);
  assert.deepEqual(named('exempt', limited({ type: 'Reject' })), ['Invalid spec.type', 'Invalid spec']);
  assert.deepEqual(named('catch-all', limited({ type: 'Reject' }, 5)), []);
  assert.deepEqual(named('catch-all', limited({ type: 'Reject' }, 6)), ['Invalid spec']);
  const { messages } = write(PriorityLevelConfiguration, { body: { metadata: { name: 'catch-all' }, spec: { type: 'Limited' } } });
  const shown = 'flowcontrol.PriorityLevelConfigurationSpec{Type:"Limited", Limited:(*flowcontrol.LimitedPriorityLevelConfiguration)(nil)}';
  assert.equal(messages[1], `Invalid value: ${shown}: spec of 'catch-all' must equal the fixed value`);
});

test('R2.5-12 PriorityLevelConfiguration: defaults and columns', () => {
  const { object } = write(PriorityLevelConfiguration, { body: { spec: { ...queue({}), limited: { limitResponse: { type: 'Queue', queuing: {} } } } } });
  assert.deepEqual(cellsOf(PriorityLevelConfiguration, object), ['Limited', 30, 64, 8, 50]);
  assert.deepEqual((object as Level).status, {});
  assert.deepEqual(cellsOf(PriorityLevelConfiguration, write(PriorityLevelConfiguration, { body: { spec: { type: 'Exempt' } } }).object), [
    'Exempt',
    '<none>',
    '<none>',
    '<none>',
    '<none>',
  ]);
});
