import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '#errors';
import { StorageFailure, type ObjectStore } from '#storage';
import { RangeRecords } from './range-records.ts';

test('a store that cannot be reached while values are taken or looked at is told in the words of the API', async () => {
  const away = (): Promise<never> => Promise.reject(new StorageFailure('unavailable', 'nobody is there'));
  const store = { get: away, write: away } as unknown as ObjectStore;
  const records = new RangeRecords({ store, keyOf: (name) => `/ranges/${name}`, services: store, servicesPrefix: '/services/' });
  for (const asked of [records.update(() => 1), records.read(() => 1)]) {
    await assert.rejects(asked, (error) => error instanceof ApiError && error.reason === 'ServiceUnavailable');
  }
});
