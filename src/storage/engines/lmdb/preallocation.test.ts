import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import type { Engine } from '../../engine.ts';
import { FILE } from './database.ts';
import { driver } from './index.ts';
import { LEAST_AHEAD_BYTES, LEAVE_FREE_BYTES, MOST_AHEAD_BYTES } from './limits.ts';
import { Preallocation } from './preallocation.ts';
import { openIn, problemsIn, spaceIn } from './test-support.ts';

describe('the end of the file', () => {
  let folder: string;
  let path: string;
  let engine: Engine | undefined;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orch-lmdb-ahead-'));
    path = join(folder, FILE);
    engine = await openIn(folder);
  });
  afterEach(async () => {
    await engine?.close();
    await rm(folder, { recursive: true });
  });

  const create = (name: string, bytes: number): Promise<unknown> => engine!.commit({ key: `/${name}`, expect: 0, value: Buffer.alloc(bytes, 'x') });

  /** Calls `prepareFor` once; whether it has made the file longer. */
  function extends_(usableBytes: number, lock = (work: () => void): void => work()): boolean {
    const before = spaceIn(folder).aheadBytes;
    const file = openSync(path, 'r+');
    new Preallocation(file, { lock, usableBytes: () => usableBytes }).prepareFor(1);
    closeSync(file);
    return spaceIn(folder).aheadBytes > before;
  }

  it('is ahead of the pages, and not too far, whatever is written', async () => {
    const lengths = new Set<number>();
    for (let i = 0; i < 200; i++) {
      await create(`small-${i}`, 500 + ((i * 997) % 20_000));
      const { aheadBytes, usedBytes } = spaceIn(folder);
      assert.ok(aheadBytes > LEAST_AHEAD_BYTES / 2 && aheadBytes <= MOST_AHEAD_BYTES, `${aheadBytes} ahead after write ${i}`);
      lengths.add(usedBytes + aheadBytes);
    }
    assert.ok(lengths.size > 1 && lengths.size < 20, `it grew ${lengths.size} times`);
    await create('huge', 3 * MOST_AHEAD_BYTES);
    await create('after it', 1);
    assert.ok(spaceIn(folder).aheadBytes > 0);
  });

  it('holds nothing but zeros, and a store with it is whole when it is opened again', async () => {
    for (let i = 0; i < 300; i++) await create(`${i}`, 3_000);
    await engine!.close();
    const { usedBytes, aheadBytes } = spaceIn(folder);
    const bytes = readFileSync(path);
    assert.equal(bytes.length, usedBytes + aheadBytes);
    assert.ok(aheadBytes > 0 && bytes.subarray(usedBytes).every((byte) => byte === 0));
    assert.deepEqual(await problemsIn(folder), []);
    const snapshot = await driver.maintenance!.snapshot(folder);
    assert.equal(snapshot.count, 300);
    await snapshot.close();
    // Nor does a store need it.
    await truncate(path, usedBytes);
    engine = await openIn(folder);
    await create('more', 3_000);
    assert.equal((await engine.get('/299'))?.value.length, 3_000);
  });

  it('is made under the lock, where the disk has room to spare', async () => {
    await create('a', 1);
    await engine!.close();
    engine = undefined;
    await truncate(path, spaceIn(folder).usedBytes);
    assert.ok(!extends_(LEAVE_FREE_BYTES), 'a small disk is left alone');
    assert.ok(!extends_(Infinity, () => {}), 'not without the lock');
    assert.ok(extends_(LEAVE_FREE_BYTES + 1));
    assert.ok(!extends_(Infinity), 'not while there is enough');
  });
});
