import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ApiObject } from '#api';
import { formatKey, Indexer, keyOf, parseKey } from './indexer.ts';

const WORDS = ['x', 'y', ''];
const name = fc.constantFrom('a', 'b', 'c');
const namespace = fc.constantFrom('', 'n', 'm');
const object = fc.record({ metadata: fc.record({ namespace, name }), words: fc.uniqueArray(fc.constantFrom(...WORDS)) });
type Worded = ApiObject & { readonly words: readonly string[] };

const step = fc.oneof(
  fc.record({ put: object }),
  fc.record({ remove: fc.record({ namespace, name }) }),
  // Before, between or after the others.
  fc.constant({ index: true } as const),
);

test('an index finds what a look at every object would, whenever it was added', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40, size: 'max' }), (steps) => {
      const indexer = new Indexer<Worded>();
      const model = new Map<string, Worded>();
      let hasIndex = false;
      for (const one of steps) {
        if ('put' in one) {
          const next = { apiVersion: 'v1', kind: 'X', ...one.put } as Worded;
          const key = formatKey(keyOf(next));
          assert.equal(indexer.put(next), model.get(key));
          model.set(key, next);
        } else if ('remove' in one) {
          const key = formatKey(one.remove);
          assert.equal(indexer.remove(one.remove), model.get(key));
          model.delete(key);
        } else {
          indexer.addIndex('words', ({ words }) => words);
          hasIndex = true;
        }
        const all = [...model.values()];
        assert.equal(indexer.size, all.length);
        assert.deepEqual(new Set(indexer.list()), new Set(all));
        for (const one of all) assert.equal(indexer.get(keyOf(one)), one);
        for (const space of ['', 'n', 'm', 'none']) assert.deepEqual(new Set(indexer.list(space)), new Set(all.filter(({ metadata }) => metadata.namespace === space)));
        if (!hasIndex) continue;
        for (const word of WORDS) assert.deepEqual(new Set(indexer.by('words', word)), new Set(all.filter(({ words }) => words.includes(word))));
      }
    }),
  );
});

test('an index that nobody has added is named', () => {
  assert.throws(() => new Indexer().by('words', 'x'), /there is no index "words"/);
});

test('a key is read back from its text', () => {
  for (const key of [{ namespace: '', name: 'a' }, { namespace: 'n', name: 'a' }]) assert.deepEqual(parseKey(formatKey(key)), key);
});
