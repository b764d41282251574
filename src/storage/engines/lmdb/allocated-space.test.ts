import assert from 'node:assert/strict';
import files, { closeSync, ftruncateSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, mock, type TestContext } from 'node:test';
import { AllocatedSpace } from './allocated-space.ts';
import { FILE } from './database.ts';
import { LEAVE_FREE_BYTES, RESERVED_DISK_BYTES, SPARE_DISK_BYTES } from './limits.ts';
import { openIn, spaceIn } from './test-support.ts';

const EXT4 = 0xef53;
const XFS = 0x5846_5342;
const MIB = 1024 * 1024;

interface Measured {
  readonly usableBytes: number;
  readonly isPlentiful: boolean;
  readonly spareBytes: number;
  readonly hasFreePages: boolean;
}

/** What there is for the pages of the file on a disk of this file system with so many free bytes; undefined: the system does not say. */
function measuredOn(disk: { readonly type: number; readonly bavail: number } | undefined, folder: string, file: number): Measured {
  const asked = mock.method(files, 'statfsSync', () => {
    if (disk === undefined) throw Object.assign(new Error('ENOSYS: function not implemented, statfs'), { code: 'ENOSYS' });
    return { ...disk, bsize: 1 };
  });
  syncBuiltinESMExports();
  try {
    const space = new AllocatedSpace(folder, file);
    const usableBytes = space.measureUsable();
    return { usableBytes, isPlentiful: space.isPlentiful, spareBytes: space.spareBytes, hasFreePages: space.freeRuns(Infinity).runs.length > 0 };
  } finally {
    asked.mock.restore();
    syncBuiltinESMExports();
  }
}

/** A closed store with free pages, and its file. */
async function store(context: TestContext): Promise<{ readonly folder: string; readonly file: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'orch-lmdb-space-'));
  context.after(() => rm(folder, { recursive: true }));
  const engine = await openIn(folder);
  for (let n = 0; n < 20; n++) await engine.commit({ key: `/${n}`, expect: 0, value: Buffer.alloc(1_000) });
  await engine.close();
  const file = openSync(join(folder, FILE), 'r+');
  context.after(() => closeSync(file));
  return { folder, file };
}

test('what the file has counts on a disk that is nearly full, where it is written anew in its place, and nowhere else', async (context) => {
  const { folder, file } = await store(context);
  const { aheadBytes, usedBytes } = spaceIn(folder);
  assert.ok(aheadBytes > 0);
  const full = { isPlentiful: false, hasFreePages: true, usableBytes: MIB + aheadBytes - RESERVED_DISK_BYTES, spareBytes: MIB - SPARE_DISK_BYTES };
  assert.deepEqual(measuredOn({ type: EXT4, bavail: MIB }, folder, file), full);
  const elsewhere = { isPlentiful: false, hasFreePages: false, usableBytes: MIB - RESERVED_DISK_BYTES, spareBytes: 0 };
  assert.deepEqual(measuredOn({ type: XFS, bavail: MIB }, folder, file), elsewhere);
  for (const type of [EXT4, XFS]) {
    const free = LEAVE_FREE_BYTES + RESERVED_DISK_BYTES;
    const [less, more] = [free, free + 1].map((bavail) => measuredOn({ type, bavail }, folder, file));
    assert.deepEqual([less?.usableBytes, less?.isPlentiful, more?.usableBytes], [LEAVE_FREE_BYTES, true, LEAVE_FREE_BYTES + 1]);
    assert.deepEqual([less?.spareBytes, more?.spareBytes], type === EXT4 ? [free - SPARE_DISK_BYTES, free + 1 - SPARE_DISK_BYTES] : [0, free + 1]);
  }
  // What has no place on the disk yet needs one.
  ftruncateSync(file, usedBytes);
  ftruncateSync(file, usedBytes + MIB);
  assert.equal(measuredOn({ type: EXT4, bavail: MIB }, folder, file).usableBytes, MIB - RESERVED_DISK_BYTES);
});

test('what the system does not tell is no reason to refuse a write, nor room for one', async (context) => {
  const { folder } = await store(context);
  const noFile = -1;
  const unread = { isPlentiful: false, hasFreePages: false, usableBytes: MIB - RESERVED_DISK_BYTES, spareBytes: MIB - SPARE_DISK_BYTES };
  assert.deepEqual(measuredOn({ type: EXT4, bavail: MIB }, folder, noFile), unread);
  assert.deepEqual(measuredOn(undefined, folder, noFile), { isPlentiful: true, hasFreePages: false, usableBytes: Infinity, spareBytes: Infinity });
});
