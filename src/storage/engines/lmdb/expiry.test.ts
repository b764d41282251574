import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from '#base';
import type { Tables } from './database.ts';
import { Expiry } from './expiry.ts';
import type { GroupCommit } from './group-commit.ts';

test('a store that cannot be read just then is told of, and what expires is looked for again', async () => {
  const clock = new StillClock();
  const due = [{ key: [clock.nowMs() + 1_000, '/a'], value: 2 }];
  const failing = new Error('the disk failed');
  const told: unknown[] = [];
  const reads = [() => due, () => assert.fail(failing), () => due];
  const tables = { expiries: { getRange: () => reads.shift()?.() ?? [] } } as unknown as Tables;
  const commits = { commit: async (write: unknown) => void told.push(write) } as unknown as GroupCommit;
  const expiry = new Expiry(tables, commits, clock, (cause) => told.push(cause));
  clock.turn(1_000);
  assert.deepEqual(told, [failing]);
  clock.turn(1_000);
  assert.deepEqual(told, [failing, { key: '/a', expect: 2 }]);
  expiry.stop();
});
