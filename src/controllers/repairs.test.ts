import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SetClock, StillClock } from '#base';
import { Repairs } from './repairs.ts';

/** The waits before each of so many repairs that never last. */
function waits(clock: StillClock, times: number): readonly number[] {
  const repairs = new Repairs(clock);
  return Array.from({ length: times }, () => {
    const waitMs = repairs.waitMs('a');
    clock.turn(waitMs);
    repairs.did('a');
    return waitMs;
  });
}

test('a few repairs come at once, those that never last later and later, five minutes apart at most', () => {
  assert.deepEqual(waits(new StillClock(), 14), [0, 0, 0, 1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000]);
});

test('that repairs do not last is told once', () => {
  const repairs = new Repairs(new StillClock());
  assert.deepEqual(Array.from({ length: 6 }, () => repairs.did('a')), [false, false, false, true, false, false]);
  assert.ok(Array.from({ length: 6 }, () => repairs.did('b')).every((isTold) => !isTold));
});

test('what has lasted, is gone or has another name is put right at once', () => {
  const clock = new StillClock();
  const repairs = new Repairs(clock);
  for (let times = 0; times < 4; times++) repairs.did('a');
  clock.turn(500);
  assert.equal(repairs.waitMs('a'), 1500);
  assert.equal(repairs.waitMs('b'), 0);
  clock.turn(600_000);
  assert.equal(repairs.waitMs('a'), 0);
  for (let times = 0; times < 4; times++) repairs.did('a');
  assert.equal(repairs.waitMs('a'), 2000);
  repairs.forget('a');
  assert.equal(repairs.waitMs('a'), 0);
});

test('a clock that is put back makes nobody wait longer', () => {
  const clock = new SetClock();
  const repairs = new Repairs(clock);
  for (let times = 0; times < 4; times++) repairs.did('a');
  clock.put(-3_600_000);
  assert.equal(repairs.waitMs('a'), 2000);
});
