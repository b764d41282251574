import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { RuntimeClass, type RuntimeClass as Class } from './runtime-class.ts';

const tolerations = [{ key: 'k', operator: 'Exists' }];

const created: readonly (readonly [title: string, body: object, causes: readonly string[]])[] = [
  ['a handler', { handler: 'h' }, []],
  ['no handler', {}, ['Invalid handler']],
  ['less than nothing', { handler: 'h', overhead: { podFixed: { cpu: '-1' } } }, ['Invalid overhead.limits[cpu]']],
  ['a bad label', { handler: 'h', scheduling: { nodeSelector: { a: '!' } } }, ['Invalid scheduling.nodeSelector']],
  ['a bad toleration', { handler: 'h', scheduling: { tolerations: [{ operator: 'No' }] } }, ['Invalid scheduling.tolerations.tolerations[0].operator', 'NotSupported scheduling.tolerations.tolerations[0].operator']],
  [
    'a toleration twice, for different times',
    { handler: 'h', scheduling: { tolerations: [1, 2].map((tolerationSeconds) => ({ key: 'k', operator: 'Exists', effect: 'NoExecute', tolerationSeconds })) } },
    ['Duplicate scheduling.tolerations[1]'],
  ],
  ['a toleration twice', { handler: 'h', scheduling: { tolerations: [...tolerations, ...tolerations] } }, ['Duplicate scheduling.tolerations[1]']],
];

for (const [title, body, causes] of created) {
  test(`RuntimeClass: ${title}`, () => assert.deepEqual(write(RuntimeClass, { body }).causes, causes));
}

test('RuntimeClass: the handler stays', () => {
  const { object: live } = write(RuntimeClass, { body: { handler: 'h' } });
  assert.deepEqual(write(RuntimeClass, { body: { handler: 'x', scheduling: { tolerations } }, live }).causes, ['Invalid handler']);
  assert.deepEqual(write(RuntimeClass, { body: { handler: 'h', scheduling: { tolerations } }, live }).causes, []);
});

test('RuntimeClass: amounts stay as fine as they are; columns', () => {
  const { object } = write(RuntimeClass, { body: { handler: 'h', overhead: { podFixed: { cpu: '100u' } } } });
  assert.deepEqual([(object as Class).overhead, cellsOf(RuntimeClass, object)], [{ podFixed: { cpu: '100u' } }, ['h']]);
});
