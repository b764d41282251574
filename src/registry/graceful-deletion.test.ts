import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { silentLog, systemClock, type Clock } from '#base';
import { brandOf, createCatalog, defineKind, type ApiObject } from '#api';
import { ApiError } from '#errors';
import { t } from '#schema';
import { openEngine, StorageFailure, type Engine } from '#storage';
import { create, openRegistries, remove, update, watch, type Guard, type Registry, type WatchEvent } from './index.ts';

class Task extends t.message('core/v1.Task', { seconds: t.int32(2) }) {}

const task = defineKind(Task, {
  group: '',
  kind: 'Task',
  plural: 'tasks',
  scope: 'Namespaced',
  versions: { v1: { schema: Task } },
  storage: 'v1',
  generation: ['seconds'],
  grace: ({ seconds }, asked) => asked ?? seconds ?? 0,
});

/** Its first deletion is its own matter, as that of a namespace. */
const room = defineKind(Task, {
  group: '',
  kind: 'Room',
  plural: 'rooms',
  scope: 'Namespaced',
  versions: { v1: { schema: Task } },
  storage: 'v1',
  generation: ['seconds'],
  finalizing: { isHeld: ({ metadata, seconds }) => !metadata.deletionTimestamp || seconds === 1, mark: (next) => void (next.seconds = 2) },
});

/** Nothing but finalizers holds it. */
const note = defineKind(Task, { group: '', kind: 'Note', plural: 'notes', scope: 'Namespaced', versions: { v1: { schema: Task } }, storage: 'v1' });

const KEY = { namespace: 'n', name: 'a' };
const NOW_MS = Date.parse('2030-01-01T00:00:00Z');
const guard: Guard = { dryRun: false, subresource: '', warn: () => {}, check: () => Promise.resolve() };

let nowMs = NOW_MS;
let engine: Engine;
let of: Registry;
let rooms: Registry;
let notes: Registry;

beforeEach(async () => {
  nowMs = NOW_MS;
  const clock: Clock = { ...systemClock, nowMs: () => nowMs };
  engine = await openEngine('memory://', { historySeconds: 300, clock, log: silentLog });
  const catalog = createCatalog([task, room, note], brandOf('orch'));
  const registries = openRegistries(catalog, engine, clock);
  of = registries.of(catalog.find('', 'v1', 'tasks')!.resource);
  rooms = registries.of(catalog.find('', 'v1', 'rooms')!.resource);
  notes = registries.of(catalog.find('', 'v1', 'notes')!.resource);
});
afterEach(() => engine.close());

const make = (seconds: number, metadata: object = {}): ReturnType<typeof create> =>
  create(of, { kind: 'Task', apiVersion: 'v1', metadata: { ...KEY, ...metadata }, seconds } as unknown as ApiObject, guard);
const read = async (): Promise<ApiObject | undefined> => (await of.objects.get(of.keyOf(KEY), 'latest'))?.object;
const timeOf = (object: ApiObject | undefined): unknown => [object?.metadata.deletionTimestamp, object?.metadata.deletionGracePeriodSeconds];

test('an object with time left stays, marked with its end', async () => {
  await make(30);
  const { did, stored } = await remove(of, KEY, {}, guard);
  assert.deepEqual([did, ...(timeOf(stored.object) as unknown[])], ['replace', '2030-01-01T00:00:30Z', 30]);
  assert.deepEqual(timeOf(await read()), ['2030-01-01T00:00:30Z', 30]);
});

test('the last second is time left', async () => {
  await make(30);
  assert.equal((await remove(of, KEY, { graceSeconds: 1 }, guard)).did, 'replace');
  assert.deepEqual(timeOf(await read()), ['2030-01-01T00:00:01Z', 1]);
});

test('what nothing holds goes in one write, and is never marked', async () => {
  await create(notes, { kind: 'Note', apiVersion: 'v1', metadata: { ...KEY }, seconds: 1 } as unknown as ApiObject, guard);
  let writes = 0;
  const write: Registry['objects']['write'] = (...given) => (writes++, notes.objects.write(...given));
  const { did, stored } = await remove({ ...notes, objects: { ...notes.objects, write } }, KEY, {}, guard);
  assert.deepEqual([did, writes, timeOf(stored.object)], ['remove', 1, [undefined, undefined]]);
});

