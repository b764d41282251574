import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { systemClock, silentLog } from '#base';
import { ApiError } from '#errors';
import { brandOf, createCatalog, defineKind, generateName, type ApiObject } from '#api';
import { stringScalar, t } from '#schema';
import { openEngine, StorageFailure, type Engine } from '#storage';
import { passing } from '#test-support';
import { create, openRegistries, remove, removeCollection, update, type DeleteOrder, type Guard, type Registry } from './index.ts';

class Thing extends t.message('core/v1.Thing', { data: t.map(2, stringScalar) }) {}

const thing = defineKind(Thing, {
  group: '',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
  versions: { v1: { schema: Thing } },
  storage: 'v1',
});

const KEY = { namespace: 'n', name: 'a' };
const guard = (more: Partial<Guard> = {}): Guard => ({ dryRun: false, subresource: '', warn: () => {}, check: () => Promise.resolve(), ...more });
const object = (metadata: object = { name: 'a' }, data: Record<string, string> = {}): ApiObject =>
  ({ kind: 'Thing', apiVersion: 'v1', metadata: { namespace: 'n', ...metadata }, data }) as unknown as ApiObject;
const isReason = (reason: string) => (thrown: unknown): boolean => thrown instanceof ApiError && thrown.reason === reason;
const dataOf = (one: ApiObject): Record<string, string> => Reflect.get(one, 'data') as Record<string, string>;

let engine: Engine;
let of: Registry;

async function open(): Promise<void> {
  engine = await openEngine('memory://', { historySeconds: 300, clock: systemClock, log: silentLog });
  const catalog = createCatalog([thing], brandOf('orch'));
  const resource = catalog.find('', 'v1', 'things')?.resource;
  assert.ok(resource);
  of = openRegistries(catalog, engine, systemClock).of(resource);
}

beforeEach(open);
afterEach(() => engine.close());

describe('an object that is too large for the store with its managedFields', () => {
  const managedFields = [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: { 'f:data': { 'f:large': {} } } }];
  const owned = (data: Record<string, string> = {}): ApiObject => object({ name: 'a', managedFields: structuredClone(managedFields) }, data);
  const MOST = 400;

  beforeEach(() => {
    const commit = engine.commit.bind(engine);
    engine.commit = (write) => ((write.value?.length ?? 0) > MOST ? Promise.reject(new StorageFailure('tooLarge', 'no')) : commit(write));
  });

  test('is created and updated without them where the guard allows it, and its data is all there', async () => {
    const large = { large: 'x'.repeat(150) };
    const created = await create(of, owned(large), guard({ mayForgetOwners: true }));
    assert.deepEqual([created.stored.object.metadata.managedFields, dataOf(created.stored.object)], [undefined, large]);
    const changed = await update(of, KEY, () => owned({ ...large, more: 'y' }), guard({ mayForgetOwners: true }));
    assert.deepEqual([changed.stored.object.metadata.managedFields, dataOf(changed.stored.object)], [undefined, { ...large, more: 'y' }]);
  });

  test('is refused where the guard does not allow it, and where it is too large without them', async () => {
    await assert.rejects(create(of, owned({ large: 'x'.repeat(150) }), guard()), isReason('RequestEntityTooLarge'));
    await create(of, object(), guard());
    await assert.rejects(update(of, KEY, () => owned({ large: 'x'.repeat(150) }), guard()), isReason('RequestEntityTooLarge'));
    await assert.rejects(update(of, KEY, () => owned({ large: 'x'.repeat(MOST) }), guard({ mayForgetOwners: true })), isReason('RequestEntityTooLarge'));
  });

  test('keeps them where it fits', async () => {
    const { stored } = await create(of, owned(), guard({ mayForgetOwners: true }));
    assert.deepEqual(stored.object.metadata.managedFields, managedFields);
  });
});

test('50 racing updates lose nothing', async () => {
  await create(of, object(), guard());
  let asked = 0;
  const add = (key: string) =>
    update(of, KEY, async (live) => {
      asked += 1;
      const next = structuredClone(live ?? object());
      // Let the others in between reading and writing.
      await Promise.resolve();
      dataOf(next)[key] = key;
      return next;
    }, guard());
  await Promise.all(Array.from({ length: 50 }, (_, at) => add(`k${at}`)));
  const stored = await of.objects.get(of.keyOf(KEY), 'latest');
  assert.equal(Object.keys(dataOf(stored?.object ?? object())).length, 50);
  assert.ok(asked > 50, 'no race was lost: the test tried nothing');
});

