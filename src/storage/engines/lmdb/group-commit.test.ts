import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { StillClock } from '#base';
import { HISTORY_SECONDS } from '../../engine-suite.ts';
import type { Commit, Engine, Write } from '../../engine.ts';
import { OpenedFile } from '../../opened-file.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { FILE, openTables, openTablesToRead, readHead } from './database.ts';
import { GroupCommit } from './group-commit.ts';
import { History } from './history.ts';
import { encodeRecord } from './record.ts';
import { openIn, problemsIn } from './test-support.ts';
import { WriterRole } from './writer-role.ts';

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));
const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-lmdb-group-'));
  folders.push(folder);
  return folder;
};
/** Creates `count` keys in one turn of the event loop; the revisions they got. */
const createAtOnce = (engine: Engine, name: string, count: number, value: (i: number) => Uint8Array): Promise<readonly (number | undefined)[]> =>
  Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const commit = await engine.commit({ key: `/${name}/${i}`, expect: 0, value: value(i) });
      return commit.done ? commit.revision : undefined;
    }),
  );

/**
 * A program that reads the head and the end of the log in one snapshot after the other, until the head is `last`; prints how often they differed. It ends
 * with this process: a test that is broken off would leave it behind, and it reads as fast as it can.
 */
const reader = (folder: string, last: number): string => `
  const { openTablesToRead, readHead } = await import(${JSON.stringify(new URL('./database.js', import.meta.url).href)});
  const tables = openTablesToRead(${JSON.stringify(folder)});
  console.log('open');
  let differed = 0;
  for (let head = 0; head < ${last} && process.ppid === ${process.pid}; ) {
    tables.root.resetReadTxn();
    head = readHead(tables);
    const [newest = 1] = [...tables.log.getKeys({ reverse: true, limit: 1 })];
    if (newest !== head) differed++;
  }
  console.log(differed);
`;

