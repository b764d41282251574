import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdsRaw, t, type MessageClass } from '#schema';

class Leaf extends t.message('test.Leaf', { raw: t.rawObject(1) }) {}
class Plain extends t.message('test.Plain', { text: t.string(1), self: t.lazy(2, (): MessageClass<unknown> => Plain) }) {}
class There extends t.message('test.There', { back: t.lazy(1, (): MessageClass<unknown> => Back) }) {}
class Choice extends t.message('test.Choice', { json: t.json(1) }) {}
class Back extends t.message('test.Back', { there: t.one(1, There), leaves: t.map(2, Leaf) }) {}

test('a type holds what its members hold, in lists, maps and types that hold one another', () => {
  class Items extends t.message('test.Items', { plain: t.one(1, Plain), leaves: t.many(2, Leaf) }) {}
  assert.deepEqual([Leaf, Choice, Items, Back, There, Plain].map(({ type }) => holdsRaw(type)), [true, true, true, true, true, false]);
});