test('exactly one of 20 racing creates wins; the others are told', async () => {
  const results = await Promise.allSettled(Array.from({ length: 20 }, () => create(of, object(), guard())));
  const lost = results.filter((one) => one.status === 'rejected');
  assert.equal(lost.length, 19);
  for (const { reason } of lost) assert.ok(isReason('AlreadyExists')(reason));
});

test('racing updates that insist on a version: exactly one wins', async () => {
  const { stored } = await create(of, object(), guard());
  const version = stored.object.metadata.resourceVersion ?? '';
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_, at) => update(of, KEY, () => Promise.resolve(object({ name: 'a', resourceVersion: version }, { by: String(at) })), guard())),
  );
  assert.equal(results.filter((one) => one.status === 'fulfilled').length, 1);
  for (const one of results) if (one.status === 'rejected') assert.ok(isReason('Conflict')(one.reason));
});

test('a deletion and updates that race end with the object gone, never half', async () => {
  await create(of, object(), guard());
  const touch = (at: number) => update(of, KEY, (live) => {
    if (live === undefined) return Promise.reject(new ApiError('NotFound', 'gone'));
    const next = structuredClone(live);
    dataOf(next)[`k${at}`] = '1';
    return Promise.resolve(next);
  }, guard());
  await Promise.allSettled([...Array.from({ length: 10 }, (_, at) => touch(at)), remove(of, KEY, {}, guard()), ...Array.from({ length: 10 }, (_, at) => touch(10 + at))]);
  assert.equal(await of.objects.get(of.keyOf(KEY), 'latest'), undefined);
});

test('a write that changes nothing makes no version', async () => {
  const { stored } = await create(of, object({ name: 'a', labels: { x: 'y' } }, { k: 'v' }), guard());
  const same = await update(of, KEY, (live) => Promise.resolve(structuredClone(live ?? object())), guard());
  assert.equal(same.stored.object.metadata.resourceVersion, stored.object.metadata.resourceVersion);
  // The same members in another order are the same object.
  const turned = await update(of, KEY, (live) => Promise.resolve({ ...object({ labels: { x: 'y' }, ...live?.metadata }), data: { k: 'v' } } as ApiObject), guard());
  assert.equal(turned.stored.object.metadata.resourceVersion, stored.object.metadata.resourceVersion);
});

test('an update never changes the object it begins from, whatever the next one shares with it', async () => {
  const prepare = (next: ApiObject): void => void (dataOf(next)['prepared'] = 'yes');
  const counted = defineKind(Thing, { ...thing, kind: 'Counted', plural: 'counted', generation: ['data'], prepare });
  const catalog = createCatalog([counted], brandOf('orch'));
  const registry = openRegistries(catalog, engine, systemClock).of(catalog.find('', 'v1', 'counted')!.resource);
  const { metadata } = (await create(registry, object(), guard())).stored.object;
  // As one was stored before the kind prepared it.
  await registry.objects.write(registry.keyOf(KEY), (live) => ({ put: { ...live, data: {} } as unknown as ApiObject }));
  for (const change of [(live: ApiObject) => live, (live: ApiObject) => ({ ...live, data: { n: '1' } })]) {
    const before = (await registry.objects.get(registry.keyOf(KEY), 'latest'))?.object;
    assert.ok(before);
    const seen = structuredClone(before);
    let from: ApiObject | undefined;
    const { stored } = await update(registry, KEY, (live) => change((from = live) as ApiObject), guard());
    assert.deepEqual([before, from], [seen, seen]);
    assert.deepEqual([stored.object.metadata.uid, stored.object.metadata.generation], [metadata.uid, Number(seen.metadata.generation) + 1]);
  }
});

test('a dry run writes nothing and answers as the write would', async () => {
  const dry = guard({ dryRun: true });
  assert.equal((await create(of, object(), dry)).stored.object.metadata.name, 'a');
  assert.equal(await of.objects.get(of.keyOf(KEY), 'latest'), undefined);
  await create(of, object(), guard());
  await assert.rejects(create(of, object(), dry), isReason('AlreadyExists'));
  await remove(of, KEY, {}, dry);
  await removeCollection(of, { namespace: 'n', freshness: 'latest' }, {}, dry);
  assert.ok(await of.objects.get(of.keyOf(KEY), 'latest'));
});

