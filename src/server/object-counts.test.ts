import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Catalog } from '#api';
import type { Engine, KeySpace } from '#storage';
import { objectCounts } from './object-counts.ts';

const catalogOf = (...plurals: readonly string[]) => ({ resources: plurals.map((plural) => ({ group: '', plural })) }) as unknown as Catalog;
const keys = { prefixOf: ({ resource }: { readonly resource: string }) => `/registry/${resource}/` } as unknown as KeySpace;

function open(scan: () => Promise<{ readonly total?: number }>, catalog = catalogOf('pods')) {
  const time = { nowMs: 0, scans: 0 };
  const engine = { scan: () => (time.scans++, scan()) } as unknown as Engine;
  return { time, count: objectCounts(engine, catalog, keys, { nowMs: () => time.nowMs, after: () => () => {} }) };
}

test('unknown at first, counted beside the request, and again after a minute', async () => {
  let total = 250;
  const { time, count } = open(async () => ({ total }));
  assert.equal(count('', 'pods'), undefined);
  await Promise.resolve();
  assert.equal(count('', 'pods'), 250);
  total = 300;
  time.nowMs = 60_000;
  assert.equal(count('', 'pods'), 250);
  await Promise.resolve();
  assert.deepEqual([count('', 'pods'), time.scans], [300, 2]);
});

test('what is not served is not counted, and a store that fails leaves the number unknown', async () => {
  const { time, count } = open(() => Promise.reject(new Error('gone')));
  assert.deepEqual([count('', '__proto__'), count('x.example', 'pods'), time.scans], [undefined, undefined, 0]);
  assert.equal(count('', 'pods'), undefined);
  await Promise.resolve();
  assert.equal(count('', 'pods'), undefined);
});

test('nothing is kept of a resource that is served no more, once there are others', async () => {
  const catalog = { ...catalogOf('widgets') };
  const { count, time } = open(async () => ({ total: 250 }), catalog);
  const become = (plural: string): void => void Object.assign(catalog, catalogOf(plural));
  assert.equal(count('', 'widgets'), undefined);
  await Promise.resolve();
  assert.equal(count('', 'widgets'), 250);
  become('gadgets');
  count('', 'gadgets');
  become('widgets');
  assert.deepEqual([count('', 'widgets'), time.scans], [undefined, 3]);
});
