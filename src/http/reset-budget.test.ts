import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { DEFAULT_LIMITS } from './limits.ts';
import { ResetBudget } from './reset-budget.ts';

/** That of nghttp2, which looks at whole seconds. */
class LibraryBudget {
  #left = 1_000;
  #second: number;

  constructor(nowMs: number) {
    this.#second = Math.floor(nowMs / 1_000);
  }

  take(nowMs: number): boolean {
    const second = Math.floor(nowMs / 1_000);
    this.#left = Math.min(1_000, this.#left + (second - this.#second) * 33);
    this.#second = second;
    if (this.#left < 1) return false;
    this.#left -= 1;
    return true;
  }
}

test('a peer that resets streams is sent away before the library falls silent, however the resets are spread', () => {
  const spells = fc.array(fc.record({ count: fc.integer({ min: 1, max: 1_200 }), pauseMs: fc.oneof(fc.integer({ min: 0, max: 1_100 }), fc.integer({ min: 0, max: 60_000 })) }), { maxLength: 60, size: 'max' });
  fc.assert(
    fc.property(fc.nat(2_000_000), spells, (beginMs, all) => {
      const [own, library] = [new ResetBudget(DEFAULT_LIMITS, beginMs), new LibraryBudget(beginMs)];
      let nowMs = beginMs;
      for (const { count, pauseMs } of all) {
        for (let i = 0; i < count; i++) {
          if (!own.take(nowMs)) return;
          assert.ok(library.take(nowMs));
        }
        nowMs += pauseMs;
      }
    }),
  );
});

test('what is used up comes back with time, and no more than there was', () => {
  const budget = new ResetBudget({ maxResets: 3, resetsPerSecond: 2 }, 0);
  const taken = (nowMs: number): readonly boolean[] => Array.from({ length: 4 }, () => budget.take(nowMs));
  assert.deepEqual(taken(0), [true, true, true, false]);
  assert.equal(budget.take(500), false);
  assert.deepEqual(taken(1_500), [true, false, false, false]);
  assert.deepEqual(taken(60_000), [true, true, true, false]);
});
