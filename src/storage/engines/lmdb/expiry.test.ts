import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { StillClock } from '#base';
import type { Tables } from './database.ts';
import { Expiry, readFirstEnd } from './expiry.ts';
import type { GroupCommit } from './group-commit.ts';
import { openIn } from './test-support.ts';

test('a store that cannot be read just then is told of, and what expires is looked for again', async () => {
  const clock = new StillClock();
  const due = [{ key: [clock.nowMs() + 1_000, '/a'], value: 2 }];
  const failing = new Error('the disk failed');
  const told: unknown[] = [];
  const reads = [() => due, () => assert.fail(failing), () => due];
  const tables = { expiries: { getRange: () => reads.shift()?.() ?? [] } } as unknown as Tables;
  const commits = { commit: async (write: unknown) => void told.push(write) } as unknown as GroupCommit;
  const expiry = new Expiry(tables, commits, clock, readFirstEnd(tables), (cause) => told.push(cause));
  clock.turn(1_000);
  assert.deepEqual(told, [failing]);
  clock.turn(1_000);
  assert.deepEqual(told, [failing, { key: '/a', expect: 2 }]);
  expiry.stop();
});

test('an entry whose time is over before it is on disk expires all the same', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-expiry-'));
  context.after(() => rm(folder, { recursive: true }));
  const clock = new StillClock();
  const engine = await openIn(folder, clock);
  const written = engine.commit({ key: '/a', expect: 0, value: Buffer.from('x'), ttlSeconds: 1 });
  clock.turn(2_000);
  assert.equal((await written).done, true);
  clock.turn(0);
  // In one group with the delete, or behind it.
  await engine.commit({ key: '/b', expect: 0, value: Buffer.from('x') });
  assert.equal(await engine.get('/a'), undefined);
  await engine.close();
});
