import assert from 'node:assert/strict';
import { test } from 'node:test';
import { t } from '../dsl.ts';
import { quantityScalar } from '../scalars/quantity.ts';
import { isSameByType, isSameMeaning } from './same-meaning.ts';

class Item extends t.message('test/v1.Item', { name: t.string(1), amounts: t.map(2, quantityScalar) }) {}
class Box extends t.message('test/v1.Box', { items: t.many(1, Item), limit: t.maybe.quantity(2), first: t.perhaps(3, Item), shape: t.json(4) }) {}

const pairs: readonly (readonly [one: object, other: object, isSame: boolean])[] = [
  [{}, {}, true],
  [{ limit: '1Gi' }, { limit: '1073741824' }, true],
  [{ limit: '1Gi' }, { limit: '1G' }, false],
  [{ limit: '1Gi' }, {}, false],
  [{ items: [{ name: 'a', amounts: { cpu: '1', memory: '1Ki' } }] }, { items: [{ name: 'a', amounts: { cpu: '1000m', memory: '1024' } }] }, true],
  [{ items: [{ amounts: { cpu: '1' } }] }, { items: [{ amounts: { memory: '1' } }] }, false],
  [{ items: [{}] }, { items: [{}, {}] }, false],
  [{ items: [{ name: '1' }] }, { items: [{ name: '1000m' }] }, false],
  [{ first: { amounts: { cpu: '2' } } }, { first: { amounts: { cpu: '2000m' } } }, true],
  [{ first: {} }, {}, false],
  [{ first: { amounts: JSON.parse('{"__proto__": "1"}') as object } }, { first: { amounts: JSON.parse('{"__proto__": "2"}') as object } }, false],
  [{ shape: { a: '1' } }, { shape: { a: '1000m' } }, false],
];

test('amounts mean the same however they are written, and nothing else does', () => {
  for (const [one, other, isSame] of pairs) {
    assert.equal(isSameMeaning(Box, one, other), isSame, JSON.stringify([one, other]));
    assert.equal(isSameMeaning(Box, other, one), isSame, JSON.stringify([other, one]));
  }
  assert.equal(isSameByType({ is: 'list', of: { is: 'scalar', scalar: quantityScalar } }, ['1k'], ['1000']), true);
});
