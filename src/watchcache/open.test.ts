import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { StillClock } from '#base';
import { openEngine, type KindCodec } from '#storage';
import { openWatchCaches } from './open.ts';

const unused = (): never => assert.fail('nothing is read or written');
const kindCodec = { encode: unused, decode: unused, select: unused } as unknown as KindCodec<never>;

test('a cache that nobody reads or watches any more is not kept for the sake of others', async () => {
  const clock = new StillClock();
  const engine = await openEngine('memory://', { clock });
  const caches = openWatchCaches({ engine, clock });
  const store = { get: unused, list: unused, write: unused, watch: unused } as never;
  const cache = new WeakRef(caches.createCache({ store, prefix: '/a/', kindCodec }));
  // What a weak reference was made of in a turn of the event loop stays until its end.
  await new Promise((resolve) => setImmediate(resolve));
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  assert.equal(cache.deref(), undefined);
  assert.ok(caches.createCache({ store, prefix: '/b/', kindCodec }));
  await engine.close();
});
