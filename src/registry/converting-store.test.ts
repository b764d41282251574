import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deferred } from '#base';
import type { ApiObject, StoredForms } from '#api';
import { expired } from '#errors';
import { collectGarbage } from '#test-support';
import type { EventSink, Freshness, Stored, WatchEvent } from '#storage';
import { createConvertingStore } from './converting-store.ts';
import type { FollowedStore } from './followed-store.ts';

const object = (name: string, apiVersion = 'e/v1'): ApiObject => ({ apiVersion, kind: 'Foo', metadata: { name, creationTimestamp: null } }) as unknown as ApiObject;
const stored = (name: string, apiVersion?: string): Stored => ({
  key: name,
  revision: 1,
  json: Buffer.from('{}'),
  object: object(name, apiVersion),
  labels: {},
  fields: {},
  encodings: new Map(),
});

/** A store with these entries, whose watches are driven by the test. */
function storeOf(items: readonly Stored[], watches: EventSink[] = []): FollowedStore {
  return {
    get: (key) => Promise.resolve(items.find((item) => item.key === key)),
    list: () => Promise.resolve({ items, runs: [], revision: 1 }),
    async write(_key, decide) {
      const decision = await decide(items[0]?.object);
      const put = 'put' in decision ? decision.put : object('kept');
      return { did: 'replace', stored: { ...stored('a'), object: put } };
    },
    watch(_query, sink) {
      watches.push(sink);
      return Promise.resolve();
    },
    follow: () => Promise.resolve(),
    heardOf: () => Promise.resolve(),
  };
}

/** What ends a watch whose change is not converted for the reason "no way": its client lists again. */
const UNCONVERTED = expired('what came next could not be converted: no way');

const rename = (apiVersion: string) => (one: ApiObject): ApiObject => (one.apiVersion === apiVersion ? one : { ...one, apiVersion });
const counting = (seen: string[]): StoredForms => ({
  load: async (objects) => {
    seen.push(objects.map(({ metadata }) => metadata.name ?? '').join());
    return objects.map(rename('e/v2'));
  },
  save: (one) => rename('e/v1')(one),
});

test('what has the form already goes through as it is, and each entry is converted once', async () => {
  const seen: string[] = [];
  const plain = stored('b', 'e/v2');
  const store = createConvertingStore(storeOf([stored('a'), plain]), counting(seen));
  const query = { prefix: '/', freshness: 'any' } as const;
  const first = await store.list(query);
  assert.equal(first.items[1], plain);
  assert.equal('runs' in first, false);
  assert.deepEqual(JSON.parse(Buffer.from(first.items[0]?.json ?? []).toString()), object('a', 'e/v2'));
  assert.equal(first.items[0]?.json.at(-1), 0x0a, 'a line, as what is stored in that form');
  assert.equal((await store.list(query)).items[0], first.items[0]);
  assert.equal(await store.get('a', 'any'), first.items[0]);
  assert.deepEqual(seen, ['a,b']);
  const same = await createConvertingStore(storeOf([plain]), counting(seen)).list(query);
  assert.equal('runs' in same, true, 'nothing was converted');
});

test('R4.6 what somebody else converts is converted anew for who asks for the newest, and stays as it was for who takes what is old', async () => {
  let answer = 'e/v2';
  const loaded: string[] = [];
  const forms: StoredForms = {
    isAskedAnew: ({ apiVersion }) => apiVersion === 'e/v1',
    load: (objects) => {
      loaded.push(objects.map(({ metadata }) => metadata.name ?? '').join(''));
      return objects.map((one) => (one.apiVersion === 'e/v1' ? rename(answer)(one) : one));
    },
    save: (one) => rename('e/v1')(one),
  };
  const store = createConvertingStore(storeOf([stored('a'), stored('own', 'e/v0'), stored('b')]), forms);
  const shown = async (freshness: Freshness): Promise<unknown> => [(await store.get('a', freshness))?.object.apiVersion, ...(await store.list({ prefix: '/', freshness })).items.map(({ object: { apiVersion } }) => apiVersion)];
  assert.deepEqual(await shown('any'), ['e/v2', 'e/v2', 'e/v0', 'e/v2']);
  answer = 'e/v3';
  assert.deepEqual(await shown('any'), ['e/v2', 'e/v2', 'e/v0', 'e/v2']);
  assert.deepEqual(await shown({ notOlderThan: 1 }), ['e/v2', 'e/v2', 'e/v0', 'e/v2']);
  assert.deepEqual(loaded.splice(0), ['a', 'ownb'], 'each once');
  assert.deepEqual(await shown('latest'), ['e/v3', 'e/v3', 'e/v0', 'e/v3']);
  assert.deepEqual(await shown('any'), ['e/v3', 'e/v3', 'e/v0', 'e/v3'], 'what is known is the newest that was said');
  assert.deepEqual(loaded.splice(0), ['a', 'ab'], 'what nobody else converts is not converted again');
  answer = 'e/v4';
  assert.deepEqual(await shown({ exactly: 1 }), ['e/v4', 'e/v4', 'e/v0', 'e/v4']);
});

