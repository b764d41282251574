import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeTurns } from './take-turns.ts';

test('a loop over calls that resolve in microtasks alone does not keep the event loop from its timers', async () => {
  const rung = new AbortController();
  setTimeout(() => rung.abort(), 1);
  while (!rung.signal.aborted) await takeTurns();
});

test('all who call at the end of a row begin the next one together', async () => {
  let turn: Promise<void> | undefined;
  while (turn === undefined) turn = takeTurns();
  assert.equal(takeTurns(), turn);
  await turn;
  assert.notEqual(takeTurns(), turn);
});
