import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { queryObjects } from 'node:v8';
import { countTurns, deferred, nextTurn, StillClock } from '#base';
import { openWatchCaches } from '#watchcache';
import { passing } from '#test-support';
import { createObjectStore } from './direct-store.ts';
import { Waiters } from './engine-suite/test-support.ts';
import type { Change, Engine, Feed } from './engine.ts';
import type { Revision } from './entry.ts';
import { ChangeEvents } from './events.ts';
import { Collector, note, NoteCodec, objectStoreSuite, PREFIX, type Note } from './object-store-suite.ts';
import type { EventSink, Listing, ObjectStore, Run, Stored, WatchEvent } from './object-store.ts';
import { openEngine } from './open.ts';
import { StorageFailure } from './storage-failure.ts';
import { Watcher } from './watcher.ts';

for (const { name, maxChanges } of [
  { name: 'cached on memory', maxChanges: 1_024 },
  { name: 'cached on memory without a history of its own', maxChanges: 0 },
]) {
  objectStoreSuite(
    name,
    async (clock) => {
      const engine = await openEngine('memory://', { clock });
      const codec = new NoteCodec();
      const store = openWatchCaches({ engine, clock }).createCache({
        store: createObjectStore({ engine, kindCodec: codec, clock, prefix: PREFIX }),
        kindCodec: codec,
        prefix: PREFIX,
        history: { maxChanges },
      });
      return { store, engine, codec, close: () => engine.close() };
    },
    { remembersLonger: maxChanges > 0 },
  );
}

objectStoreSuite(
  'cached on lmdb',
  async (clock) => {
    const folder = await mkdtemp(join(tmpdir(), 'orch-cache-'));
    const engine = await openEngine(`lmdb://${folder}`, { clock });
    const codec = new NoteCodec();
    const store = openWatchCaches({ engine, clock }).createCache({
      store: createObjectStore({ engine, kindCodec: codec, clock, prefix: PREFIX }),
      kindCodec: codec,
      prefix: PREFIX,
    });
    const close = async (): Promise<void> => {
      await engine.close();
      await rm(folder, { recursive: true });
    };
    return { store, engine, codec, close };
  },
  { remembersLonger: true },
);

