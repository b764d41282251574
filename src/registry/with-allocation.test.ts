import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { systemClock } from '#base';
import { ApiError, badRequest } from '#errors';
import { brandOf, createCatalog, defineKind, type ApiObject } from '#api';
import { t } from '#schema';
import { openEngine, type Engine, type Written } from '#storage';
import type { Allocator } from './allocators/allocator.ts';
import { create, openRegistries, remove } from './index.ts';
import { OWN_WRITE, type Registry } from './registry.ts';
import { withAllocation } from './with-allocation.ts';

class Thing extends t.message('core/v1.Thing', {}) {}

const shadow = defineKind(Thing, { group: '', kind: 'Shadow', plural: 'shadows', scope: 'Namespaced', versions: { v1: { schema: Thing } }, storage: 'v1' });
const thing = defineKind(Thing, { ...shadow, kind: 'Thing', plural: 'things', takesAlong: { group: '', kind: 'Shadow' } });
const object = { apiVersion: 'v1', kind: 'Thing', metadata: { namespace: 'n', name: 'a' } } as ApiObject;

const away = (): Promise<never> => Promise.reject(new ApiError('ServiceUnavailable', 'the store is away'));

let engine: Engine;
let shadows: Registry;
let of: Registry;

beforeEach(async () => {
  engine = await openEngine('memory://');
  const catalog = createCatalog([thing, shadow], brandOf('orch'));
  const registries = openRegistries(catalog, engine, systemClock);
  const allocator = { allocate: () => Promise.resolve(away), release: away } as unknown as Allocator;
  shadows = registries.of(catalog.find('', 'v1', 'shadows')!.resource);
  of = { ...registries.of(catalog.find('', 'v1', 'things')!.resource), allocator };
});

afterEach(() => engine.close());

test('values that cannot be released change nothing about the outcome of the write', async () => {
  const written = { did: 'remove', stored: { object } } as Written;
  assert.equal(await withAllocation(of, OWN_WRITE, () => Promise.resolve(written)), written);
  const refused = withAllocation(of, OWN_WRITE, async (allocate) => {
    await allocate?.(object, undefined);
    // A write that is decided again begins with new values.
    await allocate?.(object, undefined);
    throw badRequest('no');
  });
  await assert.rejects(refused, /^ApiError: no$/);
});

test('an object whose values cannot be released is deleted all the same, and what goes with it too', async () => {
  const key = { namespace: 'n', name: 'a' };
  await create(of, structuredClone(object), OWN_WRITE);
  await create(shadows, { ...structuredClone(object), kind: 'Shadow' }, OWN_WRITE);
  assert.equal((await remove(of, key, {}, OWN_WRITE)).did, 'remove');
  assert.equal(await shadows.objects.get(shadows.keyOf(key), 'latest'), undefined);
});
