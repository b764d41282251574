import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseControllers } from './choose.ts';
import { CONTROLLERS } from './controllers.table.ts';

const all = CONTROLLERS.filter(({ isOptIn }) => isOptIn !== true).map(({ name }) => name);

const cases: readonly (readonly [text: string, names: readonly string[]])[] = [
  ['*', all],
  ['none', []],
  ['', []],
  ['namespace', ['namespace']],
  ['namespace, podgc', ['namespace', 'podgc']],
  ['*,-namespace', all.filter((name) => name !== 'namespace')],
  ['-namespace,*,namespace', all.filter((name) => name !== 'namespace')],
];

for (const [text, names] of cases) test(`--controllers=${text}`, () => assert.deepEqual([...chooseControllers(text)], names));

test('what is not known is named, and what is known is listed', () => {
  assert.throws(() => chooseControllers('*,-what,ever'), /no controller "what", "ever": choose \*, none, or some of .*garbagecollector/);
  assert.throws(() => chooseControllers('none,namespace'), /"none"/);
});

test('names are in order, each once', () => {
  const names = CONTROLLERS.map(({ name }) => name);
  assert.deepEqual(names, [...new Set(names)].sort());
});
