import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { NO_OPEN_FILES, openFilesIn } from '#test-support';
import type { KeptEntry } from '../../driver.ts';
import { FILE } from './database.ts';
import { load } from './load.ts';
import { META } from './pages.ts';
import { openIn, problemsIn, spaceIn } from './test-support.ts';

async function makeFolder(context: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'orch-load-'));
  context.after(() => rm(folder, { recursive: true }));
  return folder;
}

test('large values of a backup are on disk, but for a few MiB of them, before more are read', async (context) => {
  const folder = await makeFolder(context);
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

test('small entries of a backup are put together in few transactions, and each in one alone', async (context) => {
  const folder = await makeFolder(context);
  const count = 2_000;
  let looks = 0;
  const entries = async function* (): AsyncGenerator<KeptEntry> {
    for (let n = 0; n < count; n++) {
      yield {
        key: `/k/${n}`,
        revision: 2 + n,
        get value() {
          looks += 1;
          return Buffer.of(1);
        },
      };
    }
  };
  await load(folder, { revision: 1 + count, entries: entries() });
  const file = await readFile(join(folder, FILE));
  const transactions = [0, file.readUInt32LE(META.freeAt)].map((page) => Number(file.readBigUInt64LE(page + META.transactionAt)));
  assert.ok(Math.max(...transactions) < 20, `${transactions.join(' ')} transactions`);
  assert.ok(looks <= 8 * count, `${looks} looks at ${count} values`);
});

test('a store is let go of once it is made of a backup, or that turns out to be damaged', { skip: NO_OPEN_FILES }, async (context) => {
  for (const damage of [undefined, new Error('damaged')]) {
    const folder = await makeFolder(context);
    const entries = async function* (): AsyncGenerator<KeptEntry> {
      yield { key: '/k', value: Buffer.of(1), revision: 2 };
      if (damage !== undefined) throw damage;
    };
    const loaded = load(folder, { revision: 2, entries: entries() }).then(() => undefined, (cause: unknown) => cause);
    assert.equal(await loaded, damage);
    assert.deepEqual(await openFilesIn(folder), []);
  }
});
