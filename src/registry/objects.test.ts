import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { systemClock } from '#base';
import { ApiError } from '#errors';
import { brandOf, createCatalog, defineKind, type ApiObject } from '#api';
import { t } from '#schema';
import { openEngine, StorageFailure } from '#storage';
import { openObjectAccess, openRegistries } from './index.ts';

class Thing extends t.message('core/v1.Thing', { size: t.int32(2) }) {}

const thing = defineKind(Thing, { group: '', kind: 'Thing', plural: 'things', scope: 'Namespaced', versions: { v1: { schema: Thing } }, storage: 'v1' });
const KEY = { namespace: 'n', name: 'a' };
const THING = { group: '', kind: 'Thing' };
const object = { apiVersion: 'v1', kind: 'Thing', metadata: KEY, size: 1 } as ApiObject;

const inner = await openEngine('memory://', { clock: systemClock });
const failure = new StorageFailure('corrupt', 'no object');
let isCorrupt = false;
const engine: typeof inner = new Proxy(inner, { get: (target, member) => (member === 'get' && isCorrupt ? () => Promise.reject(failure) : Reflect.get(target, member, target)?.bind?.(target)) });
const catalog = createCatalog([thing], brandOf('orch'));
const objects = openObjectAccess(catalog, openRegistries(catalog, engine, systemClock), (_resource, next) => next);
after(() => inner.close());

test('what is not there is undefined: objects, names that nobody can have, kinds that are not served', async () => {
  const other = { group: 'apps', kind: 'Deployment' };
  for (const [kind, key] of [[THING, KEY], [THING, { namespace: 'a/b', name: 'a' }], [THING, { namespace: 'n', name: 'a\u0001' }], [other, KEY]] as const) {
    assert.equal(await objects.get(kind, key), undefined);
    assert.equal(objects.atHand?.(kind, key)?.object, undefined);
  }
  assert.equal(await objects.update(THING, KEY, (live) => live), undefined);
  assert.deepEqual([await objects.list(THING, ''), await objects.list(other, '')], [[], []]);
  await assert.rejects(objects.create(other, object));
});

test('what is there is shown and changed, and a store that cannot show it is no object that is gone', async () => {
  await objects.create(THING, object);
  const changed = await objects.update(THING, KEY, (live) => ({ ...live, size: 2 }) as ApiObject);
  assert.equal(Reflect.get(changed ?? {}, 'size'), 2);
  assert.deepEqual(await objects.update(THING, KEY, () => undefined), changed);
  isCorrupt = true;
  await assert.rejects(objects.get(THING, KEY), (cause) => cause instanceof ApiError && cause.reason === 'InternalError');
  isCorrupt = false;
  assert.deepEqual(await objects.get(THING, KEY), changed);
});
