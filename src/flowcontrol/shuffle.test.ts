import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { dealHand } from './shuffle.ts';

test('a hand has different queues of those there are, and the same ones every time', () => {
  fc.assert(
    fc.property(fc.string(), fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 40 }), (flow, queues, handSize) => {
      const hand = dealHand(flow, queues, handSize);
      assert.equal(hand.length, Math.min(queues, handSize));
      assert.equal(new Set(hand).size, hand.length);
      assert.ok(hand.every((index) => index >= 0 && index < queues));
      assert.deepEqual(dealHand(flow, queues, handSize), hand);
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('of a hundred flows next to none has all its queues in common with a given one', () => {
  const elephant = new Set(dealHand('elephant', 128, 6));
  const squashed = Array.from({ length: 100 }, (_, at) => dealHand(`mouse-${at}`, 128, 6)).filter((hand) => hand.every((index) => elephant.has(index)));
  assert.equal(squashed.length, 0);
});

test('all queues are used alike', () => {
  const used = new Array<number>(16).fill(0);
  for (let flow = 0; flow < 4000; flow++) for (const index of dealHand(`flow-${flow}`, 16, 4)) used[index]!++;
  assert.ok(used.every((count) => count > 900 && count < 1100), used.join(' '));
});
