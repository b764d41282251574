import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { WireError } from './reader.ts';
import { microTimeText, nanosOf, secondsOf, timeText } from './time.ts';

const [FIRST, LAST] = ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z'].map((text) => Date.parse(text) / 1000) as [number, number];
const ZERO = Date.parse('0001-01-01T00:00:00Z') / 1000;

test('times come back as they were written, from the first year to the last', () => {
  fc.assert(
    fc.property(fc.integer({ min: FIRST, max: LAST }), fc.integer({ min: 0, max: 999_999 }), (seconds, micros) => {
      fc.pre(seconds !== ZERO);
      assert.equal(secondsOf(timeText(seconds) ?? ''), seconds);
      assert.equal(timeText(BigInt(seconds)), timeText(seconds));
      const micro = microTimeText(seconds, micros * 1000 + 999) ?? '';
      assert.deepEqual([secondsOf(micro), nanosOf(micro)], [seconds, micros * 1000]);
    }),
  );
  assert.deepEqual([timeText(FIRST), timeText(LAST)], ['0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z']);
});

test('the zero time is none, and what lies outside of all years and seconds is no time', () => {
  assert.deepEqual([timeText(ZERO), microTimeText(ZERO, 5)], [null, null]);
  for (const seconds of [FIRST - 1, LAST + 1, 2n ** 62n, -(2n ** 62n), Number.NaN]) assert.throws(() => timeText(seconds), WireError, String(seconds));
  for (const nanos of [-1, 1e9]) assert.throws(() => microTimeText(0, nanos), WireError, String(nanos));
  assert.equal(microTimeText(0, 999_999_999), '1970-01-01T00:00:00.999999Z');
});
