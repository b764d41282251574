import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred } from '#base';
import { TurnedClock } from '#testing';
import { Slots } from './slots.ts';

test('only so many run at the same time, the others follow in order, whatever becomes of those before', async () => {
  const slots = new Slots(2);
  const begun: number[] = [];
  const works = Array.from({ length: 4 }, () => deferred<void>());
  const runs = works.map(({ promise }, at) => slots.run(() => (begun.push(at), promise)));
  assert.deepEqual(begun, [0, 1]);
  works[1]?.reject(new Error('lost'));
  await assert.rejects(runs[1] ?? Promise.resolve(), /lost/);
  assert.deepEqual(begun, [0, 1, 2]);
  works[0]?.resolve();
  await runs[0];
  assert.deepEqual(begun, [0, 1, 2, 3]);
  for (const { resolve } of works) resolve();
  await Promise.all([runs[2], runs[3]]);
  assert.equal(await slots.run(() => Promise.resolve('free again')), 'free again');
});

test('what waits for somebody who does not answer holds up the others no longer than a second, and frees nothing twice', async () => {
  const clock = new TurnedClock();
  const slots = new Slots(1, clock);
  const begun: number[] = [];
  const works = Array.from({ length: 3 }, () => deferred<void>());
  const runs = works.map(({ promise }, at) => slots.run(() => (begun.push(at), promise)));
  clock.turn(999);
  await Promise.resolve();
  assert.deepEqual(begun, [0]);
  clock.turn(1);
  await Promise.resolve();
  assert.deepEqual(begun, [0, 1]);
  works[0]?.resolve();
  await runs[0];
  assert.deepEqual(begun, [0, 1]);
  works[1]?.resolve();
  await runs[1];
  assert.deepEqual(begun, [0, 1, 2]);
  clock.turn(1000);
  works[2]?.resolve();
  await runs[2];
  const last = [3, 4].map((at) => slots.run(() => Promise.resolve(begun.push(at))));
  assert.deepEqual(begun, [0, 1, 2, 3]);
  await Promise.all(last);
  assert.equal(clock.pending, 0);
});
