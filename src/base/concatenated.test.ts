import assert from 'node:assert/strict';
import { test } from 'node:test';
import { concatenated } from './concatenated.ts';

test('a separator stands between any two texts, empty ones too, and nowhere else', () => {
  const joined = (...texts: readonly string[]): string => concatenated(texts, ', ', (text) => text);
  assert.deepEqual([joined(), joined('a'), joined('a', 'b', 'c'), joined('', ''), joined('', 'a', '')], ['', 'a', 'a, b, c', ', ', ', a, ']);
});
