import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { StillClock } from '#base';
import { StorageFailure } from '../../storage-failure.ts';
import { Compaction } from './compaction.ts';
import { openTables } from './database.ts';
import type { GroupCommit } from './group-commit.ts';
import { History } from './history.ts';
import { openIn } from './test-support.ts';

test('space is asked for where something is to be forgotten, and nowhere else: on a full disk the rest goes on, and all when it has space again', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-compaction-'));
  context.after(() => rm(folder, { recursive: true }));
  const clock = new StillClock();
  const engine = await openIn(folder, clock);
  for (const expect of [0, 2, 3]) await engine.commit({ key: '/a', expect, value: Buffer.from('x') });
  await engine.compact(3);
  await engine.close();
  const tables = openTables(folder);
  context.after(() => tables.root.close());
  const full = new StorageFailure('full', 'no space');
  let isFull = true;
  const commits: Pick<GroupCommit, 'run' | 'takeToForget'> = {
    run: async (work) => work().result,
    takeToForget(records) {
      if (isFull) throw full;
      return records;
    },
  };
  const compaction = new Compaction(tables, new History(tables), commits as GroupCommit);
  for (const forgotten of [1, 3]) await compaction.compact(forgotten);
  await compaction.trim(clock.nowMs() + 999, 1_000);
  await assert.rejects(compaction.compact(4), full);
  await assert.rejects(compaction.trim(clock.nowMs() + 1_000, 1_000), full);
  isFull = false;
  await compaction.compact(4);
});
