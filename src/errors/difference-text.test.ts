import assert from 'node:assert/strict';
import { test } from 'node:test';
import { differenceText } from './difference-text.ts';

const pairs: readonly (readonly [sent: unknown, kept: unknown, text: string])[] = [
  [{ a: 1 }, { a: 1 }, ''],
  [{ a: { b: 'x' } }, { a: { b: 'y' } }, '\n- a.b: "x"\n+ a.b: "y"'],
  [{ list: [{ c: ['x'] }] }, { list: [{}] }, '\n- list[0].c: ["x"]\n+ list[0].c: nil'],
  [{ list: ['x'] }, { list: ['x', { y: 2 }], z: true }, '\n- list[1]: nil\n+ list[1]: {"y":2}\n- z: nil\n+ z: true'],
  [{ a: {} }, { a: [] }, '\n- a: {}\n+ a: []'],
  [{ constructor: 1 }, {}, '\n- constructor: 1\n+ constructor: nil'],
];

test('what differs is named place by place, what was sent before what is kept', () => {
  for (const [sent, kept, text] of pairs) assert.equal(differenceText(sent, kept), text);
});

test('of many places and of long values only the beginning is told', () => {
  const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, position) => position);
  const ten = differenceText(numbers(10), []);
  assert.equal(ten.split('\n').length, 21);
  assert.ok(ten.endsWith('\n- [9]: 9\n+ [9]: nil'));
  assert.equal(differenceText(numbers(100_000), []), `${ten}\n...`);
  assert.equal(differenceText({ a: 'x'.repeat(1000) }, {}), `\n- a: "${'x'.repeat(199)}...\n+ a: nil`);
});
