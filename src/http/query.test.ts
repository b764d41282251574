import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readQuery } from './query.ts';

const CASES: readonly (readonly [text: string, pairs: readonly (readonly [string, string])[]])[] = [
  ['', []],
  ['a=b&c', [['a', 'b'], ['c', '']]],
  ['a=%41+b', [['a', 'A b']]],
  ['a=1;b=2&c=3', [['c', '3']]],
  [';', []],
  ['a=%zz&b=%4&c=%&%G1=d&e=%e4', [['e', '\ufffd']]],
  ['a=%25zz&a=%2', [['a', '%zz']]],
];

for (const [text, pairs] of CASES) {
  test(`the query ${JSON.stringify(text)}`, () => assert.deepEqual([...readQuery(text)], pairs));
}
