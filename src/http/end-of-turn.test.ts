import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns } from '#base';
import { endOfTurn } from './end-of-turn.ts';

test('who asks in one turn of the event loop goes on together at its end, in the order of asking', async () => {
  const order: string[] = [];
  const begin = async (name: string): Promise<void> => {
    await endOfTurn();
    order.push(name);
  };
  const first = begin('first');
  const tick = new Promise<void>((resolve) => process.nextTick(() => resolve(begin('second'))));
  await Promise.resolve().then(() => order.push('what was due in this turn'));
  await Promise.all([first, tick]);
  assert.deepEqual(order, ['what was due in this turn', 'first', 'second']);
});

test('the next turn has an end of its own', async () => {
  const first = endOfTurn();
  await first;
  assert.notEqual(endOfTurn(), first);
  await endOfTurn();
});

test('of very many who ask in one turn, each turn begins some, in the order of asking', async () => {
  const began: number[] = [];
  const turns = await countTurns(async () => {
    await Promise.all(Array.from({ length: 1_000 }, (_, at) => endOfTurn().then(() => began.push(at))));
  });
  assert.ok(turns >= 5, `${turns} turns`);
  assert.deepEqual(began, Array.from({ length: 1_000 }, (_, at) => at));
});
