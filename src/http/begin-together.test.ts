import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { countTurns } from '#base';
import { beginTogether } from './begin-together.ts';

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A request that comes alone, which nobody waits for any more afterwards. */
async function alone(): Promise<void> {
  await beginTogether();
  await beginTogether();
}

const crowd = async (): Promise<void> => void (await Promise.all([beginTogether(), beginTogether()]));

beforeEach(alone);

test('who asks in one turn of the event loop goes on together at its end, in the order of asking', async () => {
  const order: string[] = [];
  const begin = async (name: string): Promise<void> => {
    await beginTogether();
    order.push(name);
  };
  const first = begin('first');
  const tick = new Promise<void>((resolve) => process.nextTick(() => resolve(begin('second'))));
  await Promise.resolve().then(() => order.push('what was due in this turn'));
  await Promise.all([first, tick]);
  assert.deepEqual(order, ['what was due in this turn', 'first', 'second']);
});

test('one client alone begins with its turn, and the next turn has a group of its own', async () => {
  const first = beginTogether();
  assert.ok((await countTurns(() => first)) <= 1);
  const second = beginTogether();
  assert.notEqual(second, first);
  assert.ok((await countTurns(() => second)) <= 1);
});

test('behind a crowd, who comes in one of the next turns begins together with who came before', async () => {
  await crowd();
  const first = beginTogether();
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  assert.equal(beginTogether(), first);
  await first;
});

test('who waits for a crowd that does not come waits some turns', async () => {
  await crowd();
  const turns = await countTurns(() => beginTogether());
  assert.ok(turns > 1 && turns <= 10, `${turns} turns`);
  assert.ok((await countTurns(() => beginTogether())) <= 1, 'and nobody waits after that');
});

test('however long others keep coming, a group begins', async () => {
  await crowd();
  const first = beginTogether();
  let began = 0;
  void first.then(() => (began = arrived));
  let arrived = 0;
  // One in every second turn: never quiet for long, and never enough.
  for (; arrived < 100; arrived++) {
    void beginTogether();
    await nextTurn();
    await nextTurn();
  }
  assert.ok(began >= 10 && began <= 21, `after ${began} others`);
});

test('of very many who ask in one turn, each turn begins some, in the order of asking', async () => {
  const began: number[] = [];
  const turns = await countTurns(async () => {
    await Promise.all(Array.from({ length: 1_000 }, (_, at) => beginTogether().then(() => began.push(at))));
  });
  assert.ok(turns >= 5, `${turns} turns`);
  assert.deepEqual(began, Array.from({ length: 1_000 }, (_, at) => at));
});