describe('watch cache', () => {
  /** An engine that counts what it is asked, with a cache over it. */
  async function open() {
    const clock = new StillClock();
    const inner = await openEngine('memory://', { clock });
    const calls = { gets: 0, scans: 0, follows: 0 };
    const feeds: Feed[] = [];
    /** Each happens once. */
    const faults: { head?: (() => void) | undefined; follow?: ((feed: Feed) => void) | undefined; scan?: Promise<void> | undefined; page?: Promise<void> | undefined } = {};
    const engine: Engine = {
      ...passing(inner),
      keepsOrder: false,
      head: async () => {
        const { head } = faults;
        faults.head = undefined;
        await Promise.resolve();
        head?.();
        return inner.head();
      },
      get: (key, at) => (calls.gets++, inner.get(key, at)),
      scan: async (range) => {
        calls.scans++;
        const { scan, page } = faults;
        faults.scan = undefined;
        faults.page = undefined;
        await scan;
        const read = await inner.scan(range);
        await page;
        return read;
      },
      follow: (prefix, after, feed, signal) => {
        calls.follows++;
        feeds.push(feed);
        const { follow = (told) => inner.follow(prefix, after, told, signal) } = faults;
        faults.follow = undefined;
        follow(feed);
      },
    };
    const codec = new NoteCodec();
    const caches = openWatchCaches({ engine, clock });
    const cacheOf = (prefix: string, history = {}): ObjectStore<Note> =>
      caches.createCache({ store: createObjectStore({ engine, kindCodec: codec, clock, prefix }), kindCodec: codec, prefix, history });
    const direct = createObjectStore({ engine, kindCodec: codec, clock, prefix: PREFIX });
    return { clock, engine, codec, asked: calls, feeds, faults, cacheOf, direct, store: cacheOf(PREFIX) };
  }
  type Opened = Awaited<ReturnType<typeof open>>;
  /** Has the next feed deliver its changes only when it is told to. */
  function lateFeed(engine: Engine, faults: Opened['faults']): { readonly lateUpTo: (revision: Revision) => Promise<readonly Change[]>; readonly deliver: (change: Change) => void } {
    const late: Change[] = [];
    const waiters = new Waiters();
    let feed: Feed | undefined;
    const changes = (batch: readonly Change[]): void => {
      late.push(...batch);
      waiters.wake();
    };
    faults.follow = (told) => {
      feed = told;
      engine.follow('', 1, { changes, lost: (why) => told.lost(why) }, new AbortController().signal);
    };
    const lateUpTo = async (revision: Revision): Promise<readonly Change[]> => {
      await waiters.until(() => late.at(-1)?.revision === revision);
      return late;
    };
    return { lateUpTo, deliver: (change) => feed?.changes([change], change.revision) };
  }
  /** Resolves once all garbage is collected. What a weak reference was made of in a turn of the event loop stays until its end. */
  async function collected(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    queryObjects(WeakRef, { format: 'count' });
  }
  const put = (store: ObjectStore<Note>, key: string, text: string): Promise<unknown> => store.write(key, async () => ({ put: note(key.split('/').pop() ?? '', text) }));

  it('asks the engine for nothing before the first read, and for its newest revision only after it', async () => {
    const { asked: calls, store, engine } = await open();
    await put(store, `${PREFIX}n/a`, '1');
    assert.deepEqual(calls, { gets: 1, scans: 0, follows: 0 });
    await store.list({ prefix: PREFIX, freshness: 'latest' });
    assert.deepEqual(calls, { gets: 1, scans: 1, follows: 1 });
    for (let round = 0; round < 5; round++) {
      assert.equal((await store.get(`${PREFIX}n/a`, 'latest'))?.object.text, '1');
      assert.equal((await store.list({ prefix: PREFIX, freshness: { notOlderThan: 2 }, limit: 1 })).items.length, 1);
    }
    await store.watch({ prefix: PREFIX, since: 1, bookmarks: false }, new Collector(), new AbortController().signal);
    assert.deepEqual(calls, { gets: 1, scans: 1, follows: 2 });
    await engine.close();
  });

  it('leaves no timer behind when the engine is closed', async () => {
    const { clock, store, cacheOf, engine } = await open();
    const before = clock.pending;
    await store.list({ prefix: PREFIX, freshness: 'latest' });
    const others = cacheOf('/others/');
    await others.list({ prefix: '/others/', freshness: 'latest' });
    await others.watch({ prefix: '/others/', since: 1, bookmarks: true }, new Collector(), new AbortController().signal);
    assert.ok(clock.pending > before);
    await engine.close();
    assert.equal(clock.pending, 0);
  });

  for (const { limit, scans } of [{ limit: 99, scans: 7 }, { limit: 100, scans: 2 }]) {
    it(`pages that many ask for at once are read from the engine once, and once more into memory, not for each; shorter ones for each, while they are few: limit ${limit}`, async () => {
      const { asked: calls, store, engine } = await open();
      for (let n = 0; n < 3; n++) await put(store, `${PREFIX}n/${n}`, '1');
      const pages = await Promise.all(Array.from({ length: 7 }, () => store.list({ prefix: PREFIX, freshness: 'latest', limit })));
      for (const { items, revision } of pages) assert.deepEqual([items.length, revision], [3, 4]);
      assert.equal(calls.scans, scans);
      await engine.close();
    });
  }

  it('a first read that takes longer than the state of a resource is kept is as new as any other', async () => {
    const { clock, faults, store, engine } = await open();
    await put(store, `${PREFIX}n/a`, '1');
    const held = deferred<void>();
    faults.scan = held.promise;
    const first = store.list({ prefix: PREFIX, freshness: 'latest' });
    await new Promise((resolve) => setImmediate(resolve));
    for (let minute = 0; minute < 20; minute++) clock.turn(60_000);
    held.resolve();
    assert.equal((await first).items.length, 1);
    await put(store, `${PREFIX}n/b`, '1');
    assert.equal((await store.list({ prefix: PREFIX, freshness: 'latest' })).items.length, 2);
    await engine.close();
  });

  it('all resources share one feed', async () => {
    const { asked: calls, cacheOf, engine } = await open();
    const stores = ['a', 'b', 'c'].map((name) => cacheOf(`/registry/${name}/`));
    for (const [at, store] of stores.entries()) await store.list({ prefix: `/registry/${'abc'[at]}/`, freshness: 'latest' });
    assert.equal(calls.follows, 1);
    await put(stores[0]!, '/registry/a/n/x', '1');
    const lists = await Promise.all(stores.map((store, at) => store.list({ prefix: `/registry/${'abc'[at]}/`, freshness: 'latest' })));
    assert.deepEqual(lists.map(({ items, revision }) => [items.length, revision]), [[1, 2], [0, 2], [0, 2]]);
    await engine.close();
  });

  it('watches that see the same get the same batch; others are not asked', async () => {
    const { store, engine } = await open();
    const batches: (readonly WatchEvent<Note>[])[] = [];
    const sink: EventSink<Note> = { events: (batch) => batches.push(batch) > 0, end: () => {} };
    const { signal } = new AbortController();
    let looked = 0;
    const matches = (): boolean => (looked++, true);
    for (let n = 0; n < 3; n++) await store.watch({ prefix: `${PREFIX}n/`, since: 1, bookmarks: false }, sink, signal);
    for (let n = 0; n < 3; n++) await store.watch({ prefix: `${PREFIX}n/`, since: 1, bookmarks: false, matches, matchesText: 'all' }, sink, signal);
    await store.watch({ prefix: `${PREFIX}other/`, since: 1, bookmarks: false, matches }, sink, signal);
    await put(store, `${PREFIX}n/a`, '1');
    assert.deepEqual([batches.length, new Set(batches).size, new Set(batches.map(([event]) => event)).size, looked], [6, 2, 1, 1]);
    await engine.close();
  });

  it('no event is kept after it was told, with what was made of it: who comes later gets one of their own', async () => {
    const { store, engine } = await open();
    const { signal } = new AbortController();
    const [present, ...late] = [new Collector(), new Collector(), new Collector()];
    await store.watch({ prefix: PREFIX, since: 1, bookmarks: false }, present, signal);
    await put(store, `${PREFIX}n/a`, '1');
    for (const collector of late) await store.watch({ prefix: PREFIX, since: 1, bookmarks: false }, collector, signal);
    const events = [present, ...late].flatMap((collector) => collector.events_);
    assert.deepEqual([events.length, new Set(events).size, new Set(events.map((event) => 'stored' in event && event.stored)).size], [3, 3, 1]);
    await engine.close();
  });

  it('what stood before a change is not decoded for it where the state is in memory', async () => {
    const { store, codec, faults, engine } = await open();
    // As an engine on a disk tells it: read anew.
    const readAnew = (change: Change): Change => ({ ...change, before: change.before && { ...change.before, value: change.before.value.slice() } });
    faults.follow = (told) => engine.follow('', 1, { changes: (batch, upTo) => told.changes(batch.map(readAnew), upTo), lost: (why) => told.lost(why) }, new AbortController().signal);
    await store.list({ prefix: PREFIX, freshness: 'latest' });
    await put(store, `${PREFIX}n/a`, '1');
    const collector = new Collector();
    const matches = ({ fields }: Stored<Note>): boolean => fields['text'] !== '3';
    await store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false, matches }, collector, new AbortController().signal);
    const { selected } = codec;
    for (const text of ['2', '3', '4']) await put(store, `${PREFIX}n/a`, text);
    assert.deepEqual([collector.summary(), codec.selected - selected], [['ADDED a=1 2', 'MODIFIED a=2 3', 'DELETED a=2 4', 'ADDED a=4 5'], 3]);
    await engine.close();
  });

  it('a change is kept in the history alone, before anything is read and after it', async () => {
    const { cacheOf, faults, engine } = await open();
    const store = cacheOf(PREFIX, { maxChanges: 1 });
    await collected();
    const before = queryObjects(ChangeEvents, { format: 'count' });
    const collector = new Collector();
    await store.watch({ prefix: PREFIX, since: 1, bookmarks: false }, collector, new AbortController().signal);
    const texts = ['1', '2', '3'];
    for (const freshness of ['none', 'latest'] as const) {
      if (freshness === 'latest') {
        const held = deferred<void>();
        faults.scan = held.promise;
        const reading = store.list({ prefix: PREFIX, freshness });
        // What comes meanwhile is kept until it is read.
        for (const text of texts) await put(store, `${PREFIX}n/a`, text);
        held.resolve();
        await reading;
      }
      for (const text of texts) await put(store, `${PREFIX}n/a`, text);
      await collected();
      assert.equal(queryObjects(ChangeEvents, { format: 'count' }), before + 1, freshness);
    }
    assert.equal(collector.events_.length, 3 * texts.length);
    await engine.close();
  });

  it('no more bytes of changes are kept than may be, where they alone keep an object: all that were written before the state is read, only the replaced ones after it', async () => {
    const { asked, cacheOf, engine } = await open();
    const store = cacheOf(PREFIX, { maxBytes: 2_000 });
    const watchFrom = async (since: Revision): Promise<number> => {
      const { follows } = asked;
      const collector = new Collector();
      await store.watch({ prefix: PREFIX, since, bookmarks: false }, collector, new AbortController().signal);
      await collector.count((await engine.head()) - since);
      return asked.follows - follows;
    };
    const fill = async (names: string, letter = 'x'): Promise<void> => {
      for (const name of names) await put(store, `${PREFIX}n/${name}`, letter.repeat(1_000));
    };
    assert.equal(await watchFrom(1), 1, 'one feed for all');
    await fill('abc');
    assert.equal(await watchFrom(1), 1, 'the first of them was forgotten');
    const { revision } = await store.list({ prefix: PREFIX, freshness: 'latest' });
    await fill('defg');
    assert.equal(await watchFrom(revision), 0, 'all of them are in memory in any case');
    await fill('defg', 'y');
    assert.equal(await watchFrom(revision), 1, 'what they replaced is not');
    await engine.close();
  });

  it('sends a first state of large objects as they are taken, not at once', async () => {
    const { store, engine } = await open();
    const names = Array.from({ length: 40 }, (_, n) => `n${10 + n}`);
    for (const name of names) await put(store, `${PREFIX}n/${name}`, 'x'.repeat(100_000));
    const told: (string | undefined)[] = [];
    const pieces: number[] = [];
    const slow: EventSink<Note> = {
      events: (batch) => told.push(...batch.map((event) => ('stored' in event ? event.stored.object.metadata.name : ''))) > 0,
      drained: async () => void pieces.push(told.length),
      end: () => {},
    };
    await store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false }, slow, new AbortController().signal);
    assert.deepEqual([told, pieces.slice(0, 4)], [names, [11, 22, 33, 40]]);
    // Nothing more is looked at for a receiver that takes no more.
    let looks = 0;
    const full = new Collector();
    full.room = 0;
    await store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false, matches: () => (looks += 1) > 0 }, full, new AbortController().signal);
    assert.deepEqual([looks, full.events_.length, full.ends], [11, 11, 1]);
    await engine.close();
  });

  it('goes on page by page from the state of the first page, for a while without the engine', async () => {
    const { store, asked: calls, clock, engine } = await open();
    for (const name of ['a', 'b', 'c']) await put(store, `${PREFIX}n/${name}`, '0');
    const stateOf = (list: Promise<Listing<Note>>): Promise<WeakRef<Run>> => list.then(({ runs }) => new WeakRef(runs![0]!));
    const whole = await stateOf(store.list({ prefix: PREFIX, freshness: 'latest' }));
    for (const name of ['a', 'b', 'c']) await put(store, `${PREFIX}n/${name}`, '1');
    const state = await stateOf(store.list({ prefix: PREFIX, freshness: 'any' }));
    const first = await store.list({ prefix: PREFIX, freshness: 'latest', limit: 1 });
    await put(store, `${PREFIX}n/b`, '2');
    const next = { prefix: PREFIX, freshness: { exactly: first.revision }, from: first.next! };
    await collected();
    assert.deepEqual([whole.deref(), state.deref() === undefined], [undefined, false], 'nobody goes on from a list in one piece');
    const { scans } = calls;
    for (const later of [0, 60_000]) {
      clock.turn(later);
      const { items } = await store.list(next);
      assert.deepEqual(items.map(({ object }) => object.text), ['1', '1']);
      assert.equal(calls.scans, later === 0 ? scans : scans + 1);
    }
    await collected();
    assert.equal(state.deref(), undefined, 'nobody goes on from there any more');
    await engine.close();
  });

  it('a state that nobody reads for a while leaves memory, and comes back; who watches meanwhile misses nothing', async () => {
    const { store, asked: calls, clock, engine } = await open();
    await put(store, `${PREFIX}n/a`, '1');
    const read = async (): Promise<number> => (await store.list({ prefix: PREFIX, freshness: 'latest' })).items.length;
    assert.equal(await read(), 1);
    const collector = new Collector();
    await store.watch({ prefix: PREFIX, since: 2, bookmarks: false }, collector, new AbortController().signal);
    clock.turn(5 * 60_000);
    assert.deepEqual([await read(), calls.scans], [1, 1]);
    for (const readAgain of [read, () => store.atHand?.(`${PREFIX}n/a`, 'any')]) {
      for (let minute = 0; minute < 20; minute++) {
        clock.turn(60_000);
        assert.ok(await readAgain());
      }
    }
    assert.equal(calls.scans, 1);
    clock.turn(15 * 60_000);
    await put(store, `${PREFIX}n/b`, '1');
    assert.deepEqual([await read(), calls.scans], [2, 2]);
    await store.write(`${PREFIX}n/a`, async () => ({ remove: true }));
    assert.deepEqual(collector.summary(), ['ADDED b=1 3', 'DELETED a=1 4']);
    await engine.close();
  });

  it('what nobody reads and nobody watches any more is not kept, and no timer for it', async () => {
    const { store, clock, engine } = await open();
    const before = clock.pending;
    /** The number of changes in memory, once all garbage is collected. */
    const kept = async (): Promise<number> => {
      // What a weak reference was made of in a turn of the event loop stays until its end.
      await new Promise((resolve) => setImmediate(resolve));
      return queryObjects(ChangeEvents, { format: 'count' });
    };
    const changes = await kept();
    await put(store, `${PREFIX}n/a`, '1');
    const ended = new AbortController();
    await store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false }, new Collector(), ended.signal);
    const timers = clock.pending;
    const late = store.get(`${PREFIX}n/a`, { notOlderThan: 3 });
    await put(store, `${PREFIX}n/a`, '2');
    assert.equal((await late)?.object.text, '2');
    assert.equal(clock.pending, timers, 'whoever waited is answered');
    const state = await store.list({ prefix: PREFIX, freshness: 'any' }).then(({ runs }) => new WeakRef(runs![0]!));
    clock.turn(20 * 60_000);
    assert.ok(clock.pending > before, 'somebody watches');
    assert.equal(await kept(), changes + 1);
    assert.equal(state.deref(), undefined, 'nobody reads');
    ended.abort();
    clock.turn(20 * 60_000);
    assert.equal(clock.pending, before);
    assert.equal(await kept(), changes);
    assert.equal((await store.get(`${PREFIX}n/a`, 'latest'))?.object.text, '2');
    await engine.close();
  });

  it('a watch that begins is a use: who comes back a moment after it has ended is told from memory what came meanwhile', async () => {
    const { store, asked: calls, clock, engine } = await open();
    const told: Collector[] = [];
    const watch = async (): Promise<() => void> => {
      const ended = new AbortController();
      const collector = new Collector();
      told.push(collector);
      await store.watch({ prefix: PREFIX, since: 1, bookmarks: false }, collector, ended.signal);
      return () => ended.abort();
    };
    const endFirst = await watch();
    await put(store, `${PREFIX}n/a`, '1');
    clock.turn(20 * 60_000);
    endFirst();
    (await watch())();
    clock.turn(60_000);
    await watch();
    assert.deepEqual(told.map((collector) => collector.summary()), Array(3).fill(['ADDED a=1 2']));
    assert.equal(calls.follows, 1);
    await engine.close();
  });

  it('watches that begin where a list ended, and few small reads, need no state in memory', async () => {
    const { store, asked: calls, clock, engine } = await open();
    await put(store, `${PREFIX}n/a`, '1');
    const [all, ones] = [new Collector(), new Collector()];
    const { signal } = new AbortController();
    await store.watch({ prefix: PREFIX, since: 1, bookmarks: false }, all, signal);
    await store.watch({ prefix: PREFIX, since: 2, bookmarks: false, matches: ({ object }) => object.text === '1', matchesText: '1' }, ones, signal);
    const list = { prefix: PREFIX, freshness: 'latest', limit: 1 } as const;
    assert.equal((await store.list(list)).items.length, 1);
    await put(store, `${PREFIX}n/a`, '2');
    await store.write(`${PREFIX}n/a`, async () => ({ remove: true }));
    // Who is behind catches up in turns of the event loop that are not long, which a busy machine makes of any.
    await Promise.all([all.count(3), ones.count(1)]);
    assert.deepEqual(all.summary(), ['ADDED a=1 2', 'MODIFIED a=2 3', 'DELETED a=2 4']);
    assert.deepEqual(ones.summary(), ['DELETED a=1 3']);
    assert.equal(calls.scans, 1);
    for (let minute = 0; minute < 20; minute++) {
      clock.turn(60_000);
      assert.equal(await store.get(`${PREFIX}n/a`, 'latest'), undefined);
    }
    assert.equal(calls.scans, 1, 'few in each minute');
    for (let round = 0; round < 20; round++) await store.list(list);
    const { scans } = calls;
    for (let round = 0; round < 20; round++) await store.list(list);
    assert.deepEqual([scans < 20, calls.scans], [true, scans]);
    await engine.close();
  });

  it('reads everything again after the feed was lost', async () => {
    const { store, engine, asked: calls, feeds } = await open();
    await put(store, `${PREFIX}n/a`, '1');
    const collector = new Collector();
    await store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false }, collector, new AbortController().signal);
    const late = store.get(`${PREFIX}n/a`, { notOlderThan: 3 });
    const why = new StorageFailure('unavailable', 'the line is cut');
    for (const feed of feeds.splice(0)) feed.lost(why);
    assert.equal(collector.ended?.cause, why);
    await assert.rejects(late, (cause) => cause instanceof StorageFailure && cause.code === 'future');
    await put(store, `${PREFIX}n/b`, '1');
    assert.equal((await store.list({ prefix: PREFIX, freshness: 'latest' })).items.length, 2);
    assert.deepEqual([calls.scans, calls.follows], [2, 2]);
    await engine.close();
  });

  for (const kind of ['cached', 'direct'] as const) {
    it(`who waits ahead of what the feed has lost is not told that it is forgotten (${kind})`, async () => {
      const { store, direct, engine, feeds } = await open();
      await put(store, `${PREFIX}n/a`, '1');
      const [behind, ahead] = [new Collector(), new Collector()];
      const watched = kind === 'cached' ? store : direct;
      for (const [since, collector] of [[2, behind], [9, ahead]] as const) {
        await watched.watch({ prefix: PREFIX, since, bookmarks: false }, collector, new AbortController().signal);
      }
      const why = new StorageFailure('compacted', 'revision 2 is no longer kept', { revision: 5 });
      for (const feed of feeds.splice(0)) feed.lost(why);
      assert.deepEqual([behind.ended, ahead.ended], [{ cause: why }, { cause: undefined }]);
      await engine.close();
    });
  }

  for (const kind of ['cached', 'direct'] as const) {
    it(`watches that have ended leave nothing in memory while others go on (${kind})`, async () => {
      const { store, direct, engine, feeds } = await open();
      const watched = kind === 'cached' ? store : direct;
      await put(store, `${PREFIX}n/a`, '1');
      const lasting = new AbortController();
      await watched.watch({ prefix: PREFIX, since: 2, bookmarks: false }, new Collector(), lasting.signal);
      const begin = async (signal: AbortSignal): Promise<readonly Collector[]> => {
        const begun: Collector[] = [];
        for (const since of ['latest', 1, 2] as const) {
          for (const query of [{ prefix: PREFIX }, { prefix: `${PREFIX}n/a`, required: { key: 'text', value: '1' }, matches: () => true }]) {
            const collector = new Collector();
            collector.room = since === 2 ? 0 : 1;
            await watched.watch({ ...query, since, bookmarks: true, endsInMs: 90_000 }, collector, signal);
            if (since !== 2) await collector.count(1);
            begun.push(collector);
          }
        }
        return begun;
      };
      const kept = async (): Promise<number> => {
        feeds.length = 0;
        await new Promise((resolve) => setImmediate(resolve));
        return queryObjects(Watcher, { format: 'count' });
      };
      const before = await kept();
      const stop = new AbortController();
      await begin(stop.signal);
      stop.abort();
      for (let moment = 0; moment < 8; moment++) {
        const early = new AbortController();
        const beginning = watched.watch({ prefix: PREFIX, since: 1, bookmarks: false }, new Collector(), early.signal);
        for (let left = moment; left > 0; left--) await Promise.resolve();
        early.abort();
        await beginning;
      }
      // These end because their receivers are full.
      const full = await begin(lasting.signal);
      for (const text of ['2', '3', '4']) await put(store, `${PREFIX}n/a`, text);
      await Promise.all(full.map((collector) => collector.finished()));
      assert.equal(await kept(), before);
      lasting.abort();
      await engine.close();
    });
  }

  it('no page keeps anything of a state that is emptied because the feed is lost, nor does one that is made meanwhile', async () => {
    const { store, engine, feeds } = await open();
    for (const name of ['a', 'b']) await put(store, `${PREFIX}n/${name}`, '1');
    const state = await store.list({ prefix: PREFIX, freshness: 'latest' }).then(({ runs }) => new WeakRef(runs![0]!));
    const matches = (): boolean => {
      for (const feed of feeds.splice(0)) feed.lost(new StorageFailure('unavailable', 'the line is cut'));
      return true;
    };
    for (const selector of [{}, { matches }]) {
      const { next } = await store.list({ prefix: PREFIX, freshness: 'latest', limit: 1, ...selector });
      assert.equal(next, `${PREFIX}n/b`);
    }
    await collected();
    assert.equal(state.deref(), undefined);
    await engine.close();
  });

  it('a small read does not wait until the state is in memory, and does not fail where that cannot be read', async () => {
    const { store, faults, engine } = await open();
    await put(store, `${PREFIX}n/a`, '1');
    const held = deferred<void>();
    faults.scan = held.promise;
    for (let round = 0; round < 20; round++) assert.equal((await store.get(`${PREFIX}n/a`, 'latest'))?.object.text, '1');
    assert.equal(faults.scan, undefined, 'it is being read');
    held.reject(new StorageFailure('unavailable', 'the line is cut'));
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await store.list({ prefix: PREFIX, freshness: 'latest' })).items.length, 1);
    await engine.close();
  });

  it('a watch has begun with the state that the store below gives where memory cannot', async () => {
    const { store, faults, engine } = await open();
    await put(store, `${PREFIX}n/a`, '1');
    faults.scan = Promise.reject(new StorageFailure('corrupt', 'another object cannot be read'));
    const collector = new Collector();
    await store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false }, collector, new AbortController().signal);
    assert.deepEqual([collector.hasBegun, collector.summary()], [true, ['ADDED a=1 2']]);
    await engine.close();
  });

  it('a first read while the feed loses changes has asked for nothing that is forgotten', async () => {
    const { store, engine, feeds, faults } = await open();
    const held = deferred<void>();
    faults.scan = held.promise;
    const first = store.list({ prefix: PREFIX, freshness: 'latest' });
    await new Promise((resolve) => setImmediate(resolve));
    feeds[0]!.lost(new StorageFailure('compacted', 'revision 1 is no longer kept', { revision: 5 }));
    held.resolve();
    await assert.rejects(first, (cause) => cause instanceof StorageFailure && cause.code === 'unavailable');
    assert.equal((await store.list({ prefix: PREFIX, freshness: 'latest' })).items.length, 0);
    await engine.close();
  });

  it('a first read that was under way when the feed was lost shows nothing, also where somebody else follows it again by then', async () => {
    const { store, engine, feeds, faults } = await open();
    await put(store, `${PREFIX}n/a`, '1');
    const held = deferred<void>();
    faults.page = held.promise;
    const why = new StorageFailure('unavailable', 'the line is cut');
    const first = store.list({ prefix: PREFIX, freshness: 'latest' });
    await new Promise((resolve) => setImmediate(resolve));
    feeds[0]!.lost(why);
    await put(store, `${PREFIX}n/b`, '1');
    await store.watch({ prefix: PREFIX, since: 3, bookmarks: false }, new Collector(), new AbortController().signal);
    held.resolve();
    const read = await first.catch((cause: unknown) => cause);
    const names = (await store.list({ prefix: PREFIX, freshness: 'latest' })).items.map(({ object }) => object.metadata.name);
    assert.deepEqual([read, names], [why, ['a', 'b']]);
    await engine.close();
  });

  for (const since of [1, 'latest'] as const) {
    it(`at whatever moment the feed is lost, a watch that begins meanwhile misses nothing or fails: from ${since}`, async () => {
      const why = new StorageFailure('unavailable', 'the line is cut');
      for (let moment = 0; moment < 12; moment++) {
        const { store, feeds, faults, engine } = await open();
        faults.follow = (feed) => {
          let left = moment;
          const step = (): void => (left-- > 0 ? queueMicrotask(step) : feed.lost(why));
          queueMicrotask(step);
        };
        const collector = new Collector();
        const failure = await store.watch({ prefix: PREFIX, since, bookmarks: false }, collector, new AbortController().signal).catch((cause: unknown) => cause);
        await put(store, `${PREFIX}n/a`, '1');
        const ended = failure ?? collector.ended?.cause;
        assert.ok(failure === undefined || collector.ends === 0, 'it is told once');
        if (ended !== undefined) assert.equal(ended, why);
        else assert.deepEqual([feeds.length, collector.summary()], [2, ['ADDED a=1 2']]);
        if (moment === 0) assert.equal(ended, undefined, 'who has not begun to read is not hindered');
        for (const [count, name] of [[1, 'b'], [2, 'c'], [3, 'd']] as const) {
          for (const freshness of ['latest', 'any'] as const) assert.equal((await store.list({ prefix: PREFIX, freshness })).items.length, count);
          await put(store, `${PREFIX}n/${name}`, '1');
        }
        await engine.close();
      }
    });
  }

  it('what is written while everything is read for the first time is seen by who reads next', async () => {
    const { store, faults, engine } = await open();
    // So many that they are read in two slices.
    const keys = Array.from({ length: 600 }, (_, n) => `${PREFIX}n/${1_000 + n}`);
    for (const key of keys) await put(store, key, '1');
    const held = deferred<void>();
    faults.page = held.promise;
    const first = store.list({ prefix: PREFIX, freshness: 'any' });
    await new Promise((resolve) => setImmediate(resolve));
    await put(store, keys[0]!, '2');
    await store.write(keys[1]!, async () => ({ remove: true }));
    await store.write(keys[599]!, async () => ({ remove: true }));
    held.resolve();
    await first;
    for (const freshness of ['latest', 'any'] as const) {
      const { items, revision } = await store.list({ prefix: PREFIX, freshness });
      assert.deepEqual([items.map(({ object }) => object.text), revision], [['2', ...Array<string>(597).fill('1')], 604]);
    }
    await engine.close();
  });

  for (const isHeadAtHand of [true, false]) {
    it(`a read of the newest waits for what the feed has not delivered, where the revision is${isHeadAtHand ? '' : ' not'} at hand`, async () => {
      const { store, faults, engine } = await open();
      const key = `${PREFIX}n/a`;
      const { lateUpTo, deliver } = lateFeed(engine, faults);
      await put(store, key, '1');
      await store.list({ prefix: PREFIX, freshness: 'any' });
      await put(store, key, '2');
      if (isHeadAtHand) engine.headAtHand = () => 3;
      const texts = Promise.all([store.get(key, 'latest'), store.list({ prefix: PREFIX, freshness: 'latest' }).then(({ items }) => items[0])]);
      const atHand = (freshness: 'latest' | 'any'): string | undefined => store.atHand?.(key, freshness)?.stored?.object.text;
      assert.deepEqual([atHand('latest'), atHand('any')], [undefined, '1']);
      await new Promise((resolve) => setImmediate(resolve));
      (await lateUpTo(3)).forEach(deliver);
      assert.deepEqual((await texts).map((stored) => stored?.object.text), ['2', '2']);
      assert.deepEqual([atHand('latest'), atHand('any')], [isHeadAtHand ? '2' : undefined, '2']);
      await engine.close();
    });
  }

  it('a read of the newest does not wait for a feed that was lost while it asked which revision that is', async () => {
    const { store, faults, feeds, engine } = await open();
    const key = `${PREFIX}n/a`;
    const reads: readonly (() => Promise<string | undefined>)[] = [
      async () => (await store.get(key, 'latest'))?.object.text,
      async () => (await store.list({ prefix: PREFIX, freshness: 'latest' })).items[0]?.object.text,
    ];
    for (const [at, read] of reads.entries()) {
      lateFeed(engine, faults);
      await store.list({ prefix: PREFIX, freshness: 'any' });
      await put(store, key, `${at}`);
      faults.head = () => feeds.at(-1)!.lost(new StorageFailure('unavailable', 'the line is cut'));
      assert.equal(await read(), `${at}`);
    }
    await engine.close();
  });

  it('at whatever moment the feed is lost, reads that are under way show what is stored', async () => {
    for (let moment = 0; moment < 12; moment++) {
      const { store, feeds, engine } = await open();
      await put(store, `${PREFIX}n/a`, '1');
      await store.list({ prefix: PREFIX, freshness: 'latest' });
      const gets = (['latest', 'any', { notOlderThan: 2 }] as const).map((freshness) => store.get(`${PREFIX}n/a`, freshness));
      const lists = (['latest', 'any', { notOlderThan: 2 }] as const).map((freshness) => store.list({ prefix: PREFIX, freshness }));
      for (let left = moment; left > 0; left--) await Promise.resolve();
      feeds[0]!.lost(new StorageFailure('unavailable', 'the line is cut'));
      for (const stored of await Promise.all(gets)) assert.equal(stored?.object.text, '1');
      for (const { items } of await Promise.all(lists)) assert.equal(items.length, 1);
      await engine.close();
    }
  });

  it('what lies outside of its resource it asks the store below for', async () => {
    const { store, engine } = await open();
    await store.list({ prefix: PREFIX, freshness: 'latest' });
    const collector = new Collector();
    await store.watch({ prefix: '/registry/others/', since: 1, bookmarks: false }, collector, new AbortController().signal);
    await put(store, '/registry/others/n/a', '1');
    await collector.count(1);
    for (const freshness of ['latest', 'any'] as const) {
      assert.equal(store.atHand?.('/registry/others/n/a', freshness), undefined);
      assert.equal((await store.get('/registry/others/n/a', freshness))?.object.text, '1');
      assert.equal((await store.list({ prefix: '/registry/others/', freshness })).items.length, 1);
    }
    await engine.close();
  });

  it('pages of few bytes are read from the engine one by one; after one of many bytes all is read into memory', async () => {
    for (const { count, scans } of [
      { count: 10, scans: [1, 2, 3] },
      { count: 100, scans: [1, 2, 2] },
    ]) {
      const { store, asked: calls, engine } = await open();
      for (let n = 0; n < count; n++) await put(store, `${PREFIX}n/${n}`, 'x'.repeat(90_000));
      for (const expected of scans) {
        assert.equal((await store.list({ prefix: PREFIX, freshness: 'latest', limit: 500 })).items.length, count);
        assert.equal(calls.scans, expected);
      }
      await engine.close();
    }
  });

  it('what was read ahead of the feed does not go back when the feed comes to it, nor do watches from any version wait for that', async () => {
    const { store, faults, engine } = await open();
    const { signal } = new AbortController();
    const { lateUpTo, deliver } = lateFeed(engine, faults);
    for (const text of ['1', '2']) await put(store, `${PREFIX}n/a`, text);
    await put(store, `${PREFIX}n/b`, '1');
    await store.write(`${PREFIX}n/b`, async () => ({ remove: true }));
    const list = async (): Promise<unknown> => {
      const { items, revision } = await store.list({ prefix: PREFIX, freshness: 'any' });
      return [items.map(({ object }) => object.text), revision];
    };
    const collector = new Collector();
    await store.watch({ prefix: PREFIX, since: 'any', bookmarks: false }, collector, signal);
    assert.deepEqual(await list(), [['2'], 5]);
    await put(store, `${PREFIX}n/a`, '3');
    const late = new Collector();
    await store.watch({ prefix: PREFIX, since: 'any', bookmarks: false }, late, signal);
    for (const change of await lateUpTo(6)) {
      deliver(change);
      assert.deepEqual(await list(), change.revision > 5 ? [['3'], 6] : [['2'], 5]);
    }
    for (const watched of [collector, late]) assert.deepEqual(watched.summary(), ['ADDED a=2 3', 'MODIFIED a=3 6']);
    await engine.close();
  });

  it('who watches from before the state was read is told each change as it came, also those that the state shows already', async () => {
    const { store, clock, faults, engine } = await open();
    const { lateUpTo, deliver } = lateFeed(engine, faults);
    const [collector, later] = [new Collector(), new Collector()];
    const watch = (sink: Collector): Promise<void> => store.watch({ prefix: PREFIX, since: 1, bookmarks: true, endsInMs: 90_000 }, sink, new AbortController().signal);
    await watch(collector);
    for (const text of ['1', '2']) await put(store, `${PREFIX}n/a`, text);
    await put(store, `${PREFIX}n/b`, '1');
    assert.equal((await store.list({ prefix: PREFIX, freshness: 'any' })).revision, 4);
    await watch(later);
    // No bookmark says that what the state shows was told.
    for (const ms of [60_000, 29_000]) clock.turn(ms);
    await put(store, `${PREFIX}n/a`, '3');
    for (const change of await lateUpTo(5)) deliver(change);
    for (const told of [collector, later]) assert.deepEqual(told.summary(), ['ADDED a=1 2', 'MODIFIED a=2 3', 'ADDED b=1 4', 'MODIFIED a=3 5']);
    await engine.close();
  });

  for (const since of [1, 'any'] as const) {
    it(`a watch that is to close waits for what the feed has not delivered, whosever change is the last one: from ${since}`, async () => {
      const { store, faults, engine } = await open();
      const { lateUpTo, deliver } = lateFeed(engine, faults);
      const closing = new AbortController();
      const collector = new Collector();
      await store.watch({ prefix: PREFIX, since, bookmarks: false, closing: closing.signal }, collector, new AbortController().signal);
      await put(store, `${PREFIX}n/a`, '1');
      await put(store, '/registry/others/n/a', '1');
      closing.abort();
      for (const change of await lateUpTo(3)) {
        await nextTurn();
        assert.equal(collector.ends, 0);
        deliver(change);
      }
      assert.deepEqual([collector.summary(), collector.ended], [['ADDED a=1 2'], { cause: undefined }]);
      await engine.close();
    });
  }

  it('a watch that is to close ends where nobody can tell what is stored', async () => {
    const { store, faults, engine } = await open();
    const closing = new AbortController();
    const collector = new Collector();
    await store.watch({ prefix: PREFIX, since: 1, bookmarks: false, closing: closing.signal }, collector, new AbortController().signal);
    faults.head = () => {
      throw new StorageFailure('unavailable', 'the line is cut');
    };
    closing.abort();
    await collector.finished();
    assert.deepEqual([collector.events_, collector.ended], [[], { cause: undefined }]);
    await engine.close();
  });

  it('waits for a version that is not there yet, also where nothing is in memory', async () => {
    const freshness = { notOlderThan: 2 } as const;
    for (const read of [
      async (store: ObjectStore<Note>) => (await store.get(`${PREFIX}n/a`, freshness))?.object.text,
      async (store: ObjectStore<Note>) => (await store.list({ prefix: PREFIX, freshness, limit: 1 })).items[0]?.object.text,
      async (store: ObjectStore<Note>) => (await store.list({ prefix: PREFIX, freshness, limit: 500 })).items[0]?.object.text,
    ]) {
      const { store, direct, engine } = await open();
      const waiting = read(store);
      for (let turn = 0; turn < 10; turn++) await nextTurn();
      await put(direct, `${PREFIX}n/a`, '1');
      assert.equal(await waiting, '1');
      await engine.close();
    }
  });

  it('sends bookmarks also when a minute was over while everything was read for the first time', async () => {
    const { store, clock, faults, engine } = await open();
    const collector = new Collector();
    faults.head = () => clock.turn(60_000);
    await store.watch({ prefix: PREFIX, since: 1, bookmarks: true }, collector, new AbortController().signal);
    await put(store, `${PREFIX}n/a`, '1');
    await collector.count(1);
    clock.turn(60_000);
    assert.deepEqual(collector.summary(), ['ADDED a=1 2', 'BOOKMARK 2']);
    await engine.close();
  });

  it('sends bookmarks also after the feed was lost: to who begins then, and to who began meanwhile at another resource', async () => {
    const { cacheOf, store, clock, engine, feeds } = await open();
    const { signal } = new AbortController();
    const watch = async (watched: ObjectStore<Note>, prefix: string, since: number): Promise<Collector> => {
      const collector = new Collector();
      await watched.watch({ prefix, since, bookmarks: true }, collector, signal);
      return collector;
    };
    const lost = await watch(store, PREFIX, 1);
    const meanwhile = watch(cacheOf('/registry/others/'), '/registry/others/', 1);
    feeds[0]!.lost(new StorageFailure('unavailable', 'the line is cut'));
    assert.equal(lost.ends, 1);
    const other = await meanwhile;
    await put(store, '/registry/none/n/a', '1');
    clock.turn(60_000);
    assert.deepEqual(other.summary(), ['BOOKMARK 2']);
    feeds[1]!.lost(new StorageFailure('unavailable', 'the line is cut'));
    const again = await watch(store, PREFIX, 2);
    await put(store, '/registry/none/n/b', '1');
    clock.turn(60_000);
    assert.deepEqual(again.summary(), ['BOOKMARK 3']);
    await engine.close();
  });

  it('a first read that fails as the engine does is no hindrance to the next', async () => {
    const { store, faults, engine } = await open();
    await put(store, `${PREFIX}n/a`, '1');
    const why = new StorageFailure('unavailable', 'the line is cut');
    const list = (): Promise<number> => store.list({ prefix: PREFIX, freshness: 'latest' }).then(({ items }) => items.length);
    faults.head = () => {
      throw why;
    };
    await assert.rejects(list(), why);
    faults.scan = Promise.reject(why);
    await assert.rejects(list(), why);
    assert.equal(await list(), 1);
    await engine.close();
  });

  it('no bookmark repeats to a client what it knows: where it began, or the objects it was sent', async () => {
    const { store, clock, engine } = await open();
    await put(store, `${PREFIX}n/a`, '1');
    const [began, sent, empty] = [new Collector(), new Collector(), new Collector()];
    const { signal } = new AbortController();
    const ends = { bookmarks: true, endsInMs: 90_000 };
    await store.watch({ prefix: PREFIX, since: 2, ...ends }, began, signal);
    await store.watch({ prefix: PREFIX, since: 'latest', ...ends }, sent, signal);
    await store.watch({ prefix: `${PREFIX}none/`, since: 'latest', ...ends }, empty, signal);
    for (const next of [60_000, 28_000]) clock.turn(next);
    assert.deepEqual([began.summary(), sent.summary(), empty.summary()], [[], ['ADDED a=1 2'], ['BOOKMARK 2', 'BOOKMARK 2']]);
    await engine.close();
  });

  it('a watch has begun once it is known what it begins with: until then that may change', async () => {
    const { store, direct, faults, engine } = await open();
    const { signal } = new AbortController();
    const latest = { prefix: PREFIX, since: 'latest', bookmarks: false } as const;
    for (const watched of [direct, store]) {
      const collector = new Collector();
      const held = deferred<void>();
      faults.scan = held.promise;
      const watching = watched.watch(latest, collector, signal);
      await put(direct, `${PREFIX}n/a`, '1');
      assert.equal(collector.hasBegun, false);
      held.resolve();
      await watching;
      assert.deepEqual([collector.hasBegun, collector.summary()], [true, ['ADDED a=1 2']]);
    }
    const warm = new Collector();
    faults.head = () => assert.equal(warm.hasBegun, false);
    await store.watch(latest, warm, signal);
    const later = new Collector();
    const watching = store.watch({ ...latest, since: 1 }, later, signal);
    assert.equal(later.hasBegun, true);
    await Promise.all([watching, later.count(1)]);
    assert.deepEqual([warm, later].map((collector) => [collector.hasBegun, collector.summary()]), Array(2).fill([true, ['ADDED a=1 2']]));
    await engine.close();
  });

  for (const since of [1, 'latest'] as const) {
    it(`what watches have missed lately, or begin with, is looked through in memory, in a turn of the event loop for each, however many begin at once: from ${since}`, async () => {
      const { store, engine, asked } = await open();
      const { signal } = new AbortController();
      await store.watch({ prefix: PREFIX, since: 1, bookmarks: false }, new Collector(), signal);
      await put(store, `${PREFIX}n/a`, '1');
      const matches = (): boolean => {
        const longUntilMs = performance.now() + 20;
        while (performance.now() < longUntilMs);
        return true;
      };
      const collectors = Array.from({ length: 10 }, () => new Collector());
      const turns = await countTurns(() => Promise.all(collectors.map((collector) => store.watch({ prefix: PREFIX, since, bookmarks: false, matches }, collector, signal))));
      assert.ok(turns >= 9, `others had ${turns} turns`);
      for (const collector of collectors) assert.deepEqual(collector.summary(), ['ADDED a=1 2']);
      assert.equal(asked.follows, 1);
      await engine.close();
    });
  }

  it('who watches again in the moment in which its watch is lost is told what comes', async () => {
    const { store, feeds, faults, engine } = await open();
    faults.follow = () => {};
    const collectors = [new Collector(), new Collector(), new Collector()] as const;
    const watch = (sink: Collector): Promise<void> => store.watch({ prefix: PREFIX, since: 1, bookmarks: false }, sink, new AbortController().signal);
    for (const collector of collectors.slice(0, 2)) await watch(collector);
    let again: Promise<void> | undefined;
    collectors[0].end = () => void (again = watch(collectors[2]));
    feeds[0]!.lost(new StorageFailure('unavailable', 'the line is cut'));
    await again;
    await put(store, `${PREFIX}n/a`, '1');
    await collectors[2].count(1);
    assert.deepEqual(collectors.map(({ ends, events_ }) => [ends, events_.length]), [[0, 0], [1, 0], [0, 1]]);
    await engine.close();
  });

  it('a watch that ends before it has begun is told so once', async () => {
    const { store, feeds, faults, engine } = await open();
    await store.list({ prefix: PREFIX, freshness: 'latest' });
    const why = new StorageFailure('unavailable', 'the line is cut');
    faults.head = () => feeds[0]!.lost(why);
    const collector = new Collector();
    await store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false }, collector, new AbortController().signal);
    assert.deepEqual([collector.ended?.cause, collector.ends, collector.hasBegun], [why, 1, false]);
    await engine.close();
  });

  for (const maxChanges of [1_024, 1]) {
    for (const isSlow of [false, true]) {
      it(`a watch that comes upon an entry that cannot be read ends with the reason, ${maxChanges > 1 ? 'in memory' : 'behind what the engine told'}, for a ${isSlow ? 'slow' : 'fast'} receiver`, async () => {
        const { cacheOf, engine } = await open();
        const store = cacheOf(PREFIX, { maxChanges });
        const { signal } = new AbortController();
        await store.watch({ prefix: PREFIX, since: 1, bookmarks: false }, new Collector(), signal);
        // As much as a receiver is sent in one piece.
        await put(store, `${PREFIX}n/a`, 'x'.repeat(1024 * 1024));
        await engine.commit({ key: `${PREFIX}n/b`, value: Buffer.from('no object'), expect: 0 });
        const collector = new Collector();
        const sink: EventSink<Note> = { events: (batch) => collector.events(batch), end: (cause) => collector.end(cause), ...(isSlow ? { drained: () => Promise.resolve() } : {}) };
        const query = { prefix: PREFIX, since: 1, bookmarks: false, matches: ({ object }: Stored<Note>) => object.kind === 'Note' };
        const failure = await store.watch(query, sink, signal).catch((cause: unknown) => cause);
        if (failure === undefined) await collector.finished();
        const reason = failure ?? collector.ended?.cause;
        assert.ok(reason instanceof StorageFailure && reason.code === 'corrupt');
        assert.equal(collector.events_.length, 1);
        await engine.close();
      });
    }
  }

  it('fails as the store below does', async () => {
    const { store, engine } = await open();
    await engine.close();
    await assert.rejects(store.list({ prefix: PREFIX, freshness: 'latest' }), StorageFailure);
    await assert.rejects(store.get(`${PREFIX}n/a`, 'any'), StorageFailure);
    await assert.rejects(store.watch({ prefix: PREFIX, since: 1, bookmarks: false }, new Collector(), new AbortController().signal), StorageFailure);
  });
});
