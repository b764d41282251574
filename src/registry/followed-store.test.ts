import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import { abortedBy, StillClock } from '#base';
import type { ApiObject } from '#api';
import { createObjectStore, openEngine, StorageFailure, type ObjectStore, type Stored } from '#storage';
import { createFollowedStore } from './followed-store.ts';
import { encodeForStorage } from './stored-form.ts';

const PREFIX = '/things/';

/** A followed store whose feed can be held up and cut, and one who follows it. */
async function open() {
  const clock = new StillClock();
  const below = createObjectStore({ engine: await openEngine('memory://', { clock }), kindCodec: { encode: encodeForStorage, select: () => ({}) }, clock, prefix: PREFIX });
  const feed = { held: undefined as (() => void)[] | undefined, cut: (): void => {}, isReachable: true };
  const objects: ObjectStore = {
    get: (key, freshness) => below.get(key, freshness),
    write: (key, decide, hints) => below.write(key, decide, hints),
    list: (query) => (feed.isReachable ? below.list(query) : Promise.reject(new StorageFailure('unavailable', 'cut'))),
    watch(query, sink, signal) {
      const stopped = abortedBy(signal);
      feed.cut = () => {
        stopped.abort();
        sink.end(new StorageFailure('unavailable', 'cut'));
      };
      const events: typeof sink.events = (batch) => (feed.held === undefined ? sink.events(batch) : feed.held.push(() => sink.events(batch)) > 0);
      return below.watch(query, { events, end: () => {} }, stopped.signal);
    },
  };
  const store = createFollowedStore({ objects, prefix: PREFIX, isNamespaced: true, clock });
  const known = new Map<string, unknown>();
  const end = new AbortController();
  const put = (name: string, text: string, dryRun = false): Promise<unknown> =>
    store.write(`${PREFIX}n/${name}`, () => ({ put: { apiVersion: 'v1', kind: 'Thing', metadata: { namespace: 'n', name }, text } as ApiObject }), { dryRun });
  const remove = (name: string, dryRun = false): Promise<unknown> => store.write(`${PREFIX}n/${name}`, () => ({ remove: true }), { dryRun });
  await put('first', '1');
  await store.follow(
    {
      put: (object) => known.set(`n/${object.metadata.name}`, Reflect.get(object, 'text')),
      remove: ({ namespace, name }) => known.delete(`${namespace}/${name}`),
    },
    end.signal,
  );
  return { clock, feed, known, end, put, remove };
}

test('a write is answered when those who follow have seen it, and a dry-run at once', async () => {
  const { feed, known, put, remove } = await open();
  assert.deepEqual([...known], [['n/first', '1']]);
  const writes = [() => put('a', '1'), () => put('a', '2'), () => remove('first')];
  const seen = [[['n/first', '1'], ['n/a', '1']], [['n/first', '1'], ['n/a', '2']], [['n/a', '2']]];
  for (const [at, write] of writes.entries()) {
    feed.held = [];
    let isAnswered = false;
    const answered = write().then(() => (isAnswered = true));
    await turn();
    assert.equal(isAnswered, false, `write ${at}`);
    for (const deliver of feed.held.splice(0)) deliver();
    await answered;
    assert.deepEqual([...known], seen[at]);
  }
  feed.held = [];
  await put('b', '1', true);
  await remove('a', true);
});

test('each of several writes waits for its own change, also behind others', async () => {
  const { feed, known, put } = await open();
  await put('a', '1');
  await put('a', '2');
  assert.equal(known.get('n/a'), '2');
  feed.held = [];
  const answered: string[] = [];
  const writes: Promise<unknown>[] = [];
  for (const name of ['b', 'c']) {
    writes.push(put(name, '1').then(() => answered.push(name)));
    await turn();
  }
  const [first, ...others] = feed.held;
  first?.();
  await turn();
  assert.deepEqual(answered, ['b']);
  for (const deliver of others) deliver();
  await Promise.all(writes);
});

test('nobody waits for a feed that is cut, and what went meanwhile is told when it is back', async () => {
  const { clock, feed, known, put, remove } = await open();
  await put('a', '1');
  feed.held = [];
  const waiting = put('a', '2');
  await turn();
  feed.isReachable = false;
  feed.cut();
  await waiting;
  await put('b', '1');
  await remove('first');
  assert.deepEqual([...known], [['n/first', '1'], ['n/a', '1']]);
  clock.turn(1_000);
  await turn();
  [feed.isReachable, feed.held] = [true, undefined];
  clock.turn(1_000);
  await turn();
  assert.deepEqual([...known], [['n/a', '2'], ['n/b', '1']]);
  await put('c', '1');
  assert.equal(known.get('n/c'), '1');
});

test('nobody waits for who follows a watch that ended while it began, until it follows another one, nor for who went away meanwhile', async () => {
  for (const whatHappens of ['ends', 'goes'] as const) {
    const clock = new StillClock();
    const end = new AbortController();
    let begun = 0;
    const objects: ObjectStore = {
      get: () => Promise.resolve(undefined),
      list: () => (begun === 0 ? Promise.resolve({ items: [], revision: 1 }) : Promise.reject(new StorageFailure('unavailable', 'cut'))),
      write: (key) => Promise.resolve({ did: 'create', stored: { key, revision: 2 } as Stored }),
      async watch(_query, sink) {
        begun++;
        if (whatHappens === 'ends') sink.end(new StorageFailure('unavailable', 'cut'));
        else end.abort();
      },
    };
    const store = createFollowedStore({ objects, prefix: PREFIX, isNamespaced: true, clock });
    await store.follow({ put() {}, remove() {} }, end.signal);
    const written = store.write('/a', () => ({ keep: true })).then(() => 'answered');
    assert.equal(await Promise.race([written, turn('waiting')]), 'answered', whatHappens);
  }
});

test('who follows hears of all that comes after what is listed first, and nobody waits for what that shows', async () => {
  const asked: unknown[] = [];
  const objects: ObjectStore = {
    get: () => Promise.resolve(undefined),
    list: () => Promise.resolve({ items: [], revision: 2 }),
    write: (key) => Promise.resolve({ did: 'create', stored: { key, revision: 2 } as Stored }),
    watch: async ({ prefix, since }) => void asked.push(prefix, since),
  };
  const store = createFollowedStore({ objects, prefix: PREFIX, isNamespaced: true, clock: new StillClock() });
  await store.follow({ put() {}, remove() {} }, new AbortController().signal);
  assert.deepEqual(asked, [PREFIX, 2]);
  const written = store.write('/a', () => ({ keep: true })).then(() => 'answered');
  assert.equal(await Promise.race([written, turn('waiting')]), 'answered');
});

test('who no longer follows is told nothing, and nobody waits for it', async () => {
  const { clock, feed, known, end, put } = await open();
  feed.held = [];
  const waiting = put('a', '1');
  await turn();
  end.abort();
  await waiting;
  feed.held = undefined;
  await put('b', '1');
  feed.cut();
  clock.turn(5_000);
  await turn();
  assert.deepEqual([...known], [['n/first', '1']]);
});
