import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from '#base';
import { readAnew } from './read-anew.ts';

test('what files hold is read anew every ten seconds, and stays where it cannot be read', async () => {
  const clock = new StillClock();
  const gone = async (): Promise<string> => assert.fail('the file is gone');
  const answers = [async () => 'second', gone, gone, async () => 'third', gone];
  const said: string[] = [];
  const current = readAnew('first', () => (answers.shift() ?? assert.fail('read too often'))(), { clock, failed: (why) => said.push(why) });
  assert.equal(await current(), 'second');
  clock.turn(9_999);
  assert.equal(await current(), 'second');
  clock.turn(1);
  assert.equal(await current(), 'second');
  clock.turn(10_000);
  assert.equal(await current(), 'second');
  assert.deepEqual(said, ['the file is gone'], 'once');
  clock.turn(10_000);
  assert.equal(await current(), 'third');
  clock.turn(10_000);
  assert.equal(await current(), 'third');
  assert.deepEqual(said, ['the file is gone', 'the file is gone']);
});
