import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Seen } from './full-disk.fixture.ts';
import { RESERVED_DISK_BYTES } from './limits.ts';

const PROGRAM = fileURLToPath(new URL('./full-disk.fixture.js', import.meta.url));
const DISK_BYTES = 16 * 1024 * 1024;
const MOUNT = `mount -t tmpfs -o size=${DISK_BYTES} none "$0"`;
const NO_MOUNT = spawnSync('unshare', ['-rm', 'sh', '-c', MOUNT, tmpdir()]).status === 0 ? false : 'this machine lets nobody mount a small disk';

describe('a store that has filled its disk', { skip: NO_MOUNT }, () => {
  const disk = mkdtempSync(join(tmpdir(), 'orch-lmdb-full-'));
  let seen: Seen;

  before(() => {
    const { status, signal, stdout } = spawnSync('unshare', ['-rm', 'sh', '-c', `${MOUNT} && exec "$1" "$2" "$0"`, disk, process.execPath, PROGRAM], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    assert.equal(status ?? signal, 0);
    seen = JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1)) as Seen;
  });
  after(() => rmSync(disk, { recursive: true }));

  it('takes writes again when most of it is deleted and forgotten, round after round, also when others have taken the rest of the disk', () => {
    const [first = 0, ...later] = seen.created;
    assert.ok(first > 500, `${first}`);
    later.forEach((count, i) => assert.ok(count > (i === 2 ? 0 : first / 2), seen.created.join(' ')));
    assert.deepEqual(seen.wrong, []);
  });

  it('takes none into pages that others read, and takes them when these have read', () => {
    assert.equal(seen.createdWhileRead, 0);
    assert.ok(seen.created[4]! > seen.created[0]! / 2, seen.created.join(' '));
  });

  it('does not grow beyond what it leaves to deletes, and from then on does not grow at all', () => {
    const [first = 0] = seen.usedBytes;
    assert.ok(first > DISK_BYTES - RESERVED_DISK_BYTES - 1024 * 1024, seen.usedBytes.join(' '));
    assert.ok(seen.usedBytes.every((bytes) => bytes < DISK_BYTES - RESERVED_DISK_BYTES / 8), seen.usedBytes.join(' '));
    assert.equal(seen.usedBytes[5], seen.usedBytes[4]);
  });

  it('is opened without a free byte on its disk, and deletes make it writable', () => {
    assert.deepEqual(seen.anew, { freeBytes: 0, deleted: 'done', created: 'done' });
  });

  it('says so once in a minute, however often it takes a write and refuses the next, and what to do', () => {
    const told = seen.log.map((line) => /has no space left \(.*\): make room on its disk, or delete objects|can be written again/.exec(line)?.[0].slice(0, 10));
    assert.deepEqual(told, ['has no spa', 'can be wri', 'has no spa'], seen.log.join('\n'));
  });

  it('is no reason to look at the rights of a folder in which no store can be made', () => {
    assert.match(seen.second, /its disk is full, make room on it/);
  });
});
