import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from '#base';
import { createObjectStore, openEngine, type KindCodec } from '#storage';
import { EngineFeed } from './feed.ts';
import { WatchCache } from './watch-cache.ts';

/** A feed that counts who listens to its progress. */
class CountingFeed extends EngineFeed {
  listeners = 0;

  override onProgress(run: () => void): () => void {
    this.listeners += 1;
    const stop = super.onProgress(run);
    return () => {
      this.listeners -= 1;
      stop();
    };
  }
}

const kindCodec: KindCodec = { encode: (object) => new TextEncoder().encode(JSON.stringify(object)), select: () => ({}) };

test('reads that wait for revisions cost a write one look at them, however many they are; each is answered when its own is reached', async () => {
  const clock = new StillClock();
  const engine = await openEngine('memory://', { clock });
  const feed = new CountingFeed(engine);
  const cache = new WatchCache({ engine, feed, clock, onStart: () => {}, onLost: () => {} }, { store: createObjectStore({ engine, kindCodec, clock }), kindCodec, prefix: '/r/' });
  let newest = 1;
  const write = async (): Promise<void> => {
    const name = `n${++newest}`;
    await cache.write(`/r/${name}`, () => ({ put: { kind: 'R', apiVersion: 'v1', metadata: { name } } }));
  };
  let answered = 0;
  const read = async (revision: number): Promise<void> => {
    const listing = await cache.list({ prefix: '/r/', freshness: { notOlderThan: revision } });
    assert.equal(listing.revision, revision);
    answered += 1;
  };
  await write();
  await read(newest);
  for (let round = 0; round < 2; round++) {
    const first = newest + 1;
    const waiting = [1, 1, 8].map((count, at) => Array.from({ length: count }, () => read(first + at)));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(feed.listeners, 1);
    answered = 0;
    for (const [at, due] of waiting.entries()) {
      await write();
      await Promise.all(due);
      assert.equal(answered, [1, 2, 10][at]);
    }
    assert.equal(feed.listeners, 0);
  }
  await engine.close();
});
