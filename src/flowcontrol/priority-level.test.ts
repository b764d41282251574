import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FlowQueue, Waiter } from './flow-queue.ts';
import { PriorityLevel } from './priority-level.ts';

const waiterOf = (distinguisher: string): Waiter => ({ schemaName: 's', distinguisher, seats: 1, arrivedAtMs: 0, details: {}, start: () => {} }) as unknown as Waiter;

/** A level whose only seat is taken. */
function busyLevel(queues: number, handSize: number, queueLengthLimit: number): PriorityLevel {
  const level = new PriorityLevel('busy', { isExempt: false, shares: 1, queuing: { queues, handSize, queueLengthLimit } });
  level.take(1);
  return level;
}

test('a flow fills all queues of its hand and no others, the one with the least work first; of several the one that is due first', () => {
  const level = busyLevel(64, 4, 3);
  const enqueue = (): FlowQueue | undefined => level.enqueue(waiterOf('alice'));
  const hand = Array.from({ length: 4 }, enqueue);
  assert.equal(new Set(hand).size, 4);
  const longer = enqueue();
  const [due] = hand.filter((queue) => queue !== longer).slice(-1);
  // The one that has more work is due first of all.
  longer!.dueAt = -2;
  due!.dueAt = -1;
  assert.equal(enqueue(), due);
  const rest = Array.from({ length: 6 }, enqueue);
  assert.deepEqual(new Set(rest), new Set(hand));
  assert.deepEqual([[...level.queues].map(({ waiting }) => waiting.length), enqueue()], [[3, 3, 3, 3], undefined]);
});

test('queues that nobody waits in are not kept when there are many; those that somebody waits in are, however many come behind it', () => {
  const level = busyLevel(10_000, 1, 50);
  const first = waiterOf('first');
  const queue = level.enqueue(first);
  for (let n = 0; n < 3_000; n++) {
    const waiter = waiterOf(`${n}`);
    const passing = level.enqueue(waiter);
    if (passing !== queue) level.leaveQueue(passing!, waiter);
  }
  assert.ok([...level.queues].length <= 1_024);
  level.release(1);
  assert.equal(level.startFirst(level.next()!), first);
});
