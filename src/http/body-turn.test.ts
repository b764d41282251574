import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countTurns } from '#base';
import { whenInTurn } from './body-turn.ts';

const bodies = (count: number, length: number): readonly Uint8Array[] => Array.from({ length: count }, () => new Uint8Array(length));
const waiting = (some: readonly Uint8Array[]): readonly Promise<unknown>[] => some.map(whenInTurn).filter((one) => one instanceof Promise);

test('long bodies that arrive at once are begun one after the other, each in a turn of its own', async () => {
  const turns = await countTurns(() => Promise.all(waiting(bodies(16, 3 * 1024 * 1024))));
  assert.ok(turns >= 15, `${turns} turns`);
});

test('bodies are begun together up to a bound, and short ones do not wait for others', async () => {
  const late = waiting(bodies(16, 16 * 1024));
  assert.equal(late.length, 12);
  assert.equal(waiting(bodies(100, 4 * 1024)).length, 0);
  await Promise.all(late);
  assert.equal(waiting(bodies(4, 16 * 1024)).length, 0);
});
