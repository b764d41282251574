import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StillClock } from '#base';
import { openEngine, type KindCodec } from '#storage';
import { collectGarbage } from '#test-support';
import { openWatchCaches } from './open.ts';

const unused = (): never => assert.fail('nothing is read or written');
const kindCodec = { encode: unused, decode: unused, select: unused } as unknown as KindCodec<never>;

test('a cache that nobody reads or watches any more is not kept for the sake of others, which go on', async () => {
  const clock = new StillClock();
  const engine = await openEngine('memory://', { clock });
  const caches = openWatchCaches({ engine, clock });
  const store = { get: unused, list: unused, write: unused, watch: unused } as never;
  const cache = new WeakRef(caches.createCache({ store, prefix: '/a/', kindCodec }));
  const left = new WeakRef(caches.createCache({ store, prefix: '/d/', kindCodec }));
  const watch = new AbortController();
  await left.deref()!.list({ prefix: '/d/', freshness: 'any' });
  const waiting = left.deref()!.get('/d/x', { notOlderThan: 2 });
  await new Promise((resolve) => setImmediate(resolve));
  await engine.commit({ key: '/c/x', expect: 0, value: new Uint8Array(1) });
  assert.equal(await waiting, undefined);
  await left.deref()!.watch({ prefix: '/d/', since: 1, bookmarks: false }, { events: unused, end: () => {} }, watch.signal);
  await collectGarbage();
  assert.deepEqual([cache.deref(), left.deref() !== undefined], [undefined, true]);
  watch.abort();
  clock.turn(20 * 60_000);
  await collectGarbage();
  assert.equal(left.deref(), undefined);
  const other = caches.createCache({ store, prefix: '/b/', kindCodec });
  const told: number[] = [];
  const sink = { events: (batch: readonly { readonly revision: number }[]) => told.push(...batch.map(({ revision }) => revision)) > 0, end: () => {} };
  await other.watch({ prefix: '/b/', since: 2, bookmarks: true }, sink, new AbortController().signal);
  await engine.commit({ key: '/c/y', expect: 0, value: new Uint8Array(1) });
  for (const minute of [60_000, 60_000]) clock.turn(minute);
  assert.deepEqual(told, [3, 3]);
  await engine.close();
});
