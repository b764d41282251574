import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from './still-clock.ts';

function open() {
  const clock = new StillClock(1_000);
  const rung: string[] = [];
  const ring = (name: string, delayMs: number): (() => void) => clock.after(delayMs, () => rung.push(`${name} at ${clock.nowMs()}`));
  return { clock, rung, ring };
}

test('what is due rings in order of time, and at its time', () => {
  const { clock, rung, ring } = open();
  ring('late', 20);
  ring('soon', 5);
  ring('never', 10)();
  clock.turn(19);
  assert.deepEqual([rung, clock.nowMs(), clock.pending], [['soon at 1005'], 1_019, 1]);
  clock.turn(1);
  assert.deepEqual([rung, clock.nowMs(), clock.pending], [['soon at 1005', 'late at 1020'], 1_020, 0]);
});

test('time that only passes rings nothing before the next turn, and is never taken back', () => {
  const { clock, rung, ring } = open();
  ring('first', 5);
  clock.pass(7);
  assert.deepEqual(rung, []);
  clock.turn(0);
  assert.deepEqual(rung, ['first at 1007']);
  clock.after(1, () => clock.pass(100));
  clock.turn(2);
  assert.equal(clock.nowMs(), 1_108);
});
