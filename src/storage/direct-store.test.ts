import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { countTurns, StillClock } from '#base';
import { passing } from '#test-support';
import { createObjectStore } from './direct-store.ts';
import type { Engine, Feed } from './engine.ts';
import { note, NoteCodec, objectStoreSuite, PREFIX, Collector, type Note } from './object-store-suite.ts';
import type { EventSink, Stored, Written } from './object-store.ts';
import { openEngine } from './open.ts';
import { StorageFailure } from './storage-failure.ts';

for (const withPrefix of [true, false]) {
  objectStoreSuite(`direct on memory${withPrefix ? ', one feed' : ''}`, async (clock) => {
    const engine = await openEngine('memory://', { clock });
    const codec = new NoteCodec();
    const store = createObjectStore({ engine, kindCodec: codec, clock, ...(withPrefix ? { prefix: PREFIX } : {}) });
    return { store, engine, codec, close: () => engine.close() };
  });
}

objectStoreSuite('direct on lmdb', async (clock) => {
  const folder = await mkdtemp(join(tmpdir(), 'orch-store-'));
  const engine = await openEngine(`lmdb://${folder}`, { clock });
  const codec = new NoteCodec();
  const store = createObjectStore({ engine, kindCodec: codec, clock, prefix: PREFIX });
  const close = async (): Promise<void> => {
    await engine.close();
    await rm(folder, { recursive: true });
  };
  return { store, engine, codec, close };
});

