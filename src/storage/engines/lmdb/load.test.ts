import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { KeptEntry } from '../../driver.ts';
import { load } from './load.ts';
import { openIn, problemsIn, spaceIn } from './test-support.ts';

test('large values of a backup are on disk, but for a few MiB of them, before more are read', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-load-'));
  context.after(() => rm(folder, { recursive: true }));
  const [count, bytes] = [30, 1_000_000];
  const ahead: number[] = [];
  const entries = async function* (): AsyncGenerator<KeptEntry> {
    for (let n = 0; n < count; n++) {
      ahead.push(n * bytes - spaceIn(folder).usedBytes);
      yield { key: `/k/${n}`, value: Buffer.alloc(bytes, n), revision: 2 + n };
    }
  };
  await load(folder, { revision: 100, entries: entries() });
  assert.ok(Math.max(...ahead) < 6_000_000, ahead.join(' '));
  assert.deepEqual(await problemsIn(folder), []);
  const engine = await openIn(folder);
  for (let n = 0; n < count; n++) assert.deepEqual((await engine.get(`/k/${n}`))?.value, Buffer.alloc(bytes, n));
  assert.equal(await engine.head(), 100);
  await engine.close();
});
