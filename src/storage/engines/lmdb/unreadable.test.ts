import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { StillClock } from '#base';
import { HISTORY_SECONDS } from '../../engine-suite.ts';
import type { Engine } from '../../engine.ts';
import { StorageFailure } from '../../storage-failure.ts';
import { openTables, type Tables } from './database.ts';
import { driver } from './index.ts';
import { openIn } from './test-support.ts';

/** What no program has written: neither JSON nor a record. */
const NONSENSE = Buffer.from([0, 1]);
const isUnread = (cause: unknown): boolean => cause instanceof StorageFailure && cause.code === 'unavailable' && /orch\.mdb could not be read: /.test(cause.message);

describe('an lmdb store that LMDB, or what it holds, does not let be read', () => {
  const folders: string[] = [];
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

  /** A store with `/a` at revision 2, of which rows of two tables are replaced while it is open. */
  async function open(context: TestContext, rows: { readonly meta?: string; readonly log?: number }): Promise<Engine> {
    const folder = await mkdtemp(join(tmpdir(), 'orch-unreadable-'));
    folders.push(folder);
    const make = (): Promise<Engine> => driver.open({ location: folder, historySeconds: HISTORY_SECONDS, isShared: true, clock: new StillClock(), log: () => {} });
    const first = await make();
    await first.commit({ key: '/a', expect: 0, value: Buffer.from('x') });
    await first.close();
    const engine = await make();
    const { root } = openTables(folder);
    context.after(() => root.close());
    context.after(() => engine.close());
    if (rows.meta !== undefined) await root.openDB<Buffer, string>({ name: 'meta', encoding: 'binary' }).put(rows.meta, NONSENSE);
    if (rows.log !== undefined) await root.openDB<Buffer, number>({ name: 'log', encoding: 'binary' }).put(rows.log, NONSENSE);
    return engine;
  }

  /** A store that no process has open to write, and its tables. */
  async function makeClosed(context: TestContext): Promise<Pick<Tables, 'root'> & { readonly folder: string }> {
    const folder = await mkdtemp(join(tmpdir(), 'orch-unreadable-'));
    folders.push(folder);
    await (await openIn(folder)).close();
    const { root } = openTables(folder);
    context.after(() => root.close());
    return { folder, root };
  }

  it('says so by a failure of its own, whatever is read', async (context) => {
    const headless = await open(context, { meta: 'head' });
    await assert.rejects(headless.get('/none'), isUnread);
    await assert.rejects(headless.scan({ start: '/', end: '0' }), isUnread);
    await assert.rejects(headless.head(), isUnread);
    await assert.rejects(headless.compact(2), isUnread);
    const torn = await open(context, { log: 2 });
    await assert.rejects(torn.get('/a'), isUnread);
    await assert.rejects(torn.commit({ key: '/a', expect: 2, value: Buffer.from('y') }), isUnread);
  });

  it('is left as one that nobody writes to when it could not be opened, and is opened when it can be read again', async (context) => {
    const { folder, root } = await makeClosed(context);
    const meta = root.openDB<Buffer, string>({ name: 'meta', encoding: 'binary' });
    await meta.put('head', NONSENSE);
    await assert.rejects(openIn(folder), StorageFailure);
    assert.deepEqual((await readdir(folder)).filter((name) => name.includes('owner-')), []);
    await meta.put('head', Buffer.from('7'));
    const engine = await openIn(folder);
    assert.equal(await engine.head(), 7);
    await engine.close();
  });

  it('costs no descriptor for each time that it could not be opened to write', async (context) => {
    const { folder, root } = await makeClosed(context);
    // Not a time with a key.
    const expiries = root.openDB<number, number>({ name: 'expiries', encoding: 'ordered-binary' });
    await expiries.put(5, 2);
    const descriptors = async (): Promise<number> => (await readdir('/dev/fd')).length;
    await assert.rejects(openIn(folder), StorageFailure);
    const before = await descriptors();
    await assert.rejects(openIn(folder), StorageFailure);
    assert.equal(await descriptors(), before);
    await expiries.remove(5);
    const engine = await openIn(folder);
    assert.equal((await engine.commit({ key: '/a', expect: 0, value: Buffer.from('x') })).done, true);
    await engine.close();
  });

  it('tells who wants to follow, and not before `follow` has returned', async (context) => {
    const engine = await open(context, { meta: 'compacted' });
    const told: unknown[] = [];
    const lost = new Promise<StorageFailure>((resolve) => {
      engine.follow('/', 1, { changes: assert.fail, lost: resolve }, new AbortController().signal);
      told.push('returned');
    });
    void lost.then(() => told.push('lost'));
    assert.equal(isUnread(await lost), true);
    assert.deepEqual(told, ['returned', 'lost']);
  });
});
