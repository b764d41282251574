import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '#base';
import { ApiError, badRequest } from '#errors';
import { brandOf, createCatalog, defineKind, type ApiObject } from '#api';
import { t } from '#schema';
import { openEngine, type Written } from '#storage';
import type { ServiceAllocator } from './allocators/service-allocator.ts';
import { openRegistries } from './index.ts';
import { OWN_WRITE } from './registry.ts';
import { withAllocation } from './with-allocation.ts';

class Thing extends t.message('core/v1.Thing', {}) {}

const thing = defineKind(Thing, { group: '', kind: 'Thing', plural: 'things', scope: 'Namespaced', versions: { v1: { schema: Thing } }, storage: 'v1' });
const object = { apiVersion: 'v1', kind: 'Thing', metadata: { namespace: 'n', name: 'a' } } as ApiObject;

test('values that cannot be released change nothing about the outcome of the write', async () => {
  const engine = await openEngine('memory://');
  const catalog = createCatalog([thing], brandOf('orch'));
  const away = (): Promise<never> => Promise.reject(new ApiError('ServiceUnavailable', 'the store is away'));
  const allocator = { allocate: () => Promise.resolve(away), release: away } as unknown as ServiceAllocator;
  const of = { ...openRegistries(catalog, engine, systemClock).of(catalog.find('', 'v1', 'things')!.resource)!, allocator };
  const written = { did: 'remove', stored: { object } } as Written;
  assert.equal(await withAllocation(of, OWN_WRITE, () => Promise.resolve(written)), written);
  const refused = withAllocation(of, OWN_WRITE, async (allocate) => {
    await allocate?.(object, undefined);
    // A write that is decided again begins with new values.
    await allocate?.(object, undefined);
    throw badRequest('no');
  });
  await assert.rejects(refused, /^ApiError: no$/);
  await engine.close();
});