test('admission sees the options of a deletion as the kind completes them: with the time it gives, and with the uid where the deletion is its own matter', async () => {
  const asGiven = (order: object) => (): object => order;
  for (const [registry, kind, order, completed] of [
    [of, 'Task', {}, asGiven({ graceSeconds: 30 })],
    [of, 'Task', { graceSeconds: 5 }, asGiven({ graceSeconds: 5 })],
    [rooms, 'Room', { graceSeconds: 5 }, (uid: unknown) => ({ graceSeconds: 5, uid })],
    [notes, 'Note', { graceSeconds: 5 }, asGiven({ graceSeconds: 5 })],
    [notes, 'Note', {}, asGiven({})],
  ] as const) {
    const made = await create(registry, { kind, apiVersion: 'v1', metadata: { ...KEY }, seconds: 30 } as unknown as ApiObject, guard);
    const seen: unknown[] = [];
    await remove(registry, KEY, order, { ...guard, dryRun: true, check: (_next, _live, planned) => void seen.push(planned) });
    assert.deepEqual(seen, [completed(made.stored.object.metadata.uid)]);
    await registry.objects.write(registry.keyOf(KEY), () => ({ remove: true }));
  }
});

test('a later order may only shorten the time', async () => {
  await make(30);
  await remove(of, KEY, {}, guard);
  const before = await read();
  for (const order of [{}, { graceSeconds: 30 }, { graceSeconds: 40, propagation: 'Foreground' } as const]) {
    const { did } = await remove(of, KEY, order, { ...guard, check: () => assert.fail('nothing is to be admitted') });
    assert.equal(did, 'nothing');
    assert.deepEqual(await read(), before);
  }
  nowMs += 5_000;
  await remove(of, KEY, { graceSeconds: 10 }, guard);
  // As if that had been asked for in the first place.
  assert.deepEqual(timeOf(await read()), ['2030-01-01T00:00:10Z', 10]);
  assert.equal((await remove(of, KEY, { graceSeconds: 0 }, guard)).did, 'remove');
  assert.equal(await read(), undefined);
});

test('without time left it goes at once, and watchers see it marked first', async () => {
  const made = await make(30);
  const events: WatchEvent[] = [];
  const ended = new AbortController();
  const seen = new Promise<void>((resolve) => {
    const sink = {
      events: (batch: readonly WatchEvent[]) => {
        events.push(...batch);
        if (events.some(({ type }) => type === 'DELETED')) resolve();
        return true;
      },
      end: () => {},
    };
    void watch(of, { namespace: 'n' }, { since: made.stored.revision, bookmarks: false, endsInMs: 60_000 }, sink, ended.signal);
  });
  const { did, stored } = await remove(of, KEY, { graceSeconds: 0 }, guard);
  assert.deepEqual([did, ...(timeOf(stored.object) as unknown[])], ['remove', '2030-01-01T00:00:00Z', 0]);
  await seen;
  ended.abort();
  assert.deepEqual(events.map((event) => event.type), ['MODIFIED', 'DELETED']);
});

test('a dry run removes nothing and answers as the deletion would', async () => {
  await make(0);
  const { did, stored } = await remove(of, KEY, {}, { ...guard, dryRun: true });
  assert.deepEqual([did, ...(timeOf(stored.object) as unknown[])], ['remove', '2030-01-01T00:00:00Z', 0]);
  assert.deepEqual(timeOf(await read()), [undefined, undefined]);
});

test('finalizers hold it when its time is up, and it goes with the last one', async () => {
  await make(0, { finalizers: ['example.com/f'] });
  assert.equal((await remove(of, KEY, {}, guard)).did, 'replace');
  const marked = await read();
  for (const order of [{}, { graceSeconds: 0 }, { graceSeconds: 30 }]) {
    assert.equal((await remove(of, KEY, order, guard)).did, 'nothing');
    assert.deepEqual(await read(), marked);
  }
  const drop = async (live: ApiObject | undefined): Promise<ApiObject> => {
    const next = structuredClone(live) as ApiObject;
    delete next.metadata.finalizers;
    return next;
  };
  assert.equal((await update(of, KEY, drop, guard)).did, 'remove');
});

test('that an object is to go changes what it should be, once', async () => {
  await make(30);
  const generation = async (): Promise<unknown> => (await read())?.metadata.generation;
  assert.equal(await generation(), 1);
  for (const order of [{}, { graceSeconds: 20 }]) {
    assert.equal((await remove(of, KEY, order, guard)).did, 'replace');
    assert.equal(await generation(), 2);
  }
});

