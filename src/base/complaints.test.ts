import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Complaints } from './complaints.ts';

test('each reason is told once, whichever come between, and anew after a success', () => {
  const told: string[] = [];
  const complaints = new Complaints((why) => told.push(why));
  for (const cause of [new Error('a'), 'b', new Error('a'), 'b']) complaints.add(cause);
  assert.deepEqual(told, ['a', 'b']);
  complaints.clear();
  complaints.add('a');
  assert.deepEqual(told, ['a', 'b', 'a']);
});
