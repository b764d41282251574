import assert from 'node:assert/strict';
import files, { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import { StillClock } from '#base';
import type { Engine } from '../../engine.ts';
import { FILE } from './database.ts';
import { driver } from './index.ts';
import { AllocatedSpace } from './allocated-space.ts';
import { LEAST_AHEAD_BYTES, MOST_AHEAD_BYTES, RESERVED_DISK_BYTES, TRIM_EVERY_MS } from './limits.ts';
import { giveSpaceBack, Preallocation } from './preallocation.ts';
import { openIn, problemsIn, spaceIn } from './test-support.ts';

describe('the end of the file', () => {
  let folder: string;
  let path: string;
  let engine: Engine | undefined;
  let clock: StillClock;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orch-lmdb-ahead-'));
    path = join(folder, FILE);
    clock = new StillClock();
    engine = await openIn(folder, clock);
  });
  afterEach(async () => {
    await engine?.close();
    await rm(folder, { recursive: true });
  });

  const create = (name: string, bytes: number): Promise<unknown> => engine!.commit({ key: `/${name}`, expect: 0, value: Buffer.alloc(bytes, 'x') });

  /** Prepares for one transaction, or asks for the reserve; by how much that has made the file longer. */
  function extend(spareBytes: number, { lock = (work: () => void): void => work(), reservedBytes = 0, isPlentiful = true, isAsked = false } = {}): number {
    const before = spaceIn(folder).aheadBytes;
    const file = openSync(path, 'r+');
    const preallocation = new Preallocation(file, { lock, spareBytes: () => spareBytes, reservedBytes, isPlentiful: () => isPlentiful });
    if (isAsked) preallocation.keepReserve();
    else preallocation.prepareFor(1);
    closeSync(file);
    return spaceIn(folder).aheadBytes - before;
  }

  /** The lock where nothing may be made. */
  const untouched = (): never => assert.fail('nobody has to wait');

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

  it('is made under the lock, and of the space that the disk can spare', async () => {
    await withoutSpace();
    assert.equal(extend(65_535, { lock: untouched }), 0, 'nobody waits where there is no space');
    assert.equal(extend(Infinity, { lock: () => {} }), 0, 'not without the lock');
    assert.equal(extend(65_536), 65_536);
    assert.equal(extend(300_000), 4 * 65_536);
    assert.ok(extend(Infinity) > 0);
    assert.equal(extend(Infinity, { lock: untouched }), 0, 'not while there is enough');
  });

  it('is looked at only when what was there may have been taken since, and a failure to make it longer is told', async () => {
    await withoutSpace();
    for (const isThere of [false, true]) {
      let locked = 0;
      const lock = (work: () => void): void => {
        locked++;
        work();
      };
      const file = openSync(path, 'r+');
      const preallocation = new Preallocation(file, { lock, spareBytes: () => Infinity, reservedBytes: 0, isPlentiful: () => true });
      preallocation.prepareFor(0);
      assert.equal(locked, isThere ? 0 : 1);
      const bytes = spaceIn(folder).aheadBytes - LEAST_AHEAD_BYTES + 1;
      closeSync(file);
      // Who looks at a file that is closed fails.
      preallocation.prepareFor(bytes);
      assert.throws(() => preallocation.prepareFor(1), /EBADF/);
    }
    await truncate(path, spaceIn(folder).usedBytes);
    const file = openSync(path, 'r');
    const preallocation = new Preallocation(file, { lock: (work) => work(), spareBytes: () => Infinity, reservedBytes: 0, isPlentiful: () => true });
    assert.throws(() => preallocation.prepareFor(1), /EBADF/);
    closeSync(file);
  });

  it('is left as it is where another program, or a limit, has taken the space: whether a write has some shows when it is written', async () => {
    await withoutSpace();
    for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO']) {
      const full = mock.method(files, 'writevSync', () => {
        throw Object.assign(new Error(code), { code });
      });
      syncBuiltinESMExports();
      try {
        if (code === 'EIO') assert.throws(() => extend(Infinity), { code });
        else assert.equal(extend(Infinity), 0);
      } finally {
        full.mock.restore();
        syncBuiltinESMExports();
      }
    }
  });

  it('has the reserve before each write only where the disk may soon be full, and otherwise when it is asked for', async () => {
    await withoutSpace();
    const reservedBytes = RESERVED_DISK_BYTES;
    assert.equal(extend(Infinity, { isAsked: true, lock: untouched }), 0, 'there is none to keep');
    const alone = extend(Infinity, { reservedBytes });
    assert.ok(alone > 0 && alone <= MOST_AHEAD_BYTES, `${alone}`);
    assert.equal(extend(Infinity, { reservedBytes, isPlentiful: false }), reservedBytes);
    await truncate(path, spaceIn(folder).usedBytes);
    assert.equal(extend(Infinity, { reservedBytes, isAsked: true }), alone + reservedBytes);
    assert.equal(extend(Infinity, { reservedBytes, isAsked: true }), 0);
  });

  it('gets the reserve while nobody writes', async (t) => {
    if (!isLasting()) {
      t.skip('the file system of this folder writes elsewhere what a file has');
      return;
    }
    await create('a', 1);
    assert.ok(spaceIn(folder).aheadBytes <= MOST_AHEAD_BYTES);
    clock.turn(TRIM_EVERY_MS);
    await engine!.close();
    engine = undefined;
    const { aheadBytes } = spaceIn(folder);
    assert.ok(aheadBytes >= RESERVED_DISK_BYTES + LEAST_AHEAD_BYTES, `${aheadBytes}`);
  });

  it('is given back a little at a time, and no page with it', async () => {
    await withoutSpace();
    assert.equal(giveSpaceBack(path), false);
    extend(200_000);
    const { usedBytes, aheadBytes } = spaceIn(folder);
    // Less than is given back at once.
    await truncate(path, usedBytes + aheadBytes - 10_000);
    const left: number[] = [];
    while (giveSpaceBack(path)) left.push(spaceIn(folder).aheadBytes);
    assert.deepEqual([left.length, left.at(-1)], [3, 0]);
    assert.deepEqual(await problemsIn(folder), []);
  });

  function isLasting(): boolean {
    const file = openSync(path, 'r+');
    try {
      return new AllocatedSpace(folder, file).isLasting;
    } finally {
      closeSync(file);
    }
  }

  async function withoutSpace(): Promise<void> {
    await create('a', 1);
    await engine!.close();
    engine = undefined;
    await truncate(path, spaceIn(folder).usedBytes);
  }
});
