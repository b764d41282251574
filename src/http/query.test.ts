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
  ['a=%41%zz&b=%41%42', [['b', 'AB']]],
];

for (const [text, pairs] of CASES) {
  test(`the query ${JSON.stringify(text)}`, () => assert.deepEqual([...readQuery(text)], pairs));
}

test('a percent sign counts with two hexadecimal digits behind it, and with nothing else', () => {
  const characters = Array.from({ length: 0x80 }, (_, unit) => String.fromCharCode(unit)).filter((character) => !'&;=%+'.includes(character));
  for (const first of characters) {
    for (const second of characters) {
      const isEscape = /^[0-9A-Fa-f]{2}$/.test(first + second);
      assert.equal(readQuery(`a=%${first}${second}`).has('a'), isEscape, JSON.stringify(first + second));
    }
  }
});
