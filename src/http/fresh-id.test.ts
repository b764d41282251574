import assert from 'node:assert/strict';
import { test } from 'node:test';
import { freshId } from './fresh-id.ts';

test('ids are random UUIDs of version 4, and no two are the same', () => {
  const ids = Array.from({ length: 1_000 }, freshId);
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(new Set(ids).size, ids.length);
});

test('every digit that is not given takes every value', () => {
  const ids = Array.from({ length: 2_000 }, freshId);
  for (let place = 0; place < 36; place++) {
    const seen = new Set(ids.map((id) => id[place])).size;
    assert.equal(seen, [8, 13, 18, 23, 14].includes(place) ? 1 : place === 19 ? 4 : 16, `place ${place}`);
  }
});
