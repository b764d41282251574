import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { KeptEntry } from '../driver.ts';
import { StorageFailure } from '../storage-failure.ts';
import { readBackup, writeBackup } from './backup-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'orch-backup-file-'));
const [path, partial] = [join(folder, 'a.backup'), join(folder, 'a.backup.partial-1')];
const fails = (words: RegExp) => (error: unknown) => error instanceof StorageFailure && error.code === 'unavailable' && words.test(error.message);

/** Writes a backup with one entry; `meanwhile` is what another process does before it is complete. */
const writeWhile = (meanwhile: () => void): Promise<void> => {
  function* entries(): Generator<KeptEntry> {
    yield { key: '/a', revision: 2, value: Buffer.from('x') };
    meanwhile();
  }
  return writeBackup(path, partial, { revision: 2, count: 1, madeAtMs: 0 }, entries());
};

describe('a backup that is being written', () => {
  beforeEach(() => readdirSync(folder).forEach((name) => rmSync(join(folder, name))));
  after(() => rmSync(folder, { recursive: true }));

  it('is not said to be there when another process has put a file of its own in the place of it, which stays', async () => {
    const replaced = writeWhile(() => {
      rmSync(partial);
      writeFileSync(partial, 'of another cluster');
    });
    await assert.rejects(replaced, fails(/another process has removed or replaced .*partial-1: back up once more/));
    assert.deepEqual(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]), [['a.backup.partial-1', 'of another cluster']]);
  });

  it('is not said to be there when another process has removed or renamed it', async () => {
    await assert.rejects(writeWhile(() => rmSync(partial)), fails(/another process has removed or replaced/));
    await assert.rejects(writeWhile(() => renameSync(partial, join(folder, 'b.backup'))), fails(/another process has removed or replaced/));
    assert.deepEqual(readdirSync(folder), ['b.backup']);
  });

  it('does not take the place of one that another process has completed meanwhile', async () => {
    await assert.rejects(writeWhile(() => writeFileSync(path, 'of another cluster')), fails(/is there already/));
    assert.deepEqual(readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8')), ['of another cluster']);
  });

  it('is not written over one that another process is writing under the same name', async () => {
    writeFileSync(partial, 'of another cluster');
    await assert.rejects(writeWhile(() => {}), fails(/cannot be written: EEXIST/));
    assert.equal(readFileSync(partial, 'utf8'), 'of another cluster');
  });

  it('is written while its entries are read, each piece once: they need not fit into memory', async () => {
    const value = Buffer.alloc(1_500_000);
    const sizes: number[] = [];
    function* entries(): Generator<KeptEntry> {
      for (const [at, key] of ['/a', '/b', '/c'].entries()) {
        sizes.push(Math.round(statSync(partial).size / value.length));
        yield { key, revision: at + 2, value };
      }
    }
    await writeBackup(path, partial, { revision: 4, count: 3, madeAtMs: 0 }, entries());
    assert.deepEqual([...sizes, Math.round(statSync(path).size / value.length)], [0, 1, 2, 3]);
  });

  it('fails with what its store fails with, and is not there', async () => {
    const failure = new StorageFailure('corrupt', '/a: run the check, restore a backup');
    await assert.rejects(writeWhile(() => {
      throw failure;
    }), failure);
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe('a backup that is read', () => {
  before(() => mkdirSync(folder, { recursive: true }));
  after(() => rmSync(folder, { recursive: true }));

  for (const format of ['store backup 2\n', 'store backup 10\n']) {
    it(`is not called damaged where it has a format that is newer than this program, ${format.trim()}`, async () => {
      writeFileSync(path, `${format}something else`);
      await assert.rejects(readBackup(path), fails(/^the backup \S+ has a newer format than this program reads: use the program that wrote it/));
    });
  }

  it('is called damaged where it speaks of a part that is larger than any, however much follows: it is not read into memory', async () => {
    const header = Buffer.alloc(8);
    header.writeUInt32BE(256 * 1024 * 1024 + 1);
    writeFileSync(path, Buffer.concat([Buffer.from('store backup 1\n'), header]));
    await assert.rejects(readBackup(path), { code: 'corrupt', message: /is damaged: it speaks of a part with 268435457 bytes$/ });
  });
});
