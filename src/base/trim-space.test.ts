import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trimSpace } from './trim-space.ts';

test('white space by Unicode is trimmed, and nothing else', () => {
  for (const space of [' ', '\t\n\v\f\r', '\u0085', '\u00a0\u1680\u2028\u3000']) assert.equal(trimSpace(`${space}a${space}b${space}`), `a${space}b`);
  for (const text of ['', 'a', '\ufeffa\ufeff', '\u200ba\u200b', '\u180ea', '\u{1f600}']) assert.equal(trimSpace(text), text);
  assert.equal(trimSpace(' \u0085 '), '');
});

test('long texts of white space are trimmed in linear time', () => {
  const spaces = ' '.repeat(5_000_000);
  assert.equal(trimSpace(`a${spaces}b`).length, spaces.length + 2);
  assert.equal(trimSpace(spaces), '');
});
