import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { Change, Engine } from '../../engine.ts';
import type { StorageFailure } from '../../storage-failure.ts';
import { openTables } from './database.ts';
import { ChangeFeed } from './feed.ts';
import { History } from './history.ts';
import { openIn } from './test-support.ts';

interface Follower {
  readonly told: Change[];
  lost: StorageFailure | undefined;
}

/** An engine that writes to a store, and a feed that hears of it as in another process: only how far the file has come. */
async function open(context: TestContext): Promise<{ readonly engine: Engine; hear(): Promise<void>; follow(after: number): Follower }> {
  const folder = await mkdtemp(join(tmpdir(), 'orch-feed-'));
  context.after(() => rm(folder, { recursive: true }));
  const engine = await openIn(folder);
  const tables = openTables(folder);
  context.after(() => tables.root.close());
  context.after(() => engine.close());
  const feed = new ChangeFeed(tables, new History(tables));
  return {
    engine,
    async hear() {
      const head = await engine.head();
      tables.root.resetReadTxn();
      feed.publishFromLog(head);
      assert.equal(feed.position, head);
    },
    follow(after) {
      const follower: Follower = { told: [], lost: undefined };
      const changes = (batch: readonly Change[]): void => void follower.told.push(...batch);
      feed.follow({ prefix: '/', after, feed: { changes, lost: (why) => (follower.lost = why) }, signal: new AbortController().signal }, () => undefined);
      return follower;
    },
  };
}

describe('the feed of a process that does not write itself', () => {
  it('tells all that was written since it heard last, in order and once, with what stood there before', async (context) => {
    const { engine, hear, follow } = await open(context);
    const follower = follow(1);
    const keys = Array.from({ length: 400 }, (_, i) => `/${i}`);
    for (const round of [0, 1]) await Promise.all(keys.map((key, i) => engine.commit({ key, expect: round === 0 ? 0 : i + 2, value: Buffer.from(`${round}`) })));
    await hear();
    assert.ok(follower.told.length > 0 && follower.told.length < 800, 'the first of them at once, and not all in one turn of the event loop');
    await engine.commit({ key: '/0', expect: 402 });
    await hear();
    await hear();
    while (follower.told.length < 801 && follower.lost === undefined) await new Promise(setImmediate);
    const tell = ({ revision, key, value, before }: Change): string => `${revision} ${key} ${String(value)} ${before?.revision} ${String(before?.value)}`;
    const expected = [0, 1].flatMap((round) =>
      keys.map((key, i): Change => ({ revision: 2 + round * 400 + i, key, value: Buffer.from(`${round}`), ...(round === 0 ? {} : { before: { key, revision: i + 2, value: Buffer.from('0') } }) })),
    );
    expected.push({ revision: 802, key: '/0', before: { key: '/0', revision: 402, value: Buffer.from('1') } });
    assert.deepEqual(follower.told.map(tell), expected.map(tell));
    assert.equal(follower.lost, undefined);
  });

  it('ends where some of that is forgotten already, and nobody misses it unawares; who comes then is told what comes then', async (context) => {
    const { engine, hear, follow } = await open(context);
    const early = follow(1);
    for (const expect of [0, 2, 3, 4]) await engine.commit({ key: '/a', expect, value: Buffer.from('x') });
    await engine.compact(4);
    await hear();
    assert.deepEqual([early.told, early.lost?.code, early.lost?.revision], [[], 'compacted', 4]);
    const late = follow(5);
    await engine.commit({ key: '/a', expect: 5 });
    await hear();
    assert.deepEqual([early.told.length, late.told.map(({ revision }) => revision), late.lost], [0, [6], undefined]);
  });
});
