import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareUtf8 } from '#base';
import { createStored, endOf, type Stored } from '#storage';
import { pageOf } from './page.ts';
import { State } from './state.ts';

const value = new TextEncoder().encode('{"metadata":{}}');
const stored = (key: string, revision = 1): Stored => createStored({ key, value: new Uint8Array(value), revision }, () => ({}));
/** Characters that UTF-16 has in another order than UTF-8 among them: names of roles may have any. */
const LETTERS = ['k', '\u{1f600}', '\uffee', '\u00e9'];
const keyOf = (n: number): string => `/r/${n % 3}/${LETTERS[n % LETTERS.length]}${String(n).padStart(4, '0')}`;
const keysOf = (items: readonly Stored[]): string[] => items.map(({ key }) => key);

const steps = fc.array(fc.record({ n: fc.nat({ max: 300 }), isGone: fc.boolean() }), { maxLength: 600, size: 'max' });

test('the state is what was set and not deleted, in order, page by page', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.integer({ min: 1, max: 200 }), fc.nat({ max: 300 }), fc.tuple(fc.nat({ max: 300 }), fc.nat({ max: 300 }), fc.constantFrom(7, 1_000)), async (changes, limit, loaded, [low, high, spared]) => {
      const state = new State();
      const model = new Map<string, Stored>();
      const first = [...new Set(Array.from({ length: loaded }, (_, n) => keyOf(n)))].sort(compareUtf8).map((key) => stored(key));
      state.load(first);
      for (const one of first) model.set(one.key, one);
      changes.forEach(({ n, isGone }, at) => {
        const key = keyOf(n);
        if (isGone) {
          state.delete(key);
          model.delete(key);
        } else {
          const next = stored(key, at + 2);
          state.set(next);
          model.set(key, next);
        }
      });
      // A stretch that goes all at once leaves no runs behind, or short ones where it goes but for a few.
      const stretch = [...model.keys()].sort(compareUtf8).slice(low, high);
      stretch.forEach((key, at) => {
        if (at % spared === 0) return;
        state.delete(key);
        model.delete(key);
      });
      for (let n = 0; n <= 300; n++) assert.equal(state.get(keyOf(n)), model.get(keyOf(n)));
      const { snapshot } = state;
      assert.ok(snapshot.every(({ items }) => items.length > 0 && items.length <= 64));
      for (const prefix of ['/r/', '/r/1/', keyOf(7), '/q/']) {
        const expected = [...model.keys()].filter((key) => compareUtf8(key, prefix) >= 0 && compareUtf8(key, endOf(prefix)) < 0).sort(compareUtf8);
        const seen: string[] = [];
        let from: string | undefined;
        do {
          const page = await pageOf(snapshot, { prefix, freshness: 'any', limit, ...(from === undefined ? {} : { from }) }, 1);
          assert.deepEqual(keysOf((page.runs ?? []).flatMap(({ items }) => items)), keysOf(page.items));
          seen.push(...keysOf(page.items));
          assert.ok(page.items.length <= limit);
          if (page.next !== undefined) assert.deepEqual([page.items.length, page.remaining], [limit, expected.length - seen.length]);
          from = page.next;
        } while (from !== undefined);
        assert.deepEqual(seen, expected);
      }
    }),
    { numRuns: 60 },
  );
});

test('what stands behind runs that grew short and were joined stays', () => {
  const keys = Array.from({ length: 480 }, (_, n) => `/r/${String(n).padStart(3, '0')}`);
  const state = new State();
  state.load(keys.map((key) => stored(key)));
  const left = keys.filter((_, n) => n % 8 === 0 || n >= 240);
  for (const key of keys.toReversed()) if (!left.includes(key)) state.delete(key);
  assert.deepEqual(state.snapshot.flatMap(({ items }) => keysOf(items)), left);
  assert.ok(state.snapshot.length < 10, 'short runs are joined');
});

test('a snapshot stays as it was taken', () => {
  const state = new State();
  state.load(Array.from({ length: 200 }, (_, n) => `/r/${String(n).padStart(3, '0')}`).map((key) => stored(key)));
  const { snapshot } = state;
  const before = snapshot.map(({ items }) => [...items]);
  for (let n = 0; n < 200; n += 2) state.delete(`/r/${String(n).padStart(3, '0')}`);
  for (let n = 0; n < 100; n++) state.set(stored(`/r/x${n}`, 2));
  assert.deepEqual(snapshot.map(({ items }) => items), before);
  const later = state.snapshot;
  const { length } = later;
  state.load([]);
  assert.deepEqual([later.length, state.snapshot.length], [length, 0]);
});

test('what comes one by one shares runs, whichever comes first', () => {
  const keys = Array.from({ length: 640 }, (_, n) => `/r/${String(n).padStart(3, '0')}`);
  for (const order of [keys, keys.toReversed()]) {
    const state = new State();
    for (const key of order) state.set(stored(key));
    assert.deepEqual(state.snapshot.flatMap(({ items }) => keysOf(items)), keys);
    assert.ok(state.snapshot.length <= 20, `${state.snapshot.length} runs`);
  }
});