describe('direct store', () => {
  it('sends bookmarks when asked', async () => {
    const engine = await openEngine('memory://');
    const store = createObjectStore({ engine, kindCodec: new NoteCodec() });
    const collector = new Collector();
    await store.watch({ prefix: PREFIX, since: 1, bookmarks: true }, collector, new AbortController().signal);
    await store.write(`${PREFIX}n/a`, async () => ({ put: note('a', '1') }));
    await collector.count(1);
    store.bookmark();
    assert.deepEqual(collector.summary(), ['ADDED a=1 2', 'BOOKMARK 2']);
    await engine.close();
    assert.ok(collector.ended?.cause instanceof StorageFailure);
  });

  it('what remains after a page is counted in a turn of the event loop for each who asks, however many ask at once', async () => {
    const engine = await openEngine('memory://');
    const store = createObjectStore({ engine, kindCodec: new NoteCodec() });
    for (const name of ['a', 'b', 'c']) await store.write(`${PREFIX}n/${name}`, () => ({ put: note(name, '1') }));
    const scan = engine.scan.bind(engine);
    engine.scan = (range) => {
      const longUntilMs = performance.now() + 20;
      while (performance.now() < longUntilMs);
      return scan(range);
    };
    const turns = await countTurns(async () => {
      const pages = await Promise.all(Array.from({ length: 10 }, () => store.list({ prefix: PREFIX, freshness: 'latest', limit: 1 })));
      for (const { items, remaining } of pages) assert.deepEqual([items.length, remaining], [1, 2]);
    });
    assert.ok(turns >= 9, `others had ${turns} turns`);
    await engine.close();
  });

  it('throws, and does not end the receiver too, when the first state cannot be read', async () => {
    const engine = await openEngine('memory://');
    const store = createObjectStore({ engine, kindCodec: new NoteCodec() });
    await engine.close();
    const collector = new Collector();
    for (const since of ['latest', 7] as const) {
      await assert.rejects(store.watch({ prefix: PREFIX, since, bookmarks: false }, collector, new AbortController().signal), StorageFailure);
    }
    assert.equal(collector.ends, 0);
  });

  it('follows the engine, and keeps a timer, only while somebody watches', async () => {
    const clock = new StillClock();
    const engine = await openEngine('memory://', { clock });
    const followed = new Set<AbortSignal>();
    const follow = engine.follow.bind(engine);
    engine.follow = (prefix, after, feed, signal) => {
      followed.add(signal);
      signal.addEventListener('abort', () => followed.delete(signal));
      follow(prefix, after, feed, signal);
    };
    const store = createObjectStore({ engine, kindCodec: new NoteCodec(), clock, prefix: PREFIX });
    await store.write(`${PREFIX}n/a`, async () => ({ put: note('a', '1') }));
    const before = clock.pending;
    for (const since of ['latest', 1, 2] as const) {
      const stops = [new AbortController(), new AbortController()] as const;
      for (const [at, { signal }] of stops.entries()) {
        const collector = new Collector();
        await store.watch({ prefix: at === 0 ? PREFIX : `${PREFIX}n/`, since, bookmarks: true, endsInMs: 90_000 }, collector, signal);
        if (since !== 2) await collector.count(1);
      }
      assert.deepEqual([followed.size, clock.pending], [1, before + 3], 'both watches use one feed');
      stops[0].abort();
      assert.equal(followed.size, 1);
      stops[1].abort();
      assert.deepEqual([followed.size, clock.pending], [0, before]);
    }
    await engine.close();
  });

  it('a watch that ends while it catches up follows the engine no longer', async () => {
    const engine = await openEngine('memory://');
    const store = createObjectStore({ engine, kindCodec: new NoteCodec(), prefix: PREFIX });
    for (let n = 0; n < 1_200; n++) await store.write(`${PREFIX}n/${n}`, () => ({ put: note(`${n}`, '') }));
    const signals: AbortSignal[] = [];
    const follow = engine.follow.bind(engine);
    engine.follow = (prefix, after, feed, signal) => {
      signals.push(signal);
      follow(prefix, after, feed, signal);
    };
    const collector = new Collector();
    collector.room = 0;
    await store.watch({ prefix: PREFIX, since: 1, bookmarks: false }, collector, new AbortController().signal);
    await collector.finished();
    assert.deepEqual(signals.map(({ aborted }) => aborted), [true, true]);
    await engine.close();
  });

  it('a state is read on in turns of the event loop of its own, and no further for a watch that has ended', async () => {
    const engine = await openEngine('memory://');
    const store = createObjectStore({ engine, kindCodec: new NoteCodec(), prefix: PREFIX });
    for (let n = 0; n < 1_201; n++) await store.write(`${PREFIX}n/${n}`, () => ({ put: note(`${n}`, '') }));
    const scan = engine.scan.bind(engine);
    let scans = 0;
    engine.scan = (range) => (scans++, scan(range));
    const watch = (sink: EventSink<Note>): Promise<void> => store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false }, sink, new AbortController().signal);
    const turns = await countTurns(() => watch({ events: () => true, end: () => {} }));
    assert.ok(turns >= 2, `others had ${turns} turns`);
    assert.equal(scans, 3);
    await watch({ events: () => false, end: () => {} });
    assert.equal(scans, 4);
    await engine.close();
  });

  it('a watch that could not begin is no hindrance to the next', async () => {
    const clock = new StillClock();
    const engine = await openEngine('memory://', { clock });
    const store = createObjectStore({ engine, kindCodec: new NoteCodec(), clock, prefix: PREFIX });
    const before = clock.pending;
    const head = engine.head.bind(engine);
    const why = new StorageFailure('unavailable', 'the line is cut');
    engine.head = () => Promise.reject(why);
    const collector = new Collector();
    const watch = (): Promise<void> => store.watch({ prefix: PREFIX, since: 1, bookmarks: true, endsInMs: 90_000 }, collector, new AbortController().signal);
    await assert.rejects(watch(), why);
    assert.equal(clock.pending, before);
    engine.head = head;
    collector.hasBegun = false;
    await watch();
    await store.write(`${PREFIX}n/a`, async () => ({ put: note('a', '1') }));
    await collector.count(1);
    assert.deepEqual(collector.summary(), ['ADDED a=1 2']);
    await engine.close();
  });

  it('who watches again in the moment in which its watch is lost is told what comes', async () => {
    const engine = await openEngine('memory://');
    const feeds: Feed[] = [];
    const follow = engine.follow.bind(engine);
    engine.follow = (prefix, after, feed, signal) => {
      feeds.push(feed);
      follow(prefix, after, feed, signal);
    };
    const store = createObjectStore({ engine, kindCodec: new NoteCodec(), prefix: PREFIX });
    const collectors = [new Collector(), new Collector(), new Collector()] as const;
    const watch = (collector: Collector): Promise<void> => store.watch({ prefix: PREFIX, since: 1, bookmarks: false }, collector, new AbortController().signal);
    await Promise.all([watch(collectors[0]), watch(collectors[1])]);
    let again: Promise<void> | undefined;
    collectors[0].end = () => void (again = watch(collectors[2]));
    feeds[0]!.lost(new StorageFailure('unavailable', 'the line is cut'));
    await again;
    await store.write(`${PREFIX}n/a`, () => ({ put: note('a', '1') }));
    await collectors[2].count(1);
    assert.deepEqual(collectors.map(({ ends, events_ }) => [ends, events_.length]), [[0, 0], [1, 0], [0, 1]]);
    await engine.close();
  });

  it('R4.6-28 a watch that begins with what is there now begins, though somebody forgets that state while its first part is read', async () => {
    const engine = await openEngine('memory://');
    const store = createObjectStore({ engine, kindCodec: new NoteCodec(), prefix: PREFIX });
    for (const name of ['a', 'b']) await store.write(`${PREFIX}n/${name}`, () => ({ put: note(name, '1') }));
    const scan = engine.scan.bind(engine);
    let asked = 0;
    engine.scan = (range) => (asked++ === 0 ? Promise.reject(new StorageFailure('compacted', 'revision 2 is no longer kept', { revision: 3 })) : scan(range));
    const collector = new Collector();
    await store.watch({ prefix: PREFIX, since: 'latest', bookmarks: false }, collector, new AbortController().signal);
    assert.deepEqual([collector.summary(), collector.ends, asked], [['ADDED a=1 2', 'ADDED b=1 3'], 0, 2]);
    await engine.close();
  });

  it('R4.6-04 is never older than was asked for, also where that version comes about meanwhile', async () => {
    const inner = await openEngine('memory://');
    const writer = createObjectStore({ engine: inner, kindCodec: new NoteCodec() });
    await writer.write(`${PREFIX}n/a`, async () => ({ put: note('a', '1') }));
    const engine: Engine = {
      ...passing(inner),
      get: async (key, at) => {
        const entry = await inner.get(key, at);
        await writer.write(`${PREFIX}n/a`, async () => ({ put: note('a', '2') }));
        return entry;
      },
    };
    const store = createObjectStore({ engine, kindCodec: new NoteCodec() });
    const read = await store.get(`${PREFIX}n/a`, { notOlderThan: 3 }).then((stored) => stored?.object.text, (cause: StorageFailure) => cause.code);
    assert.equal(read, 'future');
    await inner.close();
  });

  it('tells the engine which writes come again after they were refused: that one gives these a turn', async () => {
    const engine = await openEngine('memory://');
    const told: (boolean | undefined)[] = [];
    const commit = engine.commit.bind(engine);
    engine.commit = (write) => {
      told.push(write.isRetry);
      return commit(write);
    };
    const store = createObjectStore({ engine, kindCodec: new NoteCodec() });
    const put = (text: string, seen?: Stored<Note>): Promise<Written<Note>> => store.write(`${PREFIX}n/a`, async () => ({ put: note('a', text) }), seen === undefined ? {} : { seen });
    const { stored } = await put('1');
    await put('2', stored);
    await put('3', stored);
    assert.deepEqual(told, [false, false, false, true]);
    await engine.close();
  });

  it('reports an entry that is no object as corrupt', async () => {
    const engine = await openEngine('memory://');
    const store = createObjectStore({ engine, kindCodec: new NoteCodec() });
    await engine.commit({ key: `${PREFIX}n/a`, expect: 0, value: new TextEncoder().encode('{"metadata":{') });
    await engine.commit({ key: `${PREFIX}n/b`, expect: 0, value: new TextEncoder().encode('nothing') });
    const isCorrupt = (error: unknown): boolean => error instanceof StorageFailure && error.code === 'corrupt';
    const a = await store.get(`${PREFIX}n/a`, 'latest');
    const b = await store.get(`${PREFIX}n/b`, 'latest');
    assert.throws(() => a?.object, isCorrupt);
    assert.throws(() => b?.json, isCorrupt);
    await engine.close();
  });

  it('R4.4-08 can go back five minutes, unless told otherwise', async () => {
    const clock = new StillClock();
    const engine = await openEngine('memory://', { clock });
    const store = createObjectStore({ engine, kindCodec: new NoteCodec(), clock });
    await store.write(`${PREFIX}n/a`, async () => ({ put: note('a', '1') }));
    await store.write(`${PREFIX}n/a`, async () => ({ put: note('a', '2') }));
    clock.turn(299_000);
    assert.equal((await store.list({ prefix: PREFIX, freshness: { exactly: 2 } })).items[0]?.object.text, '1');
    clock.turn(11_000);
    const isCompacted = (error: unknown): boolean => error instanceof StorageFailure && error.code === 'compacted';
    await assert.rejects(store.list({ prefix: PREFIX, freshness: { exactly: 2 } }), isCompacted);
    await engine.close();
  });

  it('names the engines there are when there is none for a URL', async () => {
    for (const url of ['nosuch://x', 'lmdb', '', '__proto__://', 'constructor://x']) {
      await assert.rejects(openEngine(url), (error) => error instanceof StorageFailure && /memory:\/\/ or lmdb:\/\//.test(error.message));
    }
    await assert.rejects(openEngine('lmdb://'), (error) => error instanceof StorageFailure && /folder/.test(error.message));
  });
});