test('where the first deletion is a matter of the kind, others neither repeat it nor move its time', async () => {
  await create(rooms, { kind: 'Room', apiVersion: 'v1', metadata: { ...KEY, finalizers: ['example.com/f'] }, seconds: 1 } as unknown as ApiObject, guard);
  const change = (seconds: number) => (live: ApiObject | undefined) => ({ ...structuredClone(live), seconds }) as unknown as ApiObject;
  const first = (await remove(rooms, KEY, {}, guard)).stored.object;
  assert.deepEqual([...(timeOf(first) as unknown[]), first.metadata.generation, Reflect.get(first, 'seconds')], ['2030-01-01T00:00:00Z', undefined, 1, 2]);
  nowMs += 5_000;
  await update(rooms, KEY, change(3), guard);
  const again = (await remove(rooms, KEY, {}, guard)).stored.object;
  assert.deepEqual([...(timeOf(again) as unknown[]), Reflect.get(again, 'seconds'), again.metadata.finalizers], ['2030-01-01T00:00:00Z', 0, 3, ['example.com/f']]);
  const other = { ...KEY, name: 'b' };
  await create(rooms, { kind: 'Room', apiVersion: 'v1', metadata: { ...other }, seconds: 1 } as unknown as ApiObject, guard);
  assert.equal((await remove(rooms, other, {}, guard)).did, 'replace');
  assert.equal((await update(rooms, other, change(3), guard)).did, 'remove', 'what nothing holds any longer goes with the next write');
});

test('finalizers that go early leave it its time', async () => {
  await make(1, { finalizers: ['example.com/f'] });
  await remove(of, KEY, {}, guard);
  const drop = async (live: ApiObject | undefined): Promise<ApiObject> => {
    const next = structuredClone(live) as ApiObject;
    delete next.metadata.finalizers;
    return next;
  };
  assert.equal((await update(of, KEY, drop, guard)).did, 'replace');
  assert.equal((await remove(of, KEY, { graceSeconds: 0 }, guard)).did, 'remove');
});

test('a write that says nothing of the time left leaves it as it is', async () => {
  await make(30);
  await remove(of, KEY, {}, guard);
  const bare = { kind: 'Task', apiVersion: 'v1', metadata: { ...KEY, labels: { a: 'b' } }, seconds: 30 } as unknown as ApiObject;
  assert.equal((await update(of, KEY, () => structuredClone(bare), guard)).did, 'replace');
  assert.deepEqual(timeOf(await read()), ['2030-01-01T00:00:30Z', 30]);
});

test('who comes between the two writes of a deletion does not hinder it, and another object by the name stays', async () => {
  for (const again of [false, true]) {
    await make(30);
    let writes = 0;
    const write: Registry['objects']['write'] = async (key, decide, hints) => {
      if (++writes === 2) {
        await remove(of, KEY, {}, guard);
        if (again) await make(7);
      }
      return of.objects.write(key, decide, hints);
    };
    const { did } = await remove({ ...of, objects: { ...of.objects, write } }, KEY, { graceSeconds: 0 }, guard);
    assert.equal(did, 'remove');
    assert.deepEqual([writes, Reflect.get((await read()) ?? {}, 'seconds')], [2, again ? 7 : undefined]);
  }
});

test('who deletes an object while another deletion is admitted, and gives it time, leaves the other nothing to do', async () => {
  await make(0);
  let isFirst = true;
  const check = async (): Promise<void> => {
    if (!isFirst) return;
    isFirst = false;
    await update(of, KEY, (live) => ({ ...structuredClone(live), seconds: 30 }) as unknown as ApiObject, guard);
    assert.equal((await remove(of, KEY, {}, guard)).did, 'replace');
  };
  const { did } = await remove(of, KEY, {}, { ...guard, check });
  assert.deepEqual([did, ...(timeOf(await read()) as unknown[])], ['nothing', '2030-01-01T00:00:30Z', 30]);
});

test('a failure of the store between the two writes is told', async () => {
  await make(30);
  let writes = 0;
  const write: Registry['objects']['write'] = (key, decide, hints) => (++writes === 2 ? Promise.reject(new StorageFailure('unavailable', 'cut')) : of.objects.write(key, decide, hints));
  await assert.rejects(remove({ ...of, objects: { ...of.objects, write } }, KEY, { graceSeconds: 0 }, guard), (cause) => cause instanceof ApiError && cause.reason === 'ServiceUnavailable');
  assert.equal((await remove(of, KEY, {}, guard)).did, 'remove');
});

test('time that no clock can tell turns round; a shorter one still brings the end nearer', async () => {
  await make(5);
  await remove(of, KEY, { graceSeconds: Number.MAX_SAFE_INTEGER }, guard);
  const [time, left] = timeOf(await read()) as [string, number];
  assert.equal(left, Number.MAX_SAFE_INTEGER);
  assert.ok(Math.abs(Date.parse(time) - NOW_MS) < 300 * 366 * 86_400_000, time);
  await remove(of, KEY, { graceSeconds: 30 }, guard);
  assert.equal((await read())?.metadata.deletionGracePeriodSeconds, 30);
});
