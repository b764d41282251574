import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemsOf } from './list-items.ts';
import { DEDUCED, type KeyedList } from './structure-form.ts';
import { StructureFailure } from './structure-failure.ts';

const keyed = (...keys: KeyedList['keys']): KeyedList => ({ is: 'keyed', keys, of: () => DEDUCED });
const items = (count: number): readonly object[] => Array.from({ length: count }, (_, at) => ({ a: at }));
const a = { name: 'a', fallback: undefined };

test('keys that are left out are part of what tells items apart', () => {
  const list = keyed(a, { name: 'b', fallback: 'x' });
  assert.deepEqual([...itemsOf(list, [{ a: 1 }, { a: 1, b: 'y' }], []).keys()], ['k:{"a":1,"b":"x"}', 'k:{"a":1,"b":"y"}']);
});

test('many small items do not multiply with many keys that they leave out, or with long ones', () => {
  const long = keyed(a, { name: 'b'.repeat(100_000), fallback: 'x' });
  const many = keyed(a, ...Array.from({ length: 10_000 }, (_, at) => ({ name: `b${at}`, fallback: 'x' })));
  for (const list of [long, many]) {
    assert.equal(itemsOf(list, items(20), []).size, 20);
    assert.throws(() => itemsOf(list, items(2_000), []), StructureFailure);
  }
});