test('what the guard refuses is not written, and it sees exactly what would be', async () => {
  const seen: (string | undefined)[] = [];
  const no = guard({
    check: (next) => {
      seen.push(next?.metadata.uid);
      return Promise.reject(new ApiError('Forbidden', 'no'));
    },
  });
  await assert.rejects(create(of, object(), no), isReason('Forbidden'));
  assert.equal(await of.objects.get(of.keyOf(KEY), 'latest'), undefined);
  assert.match(seen[0] ?? '', /^[0-9a-f-]{36}$/);
});

test('a new object is admitted once, however often what it depends on has changed before it is stored', async () => {
  const make = {
    create: (admitted: Guard) => create(of, object(), admitted),
    update: (admitted: Guard) => update(of, KEY, (live) => live ?? object(), admitted),
  };
  const ofThings = { group: '', kind: 'Thing' };
  for (const [name, write] of Object.entries(make)) {
    await create(of, object({ name: 'place' }), guard());
    let asked = 0;
    const admitted = guard({
      check: async () => {
        asked++;
      },
      prerequisites: [{ kind: ofThings, key: { namespace: 'n', name: 'place' }, check: () => {} }],
    });
    let changes = 0;
    // What it depends on is changed after it was read, so that the commit fails on it.
    const { get } = of.objects;
    const racing: Registry['objects'] = {
      ...of.objects,
      atHand: undefined as never,
      async get(key, freshness) {
        const found = await get(key, freshness);
        if (key.endsWith('/place') && changes++ < 2) await update(of, { namespace: 'n', name: 'place' }, () => object({ name: 'place' }, { by: String(changes) }), guard());
        return found;
      },
    };
    const registry = of;
    of = { ...registry, objects: racing, registryOf: (kind) => (kind.kind === 'Thing' ? of : registry.registryOf(kind)) };
    assert.equal((await write(admitted)).did, 'create', name);
    assert.deepEqual([asked, changes], [1, 3], name);
    await open();
  }
});

test('what a new object depends on is what is stored, however far the cache lags behind', async () => {
  const place = { namespace: 'n', name: 'place' };
  await create(of, object(place), guard());
  const old = await of.objects.get(of.keyOf(place), 'latest');
  assert.ok(old);
  const { objects } = of;
  const behind: Registry = { ...of, objects: { ...objects, atHand: () => ({ stored: old }) }, registryOf: () => behind };
  const isThere = (found: ApiObject | undefined): void => {
    if (found === undefined) throw new ApiError('Forbidden', 'there is no place for it');
  };
  const admitted = guard({ prerequisites: [{ kind: { group: '', kind: 'Thing' }, key: place, check: isThere }] });
  await update(of, place, () => object(place, { by: 'another' }), guard());
  assert.equal((await create(behind, object(), admitted)).did, 'create');
  await remove(of, place, {}, guard());
  await assert.rejects(create(behind, object({ name: 'late' }), admitted), isReason('Forbidden'));
  assert.equal(await objects.get(of.keyOf({ namespace: 'n', name: 'late' }), 'latest'), undefined);
});

