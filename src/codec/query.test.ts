import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseBoolean, parseInteger } from './query.ts';

test('everything but 0 and false is true', () => {
  for (const text of ['0', 'false', 'False', 'FALSE']) assert.equal(parseBoolean(text), false, text);
  for (const text of ['', '1', 'true', 'yes', 'no', 'x']) assert.equal(parseBoolean(text), true, text);
});

test('whole numbers are read with a sign, and nothing else is', () => {
  assert.deepEqual(['5', '-5', '+5', '007', '-0'].map(parseInteger), [5, -5, 5, 7, 0]);
  const { MAX_SAFE_INTEGER: largest, MIN_SAFE_INTEGER: smallest } = Number;
  const far = ['9007199254740993', '+9223372036854775807', '0009223372036854775807', '-9223372036854775808'];
  assert.deepEqual(far.map(parseInteger), [largest, largest, largest, smallest]);
  for (const text of ['', 'x', '1.0', '1e3', ' 1', '0x1', '9223372036854775808', '-9223372036854775809', '9'.repeat(30)]) assert.equal(parseInteger(text), undefined, text);
});
