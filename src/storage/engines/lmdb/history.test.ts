import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Key, Page } from '../../engine.ts';
import { openTables } from './database.ts';
import { History } from './history.ts';
import { openIn } from './test-support.ts';

test('R4.4-04 a list in pages counts its keys once, wherever the next page begins, now and as of before', async (context) => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-history-'));
  context.after(() => rm(folder, { recursive: true }));
  const engine = await openIn(folder);
  const keys = Array.from({ length: 300 }, (_, i) => `/k/${1000 + i}`);
  await Promise.all(keys.map((key) => engine.commit({ key, expect: 0, value: Buffer.from('x') })));
  const before = await engine.head();
  await engine.commit({ key: '/later', expect: 0, value: Buffer.from('x') });
  await engine.close();

  const tables = openTables(folder);
  context.after(() => tables.root.close());
  let read = 0;
  const { live } = tables;
  const counted = Object.assign(Object.create(live) as typeof live, {
    getRange: (...range: Parameters<typeof live.getRange>) => live.getRange(...range).map((row) => (read++, row)),
    getKeysCount: (...range: Parameters<typeof live.getKeysCount>) => {
      const count = live.getKeysCount(...range);
      read += count;
      return count;
    },
  });
  const nextStarts: readonly ((page: Page) => Key)[] = [({ entries }) => entries.at(-1)!.key, ({ entries }) => `${entries.at(-2)!.key}\0`];
  for (const at of [before, before + 1]) {
    for (const nextStart of nextStarts) {
      const history = new History({ ...tables, live: counted });
      read = 0;
      let start: Key = '/k/';
      for (let left = keys.length; left > 0; left -= 10) {
        const page = history.scan({ start, end: '/k0', at, limit: 11, count: true });
        assert.equal(page.total, left);
        if (left > 10) start = nextStart(page);
      }
      // Once to count them, and once as entries with one ahead on each page.
      assert.ok(read < 3 * keys.length, `${read} rows for ${keys.length} keys`);
    }
  }
});
