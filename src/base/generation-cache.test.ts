import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { GenerationCache } from './index.ts';

const MAX_WEIGHT = 40;
const HEAVIEST = 12;
const KEYS = Array.from({ length: 60 }, (_, at) => at);

type Cache = GenerationCache<number, { readonly weight: number }>;
const newCache = (): Cache => new GenerationCache(MAX_WEIGHT, ({ weight }) => weight);

const key = fc.nat({ max: KEYS.length - 1 });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('set'), key, fc.integer({ min: 1, max: HEAVIEST })) },
  fc.tuple(fc.constant('get'), key, fc.constant(0)),
  fc.tuple(fc.constant('delete'), key, fc.constant(0)),
);

test('what is found was written last, and what is held weighs little more than the bound, whatever is written, read, replaced and deleted', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300, size: 'max' }), (steps) => {
      const cache = newCache();
      const written = new Map<number, { readonly weight: number }>();
      for (const [what, at, weight] of steps) {
        if (what === 'set') written.set(at, { weight });
        if (what === 'delete') written.delete(at);
        const value = written.get(at);
        if (what === 'set' && value !== undefined) cache.set(at, value);
        if (what === 'delete') cache.delete(at);
        const found = cache.get(at);
        if (what === 'set') assert.equal(found, value);
        else assert.ok(found === undefined || found === value);
      }
      const held = KEYS.map((one) => cache.get(one)?.weight ?? 0).reduce((sum, one) => sum + one, 0);
      assert.ok(held <= MAX_WEIGHT + 2 * HEAVIEST, `${held} is held`);
    }),
  );
});

test('entries that grow when they are replaced are weighed as they are', () => {
  const cache = newCache();
  for (const weight of [1, HEAVIEST]) for (let at = 0; at < 15; at++) cache.set(at, { weight });
  assert.ok(KEYS.filter((one) => cache.get(one) !== undefined).length * HEAVIEST <= MAX_WEIGHT + 2 * HEAVIEST);
});

test('replacing and deleting makes room again, and what is read stays longer than what is not', () => {
  const cache = newCache();
  cache.set(0, { weight: 1 });
  cache.set(1, { weight: 1 });
  for (let times = 0; times < 1000; times++) {
    cache.set(2, { weight: HEAVIEST });
    cache.set(3, { weight: 1 });
    cache.delete(3);
  }
  assert.ok(cache.get(0) !== undefined && cache.get(1) !== undefined);
  for (let at = 4; at < 60; at++) {
    cache.set(at, { weight: 1 });
    cache.get(0);
  }
  assert.deepEqual([cache.get(0) !== undefined, cache.get(1) !== undefined], [true, false]);
});
