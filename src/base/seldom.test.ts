import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seldom } from './seldom.ts';

test('the same text is due once in ten minutes, and a hundred texts are in that time', () => {
  let nowMs = 0;
  const isDue = seldom({ nowMs: () => nowMs, after: () => () => {} });
  assert.deepEqual(['a', 'a', 'b'].map(isDue), [true, false, true]);
  assert.equal(Array.from({ length: 1_000 }, (_, n) => isDue(`text ${n}`)).filter((due) => due).length, 98);
  nowMs = 599_999;
  assert.equal(isDue('c'), false);
  nowMs = 600_000;
  assert.deepEqual(['a', 'a', 'c'].map(isDue), [true, false, true]);
});
