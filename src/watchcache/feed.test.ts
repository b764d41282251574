import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEngine, StorageFailure, type Engine, type Feed } from '#storage';
import { EngineFeed, type FeedReader } from './feed.ts';

/** Takes changes until `refuse` throws, and follows no longer then. */
class Reader implements FeedReader {
  readonly told: string[] = [];
  readonly #prefix: string;
  readonly #feed: EngineFeed;
  readonly #refuse: (during: 'change' | 'flush') => void;

  constructor(feed: EngineFeed, prefix: string, refuse: (during: 'change' | 'flush') => void = () => {}) {
    this.#feed = feed;
    this.#prefix = prefix;
    this.#refuse = refuse;
  }

  change({ key }: { readonly key: string }): void {
    this.#refuse('change');
    this.told.push(key);
  }

  flush(): void {
    this.#refuse('flush');
    this.told.push('flushed');
  }

  lost(why: StorageFailure): void {
    this.#feed.detach(this.#prefix, this);
    this.told.push(`lost: ${why.code} ${why.message}`);
  }
}

for (const at of ['change', 'flush'] as const) {
  test(`a reader that cannot take what it is told is lost alone: in its ${at}`, async () => {
    const engine = await openEngine('memory://');
    const feed = new EngineFeed(engine);
    const failing = new Reader(feed, '/secrets/', (during) => {
      if (during === at) throw new StorageFailure('corrupt', 'no key opens it');
    });
    const broken = new Reader(feed, '/secrets/n/', (during) => {
      if (during === at) throw new TypeError('a fault');
    });
    const other = new Reader(feed, '/maps/');
    await feed.attach('/secrets/', failing);
    await feed.attach('/secrets/n/', broken);
    await feed.attach('/maps/', other);
    const write = (key: string): Promise<unknown> => engine.commit({ key, expect: 0, value: new Uint8Array(1) });
    await write('/secrets/n/a');
    await write('/maps/n/a');
    await write('/secrets/n/b');
    await write('/maps/n/b');
    const before = at === 'change' ? [] : ['/secrets/n/a'];
    assert.deepEqual(failing.told, [...before, 'lost: corrupt no key opens it']);
    assert.deepEqual(broken.told, [...before, 'lost: unavailable the follower failed']);
    assert.deepEqual(other.told, ['/maps/n/a', 'flushed', '/maps/n/b', 'flushed']);
    await engine.close();
  });
}

test('readers that attach while the feed is lost follow the one that is begun anew, from the newest revision on', async () => {
  const engine = await openEngine('memory://');
  const write = (key: string): Promise<unknown> => engine.commit({ key, expect: 0, value: new Uint8Array(1) });
  await write('/maps/before');
  let losses = 2;
  const follow: Engine['follow'] = (prefix, after, to, signal) => {
    if (losses-- > 0) queueMicrotask(() => to.lost(new StorageFailure('unavailable', 'gone')));
    else engine.follow(prefix, after, to, signal);
  };
  let isAway = true;
  const head = (): Promise<number> => (isAway ? Promise.reject(new StorageFailure('unavailable', 'away')) : engine.head());
  const feed = new EngineFeed({ head, follow } as unknown as Engine);
  const readers = [new Reader(feed, '/maps/'), new Reader(feed, '/maps/n/')] as const;
  await assert.rejects(feed.attach('/maps/', readers[0]), /away/);
  isAway = false;
  await Promise.all([feed.attach('/maps/', readers[0]), feed.attach('/maps/n/', readers[1])]);
  assert.equal(feed.position, 2);
  const reached: number[] = [];
  const stop = feed.onProgress(() => reached.push(feed.position));
  await write('/maps/n/a');
  await write('/pods/n/a');
  stop();
  await write('/maps/n/b');
  for (const { told } of readers) assert.deepEqual(told, ['/maps/n/a', 'flushed', '/maps/n/b', 'flushed']);
  assert.deepEqual(reached, [3, 4]);
  await engine.close();
});

test('a reader that is lost in the middle of a batch is told no more of it, not even that it is over; others are told all of it', async () => {
  let line: Feed | undefined;
  const engine = { head: () => Promise.resolve(1), follow: (_prefix: string, _after: number, told: Feed) => void (line = told) } as unknown as Engine;
  const feed = new EngineFeed(engine);
  let changes = 0;
  const failing = new Reader(feed, '/secrets/', (during) => {
    if (during === 'change' && ++changes === 2) throw new StorageFailure('corrupt', 'no key opens it');
  });
  const other = new Reader(feed, '/secrets/');
  for (const reader of [failing, other]) await feed.attach('/secrets/', reader);
  const keys = ['/secrets/n/a', '/secrets/n/b', '/secrets/n/c'];
  line?.changes(keys.map((key, at) => ({ key, revision: at + 2, value: new Uint8Array(1) })), 4);
  assert.deepEqual(failing.told, [keys[0], 'lost: corrupt no key opens it']);
  assert.deepEqual(other.told, [...keys, 'flushed']);
});

test('who is told that all was delivered finds the revision that was reached', async () => {
  const engine = await openEngine('memory://');
  const feed = new EngineFeed(engine);
  const reached: number[] = [];
  await feed.attach('/maps/', { change: () => {}, flush: () => void reached.push(feed.position), lost: () => {} });
  for (const key of ['/maps/n/a', '/secrets/n/a', '/maps/n/b']) await engine.commit({ key, expect: 0, value: new Uint8Array(1) });
  assert.deepEqual([reached, feed.position], [[2, 4], 4]);
  await engine.close();
});
