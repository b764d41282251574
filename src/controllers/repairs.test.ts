import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Repairs } from './repairs.ts';

/** The waits before each of so many repairs that never last. */
function waits(repairs: Repairs, times: number): readonly number[] {
  let nowMs = 0;
  return Array.from({ length: times }, () => {
    const waitMs = repairs.waitMs('a', nowMs);
    nowMs += waitMs;
    repairs.did('a', nowMs);
    return waitMs;
  });
}

test('a few repairs come at once, those that never last later and later, five minutes apart at most', () => {
  assert.deepEqual(waits(new Repairs(), 14), [0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000]);
});

test('that repairs do not last is told once', () => {
  const repairs = new Repairs();
  assert.deepEqual(Array.from({ length: 6 }, () => repairs.did('a', 0)), [false, false, false, true, false, false]);
  assert.ok(Array.from({ length: 6 }, () => repairs.did('b', 0)).every((isTold) => !isTold));
});

test('what has lasted, is gone or has another name is put right at once', () => {
  const repairs = new Repairs();
  for (let times = 0; times < 4; times++) repairs.did('a', 0);
  assert.equal(repairs.waitMs('a', 500), 1500);
  assert.equal(repairs.waitMs('b', 500), 0);
  assert.equal(repairs.waitMs('a', 600_001), 0);
  assert.equal(repairs.waitMs('a', 500), 0);
  for (let times = 0; times < 4; times++) repairs.did('a', 0);
  repairs.forget('a');
  assert.equal(repairs.waitMs('a', 500), 0);
});
