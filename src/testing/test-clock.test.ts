import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdvancedClock } from './test-clock.ts';
import { TurnedClock } from './turned-clock.ts';

test('a clock that is advanced rings what is due, in order of time, each at its own time', () => {
  const base = new TurnedClock(1000);
  const clock = new AdvancedClock(base);
  const rung: (readonly [string, number])[] = [];
  const note = (word: string) => (): void => void rung.push([word, clock.nowMs()]);
  clock.after(7_200_000, note('late'));
  clock.after(60_000, () => {
    note('first')();
    clock.after(60_000, note('set on the way'));
  });
  const cancel = clock.after(1000, note('cancelled'));
  cancel();
  clock.advance('1h');
  assert.deepEqual(rung, [['first', 61_000], ['set on the way', 121_000]]);
  assert.equal(clock.nowMs(), 3_601_000);
  base.turn(3_599_999);
  assert.equal(rung.length, 2);
  base.turn(1);
  assert.deepEqual(rung.at(-1), ['late', 7_201_000]);
  assert.equal(base.pending, 0);
});

test('a clock that nobody advances goes with the one below it; what is due when an advance ends rings in it', () => {
  const base = new TurnedClock(0);
  const clock = new AdvancedClock(base);
  const rung: string[] = [];
  clock.after(1000, () => rung.push('by itself'));
  base.turn(1000);
  assert.deepEqual(rung, ['by itself']);
  clock.after(1000, () => rung.push('advanced'));
  clock.advance(0);
  assert.deepEqual(rung, ['by itself']);
  clock.advance('1s');
  assert.deepEqual(rung, ['by itself', 'advanced']);
  clock.after(1000, () => rung.push('cancelled'))();
  assert.equal(base.pending, 0, 'nothing is left to wait for');
});

test('durations of a test clock', () => {
  const clock = new TurnedClock(0);
  clock.advance('1h30m');
  clock.advance(500);
  assert.equal(clock.nowMs(), 5_400_500);
  for (const bad of ['soon', '', -1, '-1h', NaN, undefined as unknown as string]) assert.throws(() => clock.advance(bad), RangeError, String(bad));
});
