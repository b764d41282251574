import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { StillClock } from '#base';
import { openIn } from './test-support.ts';

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
