import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { goFloatText } from './go-float-text.ts';

test('numbers are written as Go writes floating point', () => {
  const texts = [0, 1.5, -0.25, 0.0001, 0.00001, 123_456.5, 1_000_000, 1_234_567.5, 1e21, 5e-324].map(goFloatText);
  assert.deepEqual(texts, ['0', '1.5', '-0.25', '0.0001', '1e-05', '123456.5', '1e+06', '1.2345675e+06', '1e+21', '5e-324']);
});

test('whatever is written reads back', () => {
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => assert.equal(Number(goFloatText(value)), value === 0 ? 0 : value)));
});
