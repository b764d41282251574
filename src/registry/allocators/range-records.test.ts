import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '#errors';
import { StorageFailure, type ObjectStore } from '#storage';
import { RangeRecords } from './range-records.ts';

test('a store that cannot be reached while values are taken or looked at is told in the words of the API', async () => {
  const away = (): Promise<never> => Promise.reject(new StorageFailure('unavailable', 'nobody is there'));
  const store = { get: away, write: away } as unknown as ObjectStore;
  const records = new RangeRecords({ store, keyOf: (name) => `/ranges/${name}`, holders: store, holdersPrefix: '/services/', held: () => ({ addresses: [], ports: [] }) });
  for (const asked of [records.update(() => 1), records.read(() => 1)]) {
    await assert.rejects(asked, (error) => error instanceof ApiError && error.reason === 'ServiceUnavailable');
  }
});

test('who is always overtaken gives up in the end, and is told to try again', { timeout: 20_000 }, async () => {
  const allTaken = { kind: 'RangeAllocation', apiVersion: 'v1', metadata: {}, range: '10.0.0.0/16', data: Buffer.alloc(8192, 0xff).toString('base64') };
  const store = {
    get: () => Promise.resolve(undefined),
    list: () => Promise.resolve({ items: [], revision: 1 }),
    write: (_key: string, decide: (live: object) => unknown) => Promise.resolve(decide(allTaken)),
  } as unknown as ObjectStore;
  const records = new RangeRecords({ store, keyOf: (name) => `/ranges/${name}`, holders: store, holdersPrefix: '/services/', held: () => ({ addresses: [], ports: [] }) });
  const asked = records.update((pools) => pools.clusterIps[0]?.allocateNext());
  await assert.rejects(asked, (error) => error instanceof ApiError && error.reason === 'TooManyRequests');
});