test('what is known is not decoded again for who asks for the newest', async () => {
  let decoded = 0;
  const entry = (name: string, apiVersion: string): Stored => {
    const { object: made, ...rest } = stored(name);
    return Object.defineProperty(rest as Stored, 'object', { get: () => (decoded++, rename(apiVersion)(made)) });
  };
  const items = [entry('a', 'e/v1'), entry('b', 'e/v2')];
  const asked: StoredForms = { isAskedAnew: ({ apiVersion }) => apiVersion === 'e/v1', load: (objects) => objects.map(rename('e/v2')), save: (one) => one };
  for (const forms of [counting([]), asked]) {
    const store = createConvertingStore(storeOf(items), forms);
    await store.list({ prefix: '/', freshness: 'any' });
    decoded = 0;
    await store.list({ prefix: '/', freshness: 'latest' });
    assert.equal(decoded > 0, forms === asked, 'only what is converted anew');
  }
});

test('a long list is converted in parts, and others get on in between', async () => {
  const begun: number[] = [];
  let turns = 0;
  const count = (): void => {
    turns++;
    if (begun.length < 3) setImmediate(count);
  };
  const forms: StoredForms = {
    load: (objects) => {
      begun.push(turns);
      return objects.map(rename('e/v2'));
    },
    save: (one) => one,
  };
  const items = Array.from({ length: 1_200 }, (_, n) => stored(`n${n}`));
  setImmediate(count);
  const found = await createConvertingStore(storeOf(items), forms).list({ prefix: '/', freshness: 'any' });
  assert.deepEqual(found.items.map(({ key, object: { apiVersion } }) => `${key} ${apiVersion}`), items.map(({ key }) => `${key} e/v2`));
  assert.equal(begun.length, 3);
  assert.equal(new Set(begun).size, 3, `begun in turns ${begun.join()}`);
});

test('deciders see the other form, the store does not, nor what its caller believes in that form', async () => {
  const asked: unknown[] = [];
  const below: FollowedStore = {
    ...storeOf([stored('a')]),
    async write(_key, decide, hints) {
      const decision = await decide(object('a'));
      asked.push(decision, hints);
      return { did: 'replace', stored: { ...stored('a'), object: 'put' in decision ? decision.put : object('kept') } };
    },
  };
  const store = createConvertingStore(below, counting([]));
  const seen = await store.get('a', 'latest');
  assert.ok(seen);
  for (const believed of [{}, { seen }, { assume: seen.object }]) {
    let lives: string | undefined;
    const written = await store.write(
      'a',
      (live) => {
        lives = live?.apiVersion;
        return Promise.resolve({ put: object('a', 'e/v2') });
      },
      { dryRun: true, ...believed },
    );
    assert.deepEqual([lives, written.stored.object.apiVersion], ['e/v2', 'e/v2']);
    assert.deepEqual(asked.splice(0), [{ put: object('a', 'e/v1') }, { dryRun: true }]);
  }
  await store.write('a', () => ({ keep: true }), { assume: 'absent', ttlSeconds: 9 });
  assert.deepEqual(asked, [{ keep: true }, { assume: 'absent', ttlSeconds: 9 }]);
});

test('R4.3 who takes a name for free is told that it is not, also where its object cannot be converted', async () => {
  const forms: StoredForms = { load: () => Promise.reject(new Error('no way')), save: (one) => one };
  const store = createConvertingStore(storeOf([stored('a')]), forms);
  const taken = (live: ApiObject | undefined): never => assert.fail(`${live?.metadata.name} is there`);
  await assert.rejects(store.write('a', taken, { assume: 'absent' }), /a is there/);
  await assert.rejects(store.write('a', taken), /no way/);
});