test('names made from generateName: five letters and digits, cut to fit, unique', async () => {
  const made = await Promise.all(Array.from({ length: 50 }, () => create(of, object({ generateName: 'web-' }), guard())));
  const names = made.map(({ stored }) => stored.object.metadata.name ?? '');
  for (const name of names) assert.match(name, /^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  assert.equal(new Set(names).size, 50);
  const long = await create(of, object({ generateName: 'x'.repeat(100) }), guard());
  assert.equal(long.stored.object.metadata.name?.length, 63);
});

test('a prefix that is cut ends behind a whole character, and the name has no more bytes than others', () => {
  const [smile, accent] = ['\u{1f600}', '\u00e9'];
  const prefixes = [accent.repeat(29), accent.repeat(40), `a${accent.repeat(40)}`, smile.repeat(40), `a${smile.repeat(40)}`, 'x'.repeat(58), 'x'.repeat(59)];
  const cut = prefixes.map((prefix) => generateName(prefix).slice(0, -5));
  assert.deepEqual(cut, [accent.repeat(29), accent.repeat(29), `a${accent.repeat(28)}`, smile.repeat(14), `a${smile.repeat(14)}`, 'x'.repeat(58), 'x'.repeat(58)]);
});

test('who gives a prefix and a name that is taken is told to try again', async () => {
  await create(of, object(), guard());
  const told = (metadata: object): Promise<unknown> => create(of, object(metadata), guard()).catch(({ reason, message, details }: ApiError) => [reason, /unique name/.test(message), details?.retryAfterSeconds]);
  assert.deepEqual(await told({ name: 'a' }), ['AlreadyExists', false, undefined]);
  assert.deepEqual(await told({ name: 'a', generateName: 'a' }), ['AlreadyExists', true, 1]);
});

test('who asks for the name of an entry that cannot be read is told that it is taken; what else cannot be read is told as such', async () => {
  const { stored } = await create(of, object({ name: 'b' }), guard());
  await engine.commit({ key: `${stored.key.slice(0, -1)}a`, expect: 0, value: Buffer.from('no object') });
  for (const dryRun of [false, true]) await assert.rejects(create(of, object(), guard({ dryRun })), isReason('AlreadyExists'));
  const check = (): never => {
    throw new StorageFailure('corrupt', 'another entry');
  };
  await assert.rejects(create(of, object({ name: 'c' }), guard({ check })), isReason('InternalError'));
});

test('names that cannot be part of a key are nowhere, and reach nobody else\'s place', () => {
  for (const part of ['.', '..', 'a/b', '', '\u0000', '\ud800']) {
    if (part !== '') {
      assert.throws(() => of.keyOf({ namespace: part, name: 'a' }), isReason('NotFound'), JSON.stringify(part));
      assert.throws(() => of.prefixOf(part), isReason('NotFound'), JSON.stringify(part));
    }
    assert.throws(() => of.keyOf({ namespace: 'n', name: part }), ApiError, JSON.stringify(part));
  }
});

describe('deletion', () => {
  const FIN = 'example.com/f';
  /** finalizers before, order, finalizers after; undefined: the object is gone. Total over propagation x what is there. */
  const TABLE: readonly (readonly [before: readonly string[], order: DeleteOrder, after: readonly string[] | undefined])[] = [
    [[], {}, undefined],
    [[], { propagation: 'Background' }, undefined],
    [[], { propagation: 'Orphan' }, ['orphan']],
    [[], { propagation: 'Foreground' }, ['foregroundDeletion']],
    [[], { orphanDependents: true }, ['orphan']],
    [[], { orphanDependents: false }, undefined],
    [[], { graceSeconds: 30 }, undefined],
    [[], { graceSeconds: 0 }, undefined],
    [[FIN], {}, [FIN]],
    [[FIN], { propagation: 'Background' }, [FIN]],
    [[FIN], { propagation: 'Orphan' }, [FIN, 'orphan']],
    [[FIN], { propagation: 'Foreground' }, [FIN, 'foregroundDeletion']],
    [[FIN], { graceSeconds: 0 }, [FIN]],
    [['orphan'], {}, ['orphan']],
    [['orphan'], { propagation: 'Background' }, undefined],
    [['orphan'], { propagation: 'Orphan' }, ['orphan']],
    [['orphan'], { propagation: 'Foreground' }, ['foregroundDeletion']],
    [['orphan'], { orphanDependents: false }, undefined],
    [['foregroundDeletion'], {}, ['foregroundDeletion']],
    [['foregroundDeletion'], { propagation: 'Background' }, undefined],
    [['foregroundDeletion'], { propagation: 'Orphan' }, ['orphan']],
    [['foregroundDeletion'], { propagation: 'Foreground' }, ['foregroundDeletion']],
    [[FIN, 'foregroundDeletion'], { propagation: 'Orphan' }, [FIN, 'orphan']],
    [['orphan', FIN], { propagation: 'Background' }, [FIN]],
    [['orphan', FIN], { propagation: 'Orphan' }, ['orphan', FIN]],
    [['foregroundDeletion', FIN], {}, ['foregroundDeletion', FIN]],
  ];
  for (const [finalizers, order, expected] of TABLE) {
    test(`R3.1-01 R3.1-05 [${finalizers.join()}] ${JSON.stringify(order)} -> ${expected === undefined ? 'gone' : `[${expected.join()}]`}`, async () => {
      await create(of, object({ name: 'a', finalizers: [...finalizers] }), guard());
      const written = await remove(of, KEY, order, guard());
      const stored = await of.objects.get(of.keyOf(KEY), 'latest');
      assert.equal(written.did === 'remove', expected === undefined);
      assert.deepEqual(stored?.object.metadata.finalizers, expected);
      if (expected === undefined) return;
      assert.ok(stored?.object.metadata.deletionTimestamp);
      // Whatever order follows, what was said of the time stays.
      await remove(of, KEY, {}, guard());
      assert.equal((await of.objects.get(of.keyOf(KEY), 'latest'))?.object.metadata.deletionTimestamp, stored.object.metadata.deletionTimestamp);
      // Other writes leave it held.
      const touched = await update(of, KEY, (live) => ({ ...structuredClone(live), data: { touched: 'yes' } }) as unknown as ApiObject, guard());
      assert.deepEqual([touched.did, touched.stored.object.metadata.finalizers], ['replace', expected]);
      // When the last one goes, the object goes with it.
      const end = await update(of, KEY, (live) => {
        const next = structuredClone(live ?? object());
        delete next.metadata.finalizers;
        return Promise.resolve(next);
      }, guard());
      assert.equal(end.did, 'remove');
      assert.equal(await of.objects.get(of.keyOf(KEY), 'latest'), undefined);
    });
  }

  test('preconditions that do not hold are conflicts and change nothing', async () => {
    const { stored } = await create(of, object(), guard());
    for (const order of [{ uid: 'another' }, { resourceVersion: '1' }, { uid: stored.object.metadata.uid ?? '', resourceVersion: '1' }]) {
      await assert.rejects(remove(of, KEY, order, guard()), isReason('Conflict'));
    }
    await assert.rejects(remove(of, { namespace: 'n', name: 'none' }, {}, guard()), isReason('NotFound'));
    await remove(of, KEY, { uid: stored.object.metadata.uid ?? '', resourceVersion: stored.object.metadata.resourceVersion ?? '' }, guard());
  });

  test('a collection is deleted object by object; those that are held stay', async () => {
    for (let at = 0; at < 40; at++) await create(of, object({ name: `c${at}`, ...(at % 10 === 0 ? { finalizers: [FIN] } : {}) }), guard());
    const found = await removeCollection(of, { namespace: 'n', freshness: 'latest' }, {}, guard());
    assert.equal(found.items.length, 40);
    const left = await of.objects.list({ prefix: of.prefixOf('n'), freshness: 'latest' });
    assert.deepEqual(left.items.map(({ object: one }) => one.metadata.name), ['c0', 'c10', 'c20', 'c30']);
  });

  test('an object that cannot be read ends the deletion of its collection, which is over then: nothing is deleted behind the answer', async () => {
    for (const name of ['a', 'b', 'd']) await create(of, object({ name }), guard());
    const [first] = (await of.objects.list({ prefix: of.prefixOf('n'), freshness: 'latest' })).items;
    assert.ok(first);
    await engine.commit({ key: `${first.key.slice(0, -1)}c`, expect: 0, value: Buffer.from('no object') });
    const commit = engine.commit.bind(engine);
    engine.commit = (write) => new Promise((resolve) => setImmediate(resolve)).then(() => commit(write));
    await assert.rejects(removeCollection(of, { namespace: 'n', freshness: 'latest' }, {}, guard()), /restore a backup or delete it/);
    const { items } = await of.objects.list({ prefix: of.prefixOf('n'), freshness: 'latest' });
    assert.deepEqual(items.map(({ key }) => key.at(-1)), ['c', 'd']);
  });

  for (const keepsOrder of [true, false]) {
    test(`a collection goes in the order of its list on a store that ${keepsOrder ? 'keeps' : 'does not keep'} the order of writes`, async () => {
      const removed: string[] = [];
      let underWay = 0;
      const store: Engine = {
        ...passing(engine),
        keepsOrder,
        // The later of those that begin in one moment is done first.
        async commit(write) {
          underWay++;
          if (!keepsOrder) for (let turns = 40 - underWay; turns > 0; turns--) await Promise.resolve();
          underWay--;
          if (write.value === undefined) removed.push(write.key.slice(-3));
          return engine.commit(write);
        },
      };
      const unsorted = openRegistries(createCatalog([thing], brandOf('orch')), store, systemClock).of(of.resource);
      const names = Array.from({ length: 40 }, (_, at) => `c${String(at).padStart(2, '0')}`);
      for (const name of names) await create(unsorted, object({ name }), guard());
      await removeCollection(unsorted, { namespace: 'n', freshness: 'latest' }, {}, guard());
      assert.deepEqual(removed, names);
    });
  }
});
