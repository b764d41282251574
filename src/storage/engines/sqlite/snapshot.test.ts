import assert from 'node:assert/strict';
import { mkdtemp, open as openFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { systemClock } from '#base';
import { HISTORY_SECONDS } from '../../engine-suite.ts';
import type { Engine } from '../../engine.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { openToWrite } from './database.ts';
import { FILE } from './files.ts';
import { driver } from './index.ts';
import { openSnapshot } from './snapshot.ts';
import { NO_SQLITE } from './test-support.ts';

const value = Buffer.from('v');

/** Each breaks one agreement between two tables of a store with the keys `/a` (revisions 2 and 4), `/b` (3, expires) and `/c` (5, removed at 6). */
const DAMAGES: Readonly<Record<string, readonly [damage: string, told: RegExp]>> = {
  'a value is missing': ['DELETE FROM log WHERE revision = 4', /\/a, revision 4: its value is missing/],
  'a value of before is missing': ['DELETE FROM log WHERE revision = 2', /\/a, revision 2: a former value is missing/],
  'a record is of another key': [`UPDATE log SET key = '/z' WHERE revision = 4`, /\/a, revision 4: its value is missing/],
  'a revision is missing': ['DELETE FROM log WHERE revision = 6', /1 revisions between 1 and 6 are missing/],
  'the counter is behind': [`UPDATE meta SET value = 3 WHERE name = 'head'`, /\/a, revision 4: its revision comes after the newest/],
  'the counter is ahead': [`UPDATE meta SET value = 9 WHERE name = 'head'`, /3 revisions between 1 and 9 are missing/],
  'an old value is not known': ['DELETE FROM past WHERE revision = 2', /\/a, revision 4: it replaced a value that does not know of it/],
  'an old value was replaced by another': ['UPDATE past SET until = 3 WHERE revision = 2', /\/a, revision 2: a former value was replaced by something else/],
  'a key is missing': [`DELETE FROM live WHERE key = '/a'`, /\/a, revision 4: nothing refers to this value/],
  'a removal is not forgotten': [`UPDATE meta SET value = 6 WHERE name = 'compacted'`, /\/c, revision 6: its removal should be forgotten/],
  'a key never expires': ['DELETE FROM expiries', /\/b, revision 3: it never expires/],
  'a key expires twice': [`INSERT INTO expiries VALUES (1, '/b', 3)`, /\/b, revision 3: it expires at a moment that is not its own/],
};

describe('check of a sqlite store', { skip: NO_SQLITE }, () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  const open = (location: string): Promise<Engine> => driver.open({ location, historySeconds: HISTORY_SECONDS, clock: systemClock, log: () => {} });

  async function make(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'orch-check-'));
    folders.push(folder);
    const engine = await open(folder);
    await engine.commit({ key: '/a', expect: 0, value });
    await engine.commit({ key: '/b', expect: 0, value, ttlSeconds: 3_600 });
    await engine.commit({ key: '/a', expect: 2, value });
    await engine.commit({ key: '/c', expect: 0, value });
    await engine.commit({ key: '/c', expect: 5 });
    await engine.close();
    return folder;
  }

  async function problemsOf(folder: string): Promise<readonly string[]> {
    const snapshot = openSnapshot(folder);
    const problems = [...snapshot.check()].filter((problem) => problem !== undefined);
    await snapshot.close();
    return problems;
  }

  it('finds nothing wrong with a good one, nor where its history was forgotten', async () => {
    const folder = await make();
    assert.deepEqual(await problemsOf(folder), []);
    const engine = await open(folder);
    await engine.compact(await engine.head());
    await engine.close();
    assert.deepEqual(await problemsOf(folder), []);
  });

  it('shows one moment, whatever is written meanwhile', async () => {
    const folder = await make();
    const snapshot = openSnapshot(folder);
    const engine = await open(folder);
    await engine.commit({ key: '/a', expect: 4 });
    await engine.commit({ key: '/d', expect: 0, value });
    const told = [...snapshot.entries()].map(({ key, revision, expiresAtMs }) => [key, revision, expiresAtMs !== undefined]);
    assert.deepEqual([snapshot.revision, snapshot.count, told], [6, 2, [['/a', 4, false], ['/b', 3, true]]]);
    assert.deepEqual([...snapshot.check()].filter((problem) => problem !== undefined), []);
    await snapshot.close();
    await engine.close();
  });

  it('shows no entry whose value is missing, is that of another key or was removed', async () => {
    for (const damage of ['DELETE FROM log WHERE revision = 4', `UPDATE log SET key = '/z' WHERE revision = 4`, 'UPDATE log SET removed = 1 WHERE revision = 4']) {
      const folder = await make();
      const file = openToWrite(folder);
      file.exec(damage);
      file.close();
      const snapshot = openSnapshot(folder);
      assert.throws(() => [...snapshot.entries()], (error) => error instanceof StorageFailure && error.code === 'corrupt' && /\/a: its value is missing: run the check, restore a backup/.test(error.message), damage);
      await snapshot.close();
    }
  });

  it('passes on what SQLite finds wrong with the file itself', async () => {
    const folder = await make();
    const file = await openFile(join(folder, FILE), 'r+');
    // Its header counts free pages that it does not have.
    await file.write(Buffer.from([0, 0, 0, 7]), 0, 4, 36);
    await file.close();
    const problems = await problemsOf(folder);
    assert.ok(problems.some((problem) => /^SQLite says: [^]*freelist/i.test(problem)), problems.join('\n'));
  });

  for (const [name, [damage, told]] of Object.entries(DAMAGES)) {
    it(`finds that ${name}`, async () => {
      const folder = await make();
      const file = openToWrite(folder);
      file.exec(damage);
      file.close();
      const problems = await problemsOf(folder);
      assert.ok(problems.some((problem) => told.test(problem)), problems.join('\n'));
    });
  }
});
