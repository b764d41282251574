import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WritePace } from './write-pace.ts';

const paceOf = (preparedMs: number, waitedMs: number): WritePace => {
  const pace = new WritePace();
  pace.add(16, preparedMs, waitedMs);
  return pace;
};

test('two halves pay where the wait for the disk is shorter than all work, and long enough to be filled', () => {
  assert.equal(paceOf(0.4, 0.4).isWorthHalving(16), true);
  assert.equal(paceOf(0.4, 0.9).isWorthHalving(16), false, 'the disk is waited for twice');
  assert.equal(paceOf(0.4, 0.05).isWorthHalving(16), false, 'there is nothing to gain');
  assert.deepEqual([6, 5].map((writes) => paceOf(0.4, 0.12).isWorthHalving(writes)), [true, false], 'too few');
  assert.equal(new WritePace().isWorthHalving(16), false, 'nothing is known');
});

test('many writes are worth halving on a disk that is too slow for few', () => {
  const pace = paceOf(0.4, 1.5);
  assert.equal(pace.isWorthHalving(16), false);
  assert.equal(pace.isWorthHalving(64), true);
});

test('what was measured last counts most: a disk that becomes slow is noticed after some writes', () => {
  const pace = paceOf(0.4, 0.4);
  for (let at = 0; at < 16; at++) pace.add(16, 0.4, 3);
  assert.equal(pace.isWorthHalving(16), false);
  for (let at = 0; at < 32; at++) pace.add(16, 0.4, 0.4);
  assert.equal(pace.isWorthHalving(16), true);
});

test('how many writes are prepared within a time follows from how long one takes, and is never none', () => {
  const pace = new WritePace();
  assert.equal(pace.preparedWithin(5), Infinity, 'nothing is known');
  for (let at = 0; at < 64; at++) pace.add(10, 1, 0);
  assert.equal(Math.round(pace.preparedWithin(5) / 10), 5);
  for (let at = 0; at < 64; at++) pace.add(1, 50, 0);
  assert.equal(pace.preparedWithin(5), 1);
});
