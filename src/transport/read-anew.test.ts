import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from '#base';
import { readAnew } from './read-anew.ts';

test('what files hold is read anew every ten seconds, and stays where it cannot be read', async () => {
  const clock = new StillClock();
  const answers = [async () => 'second', async () => assert.fail('the file is gone'), async () => 'third'];
  const current = readAnew('first', () => (answers.shift() ?? assert.fail('read too often'))(), clock);
  assert.equal(await current(), 'second');
  clock.turn(9_999);
  assert.equal(await current(), 'second');
  clock.turn(1);
  assert.equal(await current(), 'second');
  clock.turn(10_000);
  assert.equal(await current(), 'third');
});
