import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { merge, mergeOrder } from './merge.ts';
import type { Structure } from './structure-form.ts';

const items = fc.uniqueArray(fc.constantFrom<string>('a', 'b', 'c', 'd', 'e', 'f', 'g'));

test('merged lists have every item once, in the order of the config, the others in the order of the live list', () => {
  fc.assert(
    fc.property(items, items, (live, config) => {
      const merged = mergeOrder(live, config);
      assert.deepEqual([...merged].sort(), [...new Set([...live, ...config])].sort());
      assert.deepEqual(merged.filter((item) => config.includes(item)), config);
      const others = live.filter((item) => !config.includes(item));
      assert.deepEqual(merged.filter((item) => !config.includes(item)), others);
    }),
  );
});

test('items that the config does not have stay beside their neighbours', () => {
  assert.deepEqual(mergeOrder(['a', 'b', 'c'], ['d']), ['a', 'b', 'c', 'd']);
  assert.deepEqual(mergeOrder(['a', 'b', 'c'], ['a', 'x', 'c']), ['a', 'b', 'x', 'c']);
  assert.deepEqual(mergeOrder(['a', 'b', 'c'], ['c', 'a']), ['b', 'c', 'a']);
});

test('nothing laid over nothing is what was said last: null, no items or no members', () => {
  const leaf = (): Structure => ({ is: 'leaf' });
  const lists: readonly Structure[] = [{ is: 'set' }, { is: 'keyed', keys: [{ name: 'k', fallback: undefined }], of: leaf }];
  for (const structure of lists) {
    for (const live of [undefined, null, []]) {
      for (const config of [null, []]) assert.deepEqual(merge(structure, live, config), config);
    }
  }
  const maps: readonly Structure[] = [{ is: 'map', of: leaf }, { is: 'struct', fields: new Map() }, { is: 'deduced' }];
  for (const structure of maps) {
    for (const live of [undefined, null, {}]) {
      for (const config of [null, {}]) assert.deepEqual(merge(structure, live, config), config);
    }
  }
});
