import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inRandomOrder } from './in-random-order.ts';

test('all orders of the same items come, and what was given stays as it is', () => {
  const items = ['a', 'b', 'c'];
  const orders = new Set(Array.from({ length: 1_000 }, () => inRandomOrder(items).join('')));
  assert.deepEqual([...orders].sort(), ['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
  assert.deepEqual([items, inRandomOrder([])], [['a', 'b', 'c'], []]);
});
