import assert from 'node:assert/strict';
import { test } from 'node:test';
import { when } from './when.ts';

test('what is at hand is gone on with at once, what is promised after it', async () => {
  assert.equal(when(1, (value) => value + 1), 2);
  assert.equal(when(undefined, () => 'done'), 'done');
  const later = when(Promise.resolve(1), (value) => value + 1);
  assert.ok(later instanceof Promise);
  assert.equal(await later, 2);
});

test('a promise that is rejected does not go on', async () => {
  const failure = new Error('no');
  await assert.rejects(async () => when(Promise.reject(failure), () => assert.fail('must not be called')), failure);
});