describe('groups of writes', () => {
  it('are seen as a whole with their head by other processes, however long they are', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    await createAtOnce(engine, 'first', 1, () => Buffer.from('x'));
    // The binding begins to write one of so many before the turn that gathers it is over.
    const [groups, size] = [4, 5_000];
    const child = spawn(process.execPath, ['--input-type=module', '-e', reader(folder, 2 + groups * size)], { stdio: ['ignore', 'pipe', 'inherit'] });
    // It sees the last group, and ends, before that is durable and acknowledged here.
    const closed = once(child, 'close');
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
    await once(child.stdout, 'data');
    for (let group = 0; group < groups; group++) await createAtOnce(engine, `group-${group}`, size, () => Buffer.alloc(300));
    await closed;
    assert.equal(output, 'open\n0\n');
    await engine.close();
    assert.deepEqual(await problemsIn(folder), []);
  });

  it('keep every value, whether it fits beside those before it or not', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    const lengthOf = (i: number): number => [10, 3_000, 40_000, 1, 300_000, 0][i % 6]!;
    for (const round of [1, 2]) await createAtOnce(engine, `round-${round}`, 60, (i) => Buffer.alloc(lengthOf(i), round * 100 + i));
    await engine.close();
    const again = await openIn(folder);
    for (const round of [1, 2]) {
      for (let i = 0; i < 60; i++) assert.deepEqual((await again.get(`/round-${round}/${i}`))?.value, Buffer.alloc(lengthOf(i), round * 100 + i));
    }
    await again.close();
  });

  it('are refused as a whole where somebody else has written their revision, and the next ones come behind', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    await createAtOnce(engine, 'a', 2, () => Buffer.from('x'));
    const other = openTables(folder);
    const record = encodeRecord({ key: '/other', previous: 0, timeMs: 1, value: Buffer.from('theirs') }, (length) => Buffer.alloc(length));
    await other.log.put(4, record);
    await other.live.put('/other', 4);
    const writes = ['/b', '/c'].map((key) => engine.commit({ key, expect: 0, value: Buffer.from('ours') }));
    const refused = { code: 'unavailable', message: /another process has written revision 4/ };
    await Promise.all(writes.map((write) => assert.rejects(write, refused)));
    assert.equal(await engine.head(), 4);
    assert.equal(await engine.get('/b'), undefined);
    assert.deepEqual((await engine.get('/other'))?.value, Buffer.from('theirs'));
    assert.deepEqual(await createAtOnce(engine, 'd', 2, () => Buffer.from('y')), [5, 6]);
    await engine.close();
    await other.root.close();
    assert.deepEqual(await problemsIn(folder), []);
  });

  it('wait while somebody holds them, until the last one has let go, however often each says so, and who closes waits for them', async () => {
    const folder = await makeFolder();
    const tables = openTables(folder);
    const options = { location: folder, historySeconds: HISTORY_SECONDS, clock: new StillClock(), log: () => {} };
    const hooks = { committed: () => {}, failed: () => {}, ended: () => {} };
    const writer = new WriterRole(tables, new History(tables), [new OpenedFile(join(folder, FILE))], options, hooks);
    const write = (name: string): Promise<Commit> => writer.commit({ key: `/${name}`, expect: 0, value: Buffer.from('x') });
    const before = write('a');
    const first = await writer.hold();
    assert.equal(readHead(tables), 2);
    const meanwhile = [write('b')];
    const second = await writer.hold();
    meanwhile.push(write('c'));
    first();
    first();
    // Who holds them has waited for what is being written.
    const third = await writer.hold();
    assert.equal(readHead(tables), 2);
    third();
    const closed = writer.close().then(() => readHead(tables));
    second();
    assert.deepEqual(await Promise.all([before, ...meanwhile]), [2, 3, 4].map((revision) => ({ done: true, revision })));
    assert.equal(await closed, 4);
    await tables.root.close();
  });

  it('that fail may have taken effect and say nothing of the space there is; where the store has failed with them, none is tried after them', async () => {
    const tables = openTables(await makeFolder());
    const failing = new StorageFailure('unavailable', 'the disk failed');
    const full = new StorageFailure('full', 'no space');
    const state = { refusal: failing as StorageFailure | undefined, usableBytes: 1e12, isFinal: false };
    const told: unknown[] = [];
    const late: Promise<unknown>[] = [];
    const clock = new StillClock();
    const commits = new GroupCommit(tables, new History(tables), clock, {
      committed: (_changes, head) => told.push(`committed ${head}`),
      failed: (head) => told.push(`failed ${head}`),
      ended: () => told.push('ended'),
      explain(reason) {
        // It waits for the group that fails.
        if (state.isFinal) late.push(commits.commit({ key: '/late', expect: 0, value: Buffer.from('x') }));
        return { failure: reason as StorageFailure, isFinal: state.isFinal };
      },
      unreadable: (cause) => cause as StorageFailure,
      refusal: () => state.refusal,
      beforeTransaction: () => {},
      noSpace: () => full,
      expiring: (atMs) => told.push(atMs - clock.nowMs()),
      usableBytes: () => state.usableBytes,
      oldestRead: () => Infinity,
      freeRuns: () => ({ pageBytes: 4096, runs: [] }),
    });
    const write: Write = { key: '/a', expect: 0, value: Buffer.from('x'), ttlSeconds: 5 };
    await assert.rejects(commits.commit(write), failing);
    assert.deepEqual(told.splice(0), [5_000, 'failed 1']);
    Object.assign(state, { refusal: undefined, usableBytes: 0 });
    await assert.rejects(commits.commit(write), full);
    state.usableBytes = 1e12;
    assert.deepEqual(await commits.commit(write), { done: true, revision: 2 });
    assert.deepEqual(told.splice(0), [5_000, 'committed 2']);
    Object.assign(state, { refusal: full, isFinal: true });
    await assert.rejects(commits.commit({ key: '/a', expect: 2 }), { code: 'unavailable', message: full.message, isUnconfirmed: true });
    state.refusal = undefined;
    assert.equal(late.length, 1);
    await assert.rejects(late[0]!, full);
    await assert.rejects(commits.commit(write), full);
    assert.deepEqual([told, readHead(tables)], [[Infinity, 'ended'], 2]);
    await commits.close();
    await tables.root.close();
  });

  it('bring the head along once, after all of their writes', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    assert.deepEqual(await createAtOnce(engine, 'a', 3, () => Buffer.from('x')), [2, 3, 4]);
    const lost = await engine.commit({ key: '/a/0', expect: 9, value: Buffer.from('y') });
    assert.equal(lost.done, false);
    const [first, second] = await Promise.all([
      engine.commit({ key: '/a/0', expect: 2, value: Buffer.from('y') }),
      engine.commit({ key: '/a/0', expect: 5 }),
    ]);
    assert.deepEqual([first, second], [{ done: true, revision: 5 }, { done: true, revision: 6 }]);
    await engine.close();
    const tables = openTablesToRead(folder);
    assert.equal(readHead(tables), 6);
    await tables.root.close();
    assert.deepEqual(await problemsIn(folder), []);
  });
});

describe('the head of a store that is opened again', () => {
  it('lies beyond the log where the newest write was a delete that is forgotten', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    await createAtOnce(engine, 'a', 2, () => Buffer.from('x'));
    await engine.commit({ key: '/a/1', expect: 3 });
    await engine.compact(4);
    await engine.close();
    const again = await openIn(folder);
    assert.equal(await again.head(), 4);
    assert.deepEqual(await again.commit({ key: '/b', expect: 0, value: Buffer.from('x') }), { done: true, revision: 5 });
    await again.close();
    assert.deepEqual(await problemsIn(folder), []);
  });

  it('is the end of the log where it had stayed behind: no revision is given twice', async () => {
    const folder = await makeFolder();
    const engine = await openIn(folder);
    await createAtOnce(engine, 'a', 4, () => Buffer.from('x'));
    await engine.close();
    const tables = openTables(folder);
    await tables.meta.put('head', 3);
    await tables.root.close();
    const again = await openIn(folder);
    assert.equal(await again.head(), 5);
    assert.deepEqual(await again.commit({ key: '/b', expect: 0, value: Buffer.from('x') }), { done: true, revision: 6 });
    assert.equal((await again.get('/a/3'))?.revision, 5);
    await again.close();
    assert.deepEqual(await problemsIn(folder), []);
  });
});
