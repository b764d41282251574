import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { StorageFailure } from '../../storage-failure.ts';
import { expiryOf, openTables, type Tables } from './database.ts';
import { encodeRecord } from './record.ts';
import { openSnapshot } from './snapshot.ts';
import { openIn, problemsIn } from './test-support.ts';

const value = Buffer.from('v');

/** Each breaks one agreement between two tables of a store with the keys `/a` (revisions 2 and 4), `/b` (3, expires) and `/c` (5, removed at 6). */
const DAMAGES: Readonly<Record<string, readonly [damage: (tables: Tables) => unknown, told: RegExp]>> = {
  'a value is missing': [({ log }) => log.remove(4), /\/a: the value of revision 4 is missing/],
  'a value of before is missing': [({ log }) => log.remove(2), /\/a: the value of revision 2 is missing/],
  'a record is of another key': [({ log }) => log.put(4, encodeRecord({ key: '/z', previous: 2, timeMs: 0, value })), /\/a: revision 4 was written to \/z/],
  'a record of before is of another key': [({ log }) => log.put(2, encodeRecord({ key: '/z', previous: 0, timeMs: 0, value })), /\/a: the value of revision 2 is missing/],
  'a record comes after the newest': [({ log }) => log.put(7, encodeRecord({ key: '/d', previous: 0, timeMs: 0, value })), /\/d has revision 7, after the newest, 6/],
  'a record is cut off': [({ log }) => log.put(6, Buffer.from([0, 1])), /record of revision 6 cannot be read/],
  'a revision is missing': [({ log }) => log.remove(6), /revisions 6 to 6 are missing/],
  'the counter is behind': [({ meta }) => meta.put('head', 3), /\/a has revision 4, after the newest, 3/],
  'the counter is ahead': [({ meta }) => meta.put('head', 9), /revisions 7 to 9 are missing/],
  'more is forgotten than there is': [({ meta }) => meta.put('compacted', 9), /the oldest revision, 9, comes after the newest, 6/],
  'an old value is not known': [({ past }) => past.remove(['/a', 2]), /revision 4 replaced revision 2, which does not know of it/],
  'an old value belongs to nobody': [({ past }) => past.remove(['/a', 2]), /nothing refers to the value of revision 2/],
  'an old value was replaced by another': [({ past }) => past.put(['/a', 2], 3), /revision 2 was not replaced at revision 3/],
  'a key is missing': [({ live }) => live.remove('/a'), /\/a: nothing refers to the value of revision 4/],
  'a key never expires': [({ expiries }) => expiries.clearAsync(), /\/b never expires/],
  'a key expires as of another revision': [({ live, expiries }) => expiries.put([expiryOf(live.get('/b')!)!, '/b'], 2), /\/b expires at a moment that is not its own/],
  'a key expires twice': [({ expiries }) => expiries.put([1, '/b'], 3), /\/b expires at a moment that is not its own/],
};

describe('check of an lmdb store', () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  async function make(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'orch-check-'));
    folders.push(folder);
    const engine = await openIn(folder);
    await engine.commit({ key: '/a', expect: 0, value });
    await engine.commit({ key: '/b', expect: 0, value, ttlSeconds: 3_600 });
    await engine.commit({ key: '/a', expect: 2, value });
    await engine.commit({ key: '/c', expect: 0, value });
    await engine.commit({ key: '/c', expect: 5 });
    await engine.close();
    return folder;
  }

  it('finds nothing wrong with a good one, and looks at each row', async () => {
    const folder = await make();
    const snapshot = await openSnapshot(folder);
    assert.equal([...snapshot.check()].length, snapshot.checks);
    await snapshot.close();
    assert.deepEqual(await problemsIn(folder), []);
  });

  it('finds nothing wrong with one that has forgotten its history, wherever that ends', async () => {
    for (const before of [2, 3, 4, 5, 6]) {
      const folder = await make();
      const engine = await openIn(folder);
      await engine.compact(before);
      await engine.close();
      assert.deepEqual(await problemsIn(folder), [], `before ${before}`);
    }
  });

  for (const [name, [damage, told]] of Object.entries(DAMAGES)) {
    it(`finds that ${name}`, async () => {
      const folder = await make();
      const tables = openTables(folder);
      await damage(tables);
      await tables.root.close();
      const problems = await problemsIn(folder);
      assert.ok(problems.some((problem) => told.test(problem)), problems.join('\n'));
    });
  }

  it('is not needed to find that an entry, or when it expires, is not what was written: it is not given out', async () => {
    for (const name of ['a value is missing', 'a record is of another key', 'a key never expires', 'the counter is behind']) {
      const folder = await make();
      const tables = openTables(folder);
      await DAMAGES[name]![0](tables);
      await tables.root.close();
      const snapshot = await openSnapshot(folder);
      assert.throws(() => [...snapshot.entries()], (error) => error instanceof StorageFailure && error.code === 'corrupt', name);
      await snapshot.close();
    }
  });
});
