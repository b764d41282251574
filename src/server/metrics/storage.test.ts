import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Catalog } from '#api';
import { deferred, StillClock } from '#base';
import { Metrics, metricsReply } from '#http';
import { StorageFailure, type Engine, type KeySpace } from '#storage';
import { objectMetrics, storageMetrics } from './storage.ts';

const catalog = { resources: ['nodes', 'pods', 'secrets'].map((plural) => ({ group: '', plural, kind: {} })) } as unknown as Catalog;
const keys = { prefixOf: ({ resource }: { readonly resource: string }) => `/registry/${resource}/` } as unknown as KeySpace;
const MINUTE = 60_000;

/** A scrape of objects in a store of which the test says what it answers. */
function open(store: { scan: (resource: string) => Promise<number>; head: () => Promise<number> }) {
  const clock = new StillClock();
  const metrics = new Metrics();
  const scan = async ({ start }: { readonly start: string }): Promise<{ readonly total: number }> => ({ total: await store.scan(start.split('/')[2] as string) });
  objectMetrics(metrics, { head: () => store.head(), scan } as unknown as Engine, catalog, keys, clock);
  return { clock, scrape: () => linesOf(metrics, 'apiserver_storage_') };
}

async function linesOf(metrics: Metrics, beginning: string): Promise<readonly string[]> {
  const { body } = (await metricsReply(metrics)) as { readonly body: readonly Uint8Array[] };
  return Buffer.concat(body).toString().split('\n').filter((line) => line.startsWith(beginning));
}

const shown = (nodes: number, pods: number, secrets: number, revision: number): readonly string[] => [
  `apiserver_storage_objects{resource="nodes"} ${nodes}`,
  `apiserver_storage_objects{resource="pods"} ${pods}`,
  `apiserver_storage_objects{resource="secrets"} ${secrets}`,
  `apiserver_storage_revision ${revision}`,
];

test('a store that is slow holds no scrape up: what it answers later is in the next one, and nothing is counted twice meanwhile', async () => {
  const store = { head: async () => 5, scan: async () => 1 };
  const { clock, scrape } = open(store);
  assert.deepEqual(await scrape(), shown(1, 1, 1, 5));
  const late = deferred<number>();
  let scans = 0;
  store.head = () => late.promise;
  store.scan = () => (scans++, late.promise);
  clock.turn(MINUTE);
  for (let i = 0; i < 2; i++) {
    const answer = scrape();
    clock.turn(2_000);
    assert.deepEqual(await answer, shown(1, 1, 1, 5));
    clock.turn(MINUTE);
  }
  assert.equal(scans, 1);
  late.resolve(7);
  assert.deepEqual(await scrape(), shown(7, 7, 7, 7));
  assert.equal(clock.pending, 0);
});

test('an entry that cannot be read leaves its own resource uncounted, a store that cannot be reached all that are left, and it is asked once', async () => {
  const asked: string[] = [];
  let code: 'corrupt' | 'unavailable' = 'corrupt';
  const scan = async (resource: string): Promise<number> => {
    asked.push(resource);
    if (resource === 'pods') throw new StorageFailure(code, 'no');
    return 3;
  };
  const { clock, scrape } = open({ head: async () => 5, scan });
  assert.deepEqual(await scrape(), shown(3, -1, 3, 5));
  clock.turn(MINUTE);
  code = 'unavailable';
  assert.deepEqual(await scrape(), shown(3, -1, -1, 5));
  assert.deepEqual(asked, ['nodes', 'pods', 'secrets', 'nodes', 'pods']);
});

test('a call that fails is timed like any other, as in Kubernetes, and counted as failed', async () => {
  const metrics = new Metrics();
  const engine = storageMetrics(metrics, { get: () => Promise.reject(new Error('late')), scan: async () => ({}) } as unknown as Engine, catalog, keys);
  await assert.rejects(engine.get('/registry/pods/default/a'));
  await engine.scan({ start: '/registry/pods/', end: '/registry/pods0' });
  assert.deepEqual(await linesOf(metrics, 'etcd_request_duration_seconds_count'), [
    'etcd_request_duration_seconds_count{operation="get",type="pods"} 1',
    'etcd_request_duration_seconds_count{operation="list",type="pods"} 1',
  ]);
  assert.deepEqual(await linesOf(metrics, 'etcd_request_errors_total'), ['etcd_request_errors_total{operation="get"} 1']);
});
