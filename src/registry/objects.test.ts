import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#base';
import { ApiError } from '#errors';
import { brandOf, createCatalog, defineKind, type ApiObject } from '#api';
import { t } from '#schema';
import { openEngine, StorageFailure, type Engine } from '#storage';
import { passing } from '#test-support';
import { openObjectAccess, openRegistries } from './index.ts';

class Thing extends t.message('core/v1.Thing', { size: t.int32(2) }) {}

const thing = defineKind(Thing, { group: '', kind: 'Thing', plural: 'things', scope: 'Namespaced', versions: { v1: { schema: Thing } }, storage: 'v1' });
const KEY = { namespace: 'n', name: 'a' };
const THING = { group: '', kind: 'Thing' };
const object = { apiVersion: 'v1', kind: 'Thing', metadata: KEY, size: 1 } as ApiObject;

/** An access over a store that may fail. */
async function open() {
  const engine = await openEngine('memory://', { clock: systemClock });
  const faults: { get?: StorageFailure } = {};
  const failing: Engine = {
    ...passing(engine),
    get: (key, at) => (faults.get === undefined ? engine.get(key, at) : Promise.reject(faults.get)),
  };
  const catalog = createCatalog([thing], brandOf('orch'));
  return { faults, engine, objects: openObjectAccess(catalog, openRegistries(catalog, failing, systemClock), (_resource, next) => next) };
}

test('what is not there is undefined: objects, names that nobody can have, kinds that are not served', async () => {
  const { objects, engine } = await open();
  const other = { group: 'apps', kind: 'Deployment' };
  for (const [kind, key] of [[THING, KEY], [THING, { namespace: 'a/b', name: 'a' }], [THING, { namespace: 'n', name: 'a\u0001' }], [THING, { namespace: 'n', name: 'a/b' }], [THING, { namespace: 'n', name: '10%' }], [THING, { namespace: 'n', name: '..' }], [other, KEY]] as const) {
    assert.equal(await objects.get(kind, key), undefined);
    assert.equal(objects.atHand?.(kind, key)?.object, undefined);
  }
  assert.equal(await objects.update(THING, KEY, (live) => live), undefined);
  assert.deepEqual([await objects.list(THING, ''), await objects.list(other, '')], [[], []]);
  await assert.rejects(objects.create(other, object));
  await engine.close();
});

test('what is there is shown and changed, and a store that cannot show it is no object that is gone', async () => {
  const { objects, engine, faults } = await open();
  await objects.create(THING, object);
  const changed = await objects.update(THING, KEY, (live) => ({ ...live, size: 2 }) as ApiObject);
  assert.equal(Reflect.get(changed ?? {}, 'size'), 2);
  assert.deepEqual(await objects.update(THING, KEY, () => undefined), changed);
  faults.get = new StorageFailure('corrupt', 'no object');
  await assert.rejects(objects.get(THING, KEY), (cause) => cause instanceof ApiError && cause.reason === 'InternalError');
  delete faults.get;
  assert.deepEqual(await objects.get(THING, KEY), changed);
  await engine.close();
});

test('an entry that cannot be read is a failure in words of the API, also in memory and in a list', async () => {
  const { objects, engine } = await open();
  await objects.create(THING, object);
  const [entry] = (await engine.scan({ start: '/', end: '0' })).entries;
  await engine.commit({ key: entry?.key ?? '', expect: entry?.revision ?? 0, value: Buffer.from('no object') });
  const isTold = (cause: unknown): boolean => cause instanceof ApiError && cause.reason === 'InternalError' && /cannot be read/.test(cause.message);
  await assert.rejects(objects.list(THING, ''), isTold);
  assert.throws(() => objects.atHand?.(THING, KEY, 'any'), isTold);
  await assert.rejects(objects.get(THING, KEY), isTold);
  await engine.close();
});
