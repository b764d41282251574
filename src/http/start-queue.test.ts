import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { countTurns } from '#base';
import type { Batch } from './batch.ts';
import { StartQueue, startQueueOf } from './start-queue.ts';

let nowMs = 0;
let queue = StartQueue.ofWrites(() => nowMs);
const begin = (): Promise<Batch> => queue.begin();
const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const crowd = async (): Promise<void> => void (await Promise.all([begin(), begin()]));

beforeEach(() => void (queue = StartQueue.ofWrites(() => nowMs)));

test('who asks in one turn of the event loop goes on together at its end, in the order of asking', async () => {
  const order: string[] = [];
  const ask = async (name: string): Promise<void> => {
    await begin();
    order.push(name);
  };
  const first = ask('first');
  const tick = new Promise<void>((resolve) => process.nextTick(() => resolve(ask('second'))));
  await Promise.resolve().then(() => order.push('what was due in this turn'));
  await Promise.all([first, tick]);
  assert.deepEqual(order, ['what was due in this turn', 'first', 'second']);
});

test('one client alone begins with its turn, and the next turn has a group of its own', async () => {
  const first = begin();
  assert.ok((await countTurns(() => first)) <= 1);
  const second = begin();
  assert.notEqual(second, first);
  assert.ok((await countTurns(() => second)) <= 1);
});

test('behind a crowd, who comes in one of the next turns begins together with who came before', async () => {
  await crowd();
  const first = begin();
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  assert.equal(begin(), first);
  await first;
});

test('who waits for a crowd that does not come waits some turns', async () => {
  await crowd();
  const turns = await countTurns(begin);
  assert.ok(turns > 1 && turns <= 10, `${turns} turns`);
  assert.ok((await countTurns(begin)) <= 1, 'and nobody waits after that');
});

test('however long others keep coming, a group begins', async () => {
  await crowd();
  const first = begin();
  let began = 0;
  void first.then(() => (began = arrived));
  let arrived = 0;
  // One in every second turn: never quiet for long, and never enough.
  for (; arrived < 100; arrived++) {
    void begin();
    await nextTurn();
    await nextTurn();
    nowMs += 0.03;
  }
  assert.ok(began >= 10 && began <= 21, `after ${began} others`);
});

test('nobody waits for others where the turns of the event loop are long', async () => {
  await crowd();
  const turns = await countTurns(() => {
    const first = begin();
    nowMs += 80;
    return first;
  });
  assert.ok(turns <= 1, `${turns} turns`);
});

test('writes that take long to prepare begin some at a time, so that others get a turn between them', async () => {
  const slow = async (): Promise<Batch> => {
    const batch = await begin();
    nowMs += 1;
    return batch;
  };
  await endWrites((await Promise.all(Array.from({ length: 64 }, slow))).map((batch) => ({ batch, turns: 0 })), 10);
  const batches = await Promise.all(Array.from({ length: 64 }, slow));
  assert.ok(new Set(batches).size <= 2, 'little is known of how long they take');
  for (let at = 0; at < 20; at++) await endWrites([{ batch: await slow(), turns: 0 }], 10);
  assert.ok(new Set(await Promise.all(Array.from({ length: 64 }, slow))).size >= 7);
});

test('of very many who ask in one turn, each turn begins some, in the order of asking', async () => {
  const began: number[] = [];
  const turns = await countTurns(async () => {
    await Promise.all(Array.from({ length: 1_000 }, (_, at) => begin().then(() => began.push(at))));
  });
  assert.ok(turns >= 5, `${turns} turns`);
  assert.deepEqual(began, Array.from({ length: 1_000 }, (_, at) => at));
});

interface Write {
  readonly batch: Batch;
  /** Counted turns of the event loop until it began. */
  readonly turns: number;
}

const PREPARATION_MS = 0.1;
const WRITES = 8;

/** Writes that arrive together: each takes some time until it waits for the disk. */
async function beginWrites(): Promise<readonly Write[]> {
  let turns = 0;
  let isOver = false;
  const count = (): void => void (isOver || (turns++, setImmediate(count)));
  setImmediate(count);
  const begun = await Promise.all(
    Array.from({ length: WRITES }, async () => {
      const batch = await queue.begin();
      nowMs += PREPARATION_MS;
      return { batch, turns };
    }),
  );
  isOver = true;
  return begun;
}

/** Ends writes that waited for the disk for so long. */
async function endWrites(writes: readonly Write[], waitMs: number): Promise<void> {
  await nextTurn();
  nowMs += waitMs;
  for (const { batch } of writes) batch.ended();
}

const batchesOf = (writes: readonly Write[]): number => new Set(writes.map(({ batch }) => batch)).size;

test('many writes begin in two halves, in their order, where the disk takes less time than their work', async () => {
  const first = await beginWrites();
  assert.equal(batchesOf(first), 1, 'nothing is known of the disk yet');
  await endWrites(first, 0.5);
  const second = await beginWrites();
  assert.equal(batchesOf(second), 2);
  assert.ok(second.slice(0, WRITES / 2).every(({ batch }) => batch === second[0]?.batch));
  assert.ok((second.at(-1)?.turns ?? 0) - (second[0]?.turns ?? 0) >= 2, 'the first half has reached the disk before the second begins');
});

test('writes begin all at once where the disk is slow, or where they do not wait for it', async () => {
  await endWrites(await beginWrites(), 5);
  const slow = await beginWrites();
  assert.equal(batchesOf(slow), 1);
  queue = StartQueue.ofWrites(() => nowMs);
  await endWrites(await beginWrites(), 0);
  assert.equal(batchesOf(await beginWrites()), 1);
});

test('what comes while a half is being written begins at once', async () => {
  await endWrites(await beginWrites(), 0.5);
  const halves = await beginWrites();
  await endWrites(halves.slice(0, WRITES / 2), 0.5);
  const next = await beginWrites();
  assert.equal(batchesOf(next), 1);
  await endWrites(halves.slice(WRITES / 2), 0.5);
  await endWrites(next, 0.5);
  assert.equal(batchesOf(await beginWrites()), 2);
});

test('a read does not wait for all writes that came before it', async () => {
  let began = 0;
  for (let at = 0; at < 2_000; at++) void startQueueOf('POST').begin().then(() => began++);
  const turns = await countTurns(() => startQueueOf('GET').begin());
  assert.ok(turns <= 2 && began < 1_000, `${turns} turns, after ${began} writes`);
});