test('events keep their order however long a conversion takes, and one that fails ends the watch', async () => {
  const waiting: (() => void)[] = [];
  const forms: StoredForms = {
    load: (objects) =>
      new Promise((resolve, reject) => {
        const isBroken = objects.some(({ metadata }) => metadata.name === 'broken');
        waiting.push(() => (isBroken ? reject(new Error('no way')) : resolve(objects.map(rename('e/v2')))));
      }),
    save: (one) => one,
  };
  const sinks: EventSink[] = [];
  const got: string[] = [];
  const ended = new Promise<Error | undefined>((resolve) => {
    const sink: EventSink = {
      events(batch) {
        got.push(...batch.map((event) => (event.type === 'BOOKMARK' ? 'bookmark' : (event.stored.object.metadata.name ?? ''))));
        return true;
      },
      end: resolve,
    };
    void createConvertingStore(storeOf([], sinks), forms).watch({ prefix: '/', since: 1, bookmarks: true }, sink, new AbortController().signal);
  });
  const added = (name: string): WatchEvent => ({ type: 'ADDED', stored: stored(name), revision: 1 });
  const [inner] = sinks;
  inner?.events([added('a')]);
  inner?.events([{ type: 'BOOKMARK', revision: 2 }]);
  inner?.events([added('b')]);
  inner?.events([added('broken')]);
  inner?.events([added('late')]);
  const ticking = async (): Promise<void> => {
    for (let turns = 0; turns < 100; turns++) {
      await Promise.resolve();
      waiting.shift()?.();
    }
  };
  await ticking();
  assert.deepEqual(await ended, UNCONVERTED);
  assert.deepEqual(got, ['a', 'bookmark', 'b']);
  assert.equal(inner?.events([added('x')]), false);
});

test('R4.5-02 what is told to many is converted once and made once for all of them, who come at the same time or later; where that fails, it fails for all', async () => {
  const sinks: EventSink[] = [];
  const seen: string[] = [];
  const held: { resolve(): void; reject(cause: Error): void }[] = [];
  const forms: StoredForms = {
    load: (objects) => {
      seen.push(objects.map(({ metadata }) => metadata.name ?? '').join());
      return new Promise((resolve, reject) => held.push({ resolve: () => resolve(objects.map(rename('e/v2'))), reject }));
    },
    save: (one) => one,
  };
  const store = createConvertingStore(storeOf([], sinks), forms);
  const told = Array.from({ length: 4 }, (): { readonly events: WatchEvent[]; readonly ends: (Error | undefined)[] } => ({ events: [], ends: [] }));
  for (const { events, ends } of told) {
    const sink: EventSink = { events: (batch) => events.push(...batch) > 0, end: (cause) => void ends.push(cause) };
    await store.watch({ prefix: '/', since: 1, bookmarks: false }, sink, new AbortController().signal);
  }
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const added = (one: Stored): WatchEvent => ({ type: 'ADDED', stored: one, revision: 1 });
  const [old, other, plain, broken] = [added(stored('a')), added(stored('b')), added(stored('c', 'e/v2')), added(stored('d'))];
  const [late, ...early] = sinks;
  // What the first alone is told of is under way when the others are told of more.
  early[0]?.events([old]);
  await turn();
  for (const sink of early.slice(1)) sink.events([old, other, plain]);
  early[0]?.events([other, plain]);
  await turn();
  held.splice(0).forEach(({ resolve }) => resolve());
  await turn();
  held.splice(0).forEach(({ resolve }) => resolve());
  await turn();
  late?.events([old, other, plain]);
  await turn();
  assert.deepEqual(seen.splice(0), ['a', 'b,c']);
  const shown = told.map(({ events }) => events);
  assert.deepEqual(shown.map((events) => events.map((event) => 'stored' in event && event.stored.object.apiVersion)), Array(4).fill(['e/v2', 'e/v2', 'e/v2']));
  assert.equal(new Set(shown.flat()).size, 3, 'encodings are kept at events');
  assert.equal(shown[0]?.[2], plain);
  for (const sink of early) sink.events([broken]);
  await turn();
  held.splice(0).forEach(({ reject }) => reject(new Error('no way')));
  await turn();
  assert.deepEqual(told.map(({ ends }) => ends), [[], [UNCONVERTED], [UNCONVERTED], [UNCONVERTED]]);
  // A failure is not kept.
  late?.events([broken]);
  await turn();
  held.splice(0).forEach(({ resolve }) => resolve());
  await turn();
  assert.deepEqual([seen, shown[0]?.length], [['d', 'd'], 4]);
});

