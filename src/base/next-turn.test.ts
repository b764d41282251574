import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTurnLong, nextTurn, pausingAfter } from './next-turn.ts';

test('of long work by several, each gets a turn of its own, in the order of asking', async () => {
  const order: string[] = [];
  let turn = 0;
  const count = (): void => {
    turn += 1;
    if (order.length < 3) setImmediate(count);
  };
  setImmediate(count);
  const goOn = async (name: string): Promise<void> => {
    await nextTurn();
    order.push(`${name} ${turn}`);
  };
  await Promise.all(['first', 'second', 'third'].map(goOn));
  assert.deepEqual(order, ['first 1', 'second 2', 'third 3']);
});

test('a turn is long when long work has had it for a while, whoever did it; the next one is fresh', async () => {
  await nextTurn();
  assert.equal(isTurnLong(), false);
  const until = performance.now() + 20;
  while (performance.now() < until);
  assert.equal(isTurnLong(), true);
  await nextTurn();
  assert.equal(isTurnLong(), false);
});

test('what follows long work has a turn of its own, before those that wait to begin; what is done at once is at hand', async () => {
  assert.equal(pausingAfter(() => 1), 1);
  const long = (): Promise<number> | number =>
    pausingAfter(() => {
      const until = performance.now() + 20;
      while (performance.now() < until);
      return 2;
    });
  const order: string[] = [];
  const begins = nextTurn().then(() => order.push('what waits to begin'));
  const goesOn = Promise.resolve(long()).then(() => order.push('what is begun'));
  setImmediate(() => order.push('another'));
  await Promise.all([begins, goesOn]);
  assert.deepEqual(order, ['what is begun', 'another', 'what waits to begin']);
});
