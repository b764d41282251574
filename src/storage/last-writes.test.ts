import assert from 'node:assert/strict';
import { it } from 'node:test';
import { LastWrites } from './last-writes.ts';

/** Adds holders of so many bytes each, in this order; returns which of them hold their objects at the end. */
function held(writes: LastWrites, sizes: readonly number[]): readonly number[] {
  const holding = new Set<number>();
  sizes.forEach((bytes, at) => {
    writes.add({ forgetObject: () => assert.ok(holding.delete(at), `${at} forgets once`) }, bytes);
    holding.add(at);
  });
  return [...holding];
}

it('holds the objects of the last writes, as many as it may', () => {
  assert.deepEqual(held(new LastWrites(3, 100), [1, 1]), [0, 1]);
  assert.deepEqual(held(new LastWrites(3, 100), [1, 1, 1, 1, 1, 1, 1, 1]), [5, 6, 7]);
});

it('holds fewer when they are large, and the last one whatever its size', () => {
  const sizes = [40, 40, 20, 50, 200, 60, 30, 10];
  assert.deepEqual(held(new LastWrites(10, 100), sizes.slice(0, 3)), [0, 1, 2]);
  assert.deepEqual(held(new LastWrites(10, 100), sizes.slice(0, 4)), [2, 3]);
  assert.deepEqual(held(new LastWrites(10, 100), sizes.slice(0, 5)), [4]);
  assert.deepEqual(held(new LastWrites(10, 100), sizes), [5, 6, 7]);
});