test('R4.5-02 who waits for what is converted for others is not failed by an object that it was not told of, nor are lists; who was told of all of them is', async () => {
  const sinks: EventSink[] = [];
  const seen: string[] = [];
  const held: (() => void)[] = [];
  const forms: StoredForms = {
    load: async (objects) => {
      const names = objects.map(({ metadata }) => metadata.name ?? '');
      seen.push(names.join());
      await new Promise<void>((resolve) => held.push(resolve));
      if (names.includes('broken')) throw new Error('no way');
      return objects.map(rename('e/v2'));
    },
    save: (one) => one,
  };
  const [good, broken, other] = [stored('good'), stored('broken'), stored('other')];
  const store = createConvertingStore(storeOf([good], sinks), forms);
  const told: string[][] = [[], [], []];
  for (const one of told) {
    const events: EventSink['events'] = (batch) => one.push(...batch.map((event) => ('stored' in event ? event.stored.key : ''))) > 0;
    await store.watch({ prefix: '/', since: 1, bookmarks: false }, { events, end: (cause) => void one.push(String(cause)) }, new AbortController().signal);
  }
  const batchOf = (...items: readonly Stored[]): readonly WatchEvent[] => items.map((one) => ({ type: 'ADDED', stored: one, revision: 1 }));
  const [all, same, some] = sinks;
  all?.events(batchOf(good, broken));
  same?.events(batchOf(good, broken, other));
  some?.events(batchOf(good));
  const list = store.list({ prefix: '/', freshness: 'any' });
  for (let turn = 0; turn < 4; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    held.splice(0).forEach((goOn) => goOn());
  }
  assert.deepEqual(told, [[String(UNCONVERTED)], [String(UNCONVERTED)], ['good']]);
  assert.deepEqual((await list).items.map(({ object: { apiVersion } }) => apiVersion), ['e/v2']);
  assert.deepEqual(seen, ['good,broken', 'other', 'good']);
});

test('nothing is kept of an entry that was converted and is told of no more', async () => {
  const sinks: EventSink[] = [];
  const store = createConvertingStore(storeOf([], sinks), counting([]));
  let told = 0;
  await store.watch({ prefix: '/', since: 1, bookmarks: false }, { events: (batch) => (told += batch.length) > 0, end() {} }, new AbortController().signal);
  const tell = (): WeakRef<Stored> => {
    const entry = stored('a');
    sinks[0]?.events([{ type: 'ADDED', stored: entry, revision: 1 }]);
    return new WeakRef(entry);
  };
  const entry = tell();
  await sinks[0]?.drained?.();
  assert.equal(told, 1);
  await collectGarbage();
  assert.equal(entry.deref(), undefined);
  assert.equal((await store.list({ prefix: '/', freshness: 'any' })).items.length, 0);
});

test('what ends below ends above, behind all that was told; who takes no more is ended', async () => {
  for (const takes of [true, false]) {
    const sinks: EventSink[] = [];
    const told: string[] = [];
    const sink: EventSink = { events: (batch) => (told.push(...batch.map(({ type }) => type)), takes), end: (cause) => void told.push(cause?.message ?? 'end') };
    await createConvertingStore(storeOf([], sinks), counting([])).watch({ prefix: '/', since: 1, bookmarks: true }, sink, new AbortController().signal);
    const [inner] = sinks;
    const event: WatchEvent = { type: 'ADDED', stored: stored('a'), revision: 1 };
    inner?.events([event]);
    inner?.events([{ ...event, type: 'DELETED' }]);
    inner?.end(new Error('cut'));
    inner?.end(new Error('again'));
    await inner?.drained?.();
    assert.deepEqual(told, takes ? ['ADDED', 'DELETED', 'cut'] : ['ADDED', 'end']);
  }
});

test('a watch that waits for conversions ends when it is far behind, and goes on for as long as it is not', async () => {
  const event: WatchEvent = { type: 'ADDED', stored: stored('a'), revision: 1 };
  for (const isSlow of [true, false]) {
    const sinks: EventSink[] = [];
    const held = deferred<void>();
    let told = 0;
    const forms: StoredForms = { load: (objects) => (isSlow ? held.promise : Promise.resolve()).then(() => objects.map(rename('e/v2'))), save: (one) => one };
    const sink: EventSink = { events: (batch) => (told += batch.length) > 0, end: () => assert.fail('it has ended') };
    await createConvertingStore(storeOf([], sinks), forms).watch({ prefix: '/', since: 1, bookmarks: false }, sink, new AbortController().signal);
    const [inner] = sinks;
    assert.ok(inner);
    for (let batch = 0; batch < 1_024; batch++) assert.equal(inner.events([event]), true);
    if (isSlow) assert.equal(inner.events([event]), false);
    held.resolve();
    await inner.drained?.();
    for (let batch = 0; batch < 1_024; batch++) assert.equal(inner.events([event]), true);
    await inner.drained?.();
    assert.equal(told, 2 * 1_024);
  }
});

