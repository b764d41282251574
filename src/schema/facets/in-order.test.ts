import assert from 'node:assert/strict';
import { test } from 'node:test';
import { t } from '#schema';
import { inOrder } from './in-order.ts';

class Point extends t.message('test.Point', { x: t.int32(1), y: t.int32(2), label: t.string(3) }) {}

test('members stand in the order of the type, unknown ones behind them, and those that are undefined nowhere', () => {
  assert.equal(JSON.stringify(inOrder(Point.type, { other: 1, label: 'l', y: undefined, x: 0 })), '{"x":0,"label":"l","other":1}');
  assert.deepEqual(Object.keys(inOrder(Point.type, { y: undefined, x: 1 })), ['x']);
});