test('who listens no longer is told nothing, whatever becomes of the conversion that was under way, and nothing more is converted', async () => {
  for (const isRefused of [false, true]) {
    const sinks: EventSink[] = [];
    const [held, begun] = [deferred<void>(), deferred<void>()];
    let conversions = 0;
    const forms: StoredForms = {
      load: async (objects) => {
        conversions += 1;
        begun.resolve();
        await held.promise;
        if (isRefused) throw new Error('refused');
        return objects.map(rename('e/v2'));
      },
      save: (one) => one,
    };
    const told: string[] = [];
    const sink: EventSink = { events: (batch) => told.push(...batch.map(({ type }) => type)) > 0, end: (cause) => void told.push(`end ${cause?.message}`) };
    const left = new AbortController();
    await createConvertingStore(storeOf([], sinks), forms).watch({ prefix: '/', since: 1, bookmarks: true }, sink, left.signal);
    const [inner] = sinks;
    for (const name of ['a', 'b', 'c']) inner?.events([{ type: 'ADDED', stored: stored(name), revision: 1 }, { type: 'BOOKMARK', revision: 1 }]);
    await begun.promise;
    left.abort();
    held.resolve();
    await inner?.drained?.();
    assert.deepEqual([conversions, told], [1, []]);
  }
});

test('who sends what a watch begins with waits for the conversions, and for the receiver behind them', async () => {
  const sinks: EventSink[] = [];
  const taken = deferred<void>();
  const sink: EventSink = { events: () => true, drained: () => taken.promise, end: () => {} };
  await createConvertingStore(storeOf([], sinks), counting([])).watch({ prefix: '/', since: 1, bookmarks: false }, sink, new AbortController().signal);
  const drained = sinks[0]?.drained?.();
  assert.ok(drained);
  const turned = new Promise((resolve) => setImmediate(() => resolve('waiting')));
  assert.equal(await Promise.race([drained.then(() => 'taken'), turned]), 'waiting');
  taken.resolve();
  await drained;
});

test('the last state of what is removed is stored in the form of the store', async () => {
  let last: unknown;
  const below: FollowedStore = {
    ...storeOf([stored('a')]),
    async write(_key, decide) {
      last = await decide(object('a'));
      return { did: 'remove', stored: stored('a') };
    },
  };
  await createConvertingStore(below, counting([])).write('a', () => ({ remove: true, last: object('a', 'e/v2') }));
  assert.deepEqual(last, { remove: true, last: object('a', 'e/v1') });
});

test('what was written since the declaration is shown without being decoded; the last state of what is removed may be older, whatever its revision', async () => {
  const seen: string[] = [];
  const sinks: EventSink[] = [];
  const at = (name: string, revision: number): Stored => ({ ...stored(name), revision });
  const later: Stored = Object.defineProperty(at('b', 6), 'object', { get: () => assert.fail('decoded') });
  const below = storeOf([at('a', 5), later], sinks);
  const atHand = (key: string): { stored: Stored | undefined } => ({ stored: key === 'b' ? later : key === 'a' ? at('a', 5) : undefined });
  const store = createConvertingStore({ ...below, atHand }, { ...counting(seen), declaredSince: 5 });
  const { items } = await store.list({ prefix: '/', freshness: 'latest' });
  assert.deepEqual(items.map((item) => item === later || item.object.apiVersion), ['e/v2', true]);
  assert.equal(await store.get('b', 'latest'), later);
  assert.deepEqual([store.atHand?.('b'), store.atHand?.('a'), store.atHand?.('c')], [{ stored: later }, undefined, { stored: undefined }]);
  const told: (string | boolean)[] = [];
  const sink: EventSink = { events: (batch) => (told.push(...batch.map((event) => 'stored' in event && (event.stored === later || event.stored.object.apiVersion))), true), end() {} };
  await store.watch({ prefix: '/', since: 1, bookmarks: false }, sink, new AbortController().signal);
  sinks[0]?.events([{ type: 'MODIFIED', stored: later, revision: 6 }, { type: 'DELETED', stored: at('a', 7), revision: 7 }]);
  await sinks[0]?.drained?.();
  assert.deepEqual(told, [true, 'e/v2']);
  assert.deepEqual(seen, ['a', 'a']);
});
