import assert from 'node:assert/strict';
import { test } from 'node:test';
import { silentLog } from '#base';
import { endOf, openEngine, type Engine } from '#storage';
import { passing } from '#test-support';
import type { ServerOptions } from '../options.ts';
import { startServerOn, type RunningServer } from '../start.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const RECORDS = { serviceips: '10.0.0.0/16', servicenodeports: '30000-32767' };
const HAS = { clusterIP: '10.0.0.9', ports: [{ port: 80, nodePort: 30_009 }] };

/** A store, and how to start a server on it that ends without it. */
async function openStore(): Promise<{ readonly memory: Engine; start(options?: ServerOptions): Promise<RunningServer> }> {
  const memory = await openEngine('memory://');
  const kept: Engine = { ...passing(memory), close: () => Promise.resolve() };
  return { memory, start: (options) => startServerOn(kept, { listen: false, controllers: 'none', tokens: 'ta,admin,1,"system:masters"\n', ...options }) };
}

/** The status of making a service. */
async function post(server: RunningServer, name: string, spec: object): Promise<number> {
  const body = JSON.stringify({ metadata: { name }, spec: { type: 'NodePort', ...spec } });
  return (await server.exchange({ method: 'POST', path: SERVICES, headers: { authorization: 'Bearer ta', 'content-type': 'application/json' }, body })).status;
}

test('what a service has is given to no other from the start on, though the records do not know of it: a server that keeps others wrote to the store', async () => {
  const { memory, start } = await openStore();
  const before = await start();
  assert.equal(await post(before, 'a', HAS), 201);
  await before.close();
  for (const [name, range] of Object.entries(RECORDS)) {
    const key = `/registry/ranges/${name}`;
    const live = await memory.get(key);
    assert.ok(live, key);
    await memory.commit({ key, expect: live.revision, value: Buffer.from(JSON.stringify({ kind: 'RangeAllocation', apiVersion: 'v1', metadata: { name }, range, data: '' })) });
  }
  const after = await start();
  assert.equal(await post(after, 'b', { ...HAS, ports: [{ port: 80 }] }), 422);
  assert.equal(await post(after, 'c', { ports: HAS.ports }), 422);
  assert.equal(await post(after, 'd', { ports: [{ port: 80 }] }), 201);
  await after.close();
  await memory.close();
});

test('the log tells of an address and of a port that several services have, and of those outside of the ranges', async () => {
  const { memory, start } = await openStore();
  const told: unknown[] = [];
  const log = { ...silentLog, warn: (message: string, fields?: object) => void told.push([message, fields]) };
  const startWith = (nodePorts: readonly [number, number]): Promise<RunningServer> => start({ services: { nodePorts }, log });
  const before = await startWith([30_000, 30_010]);
  assert.equal(await post(before, 'a', HAS), 201);
  await before.close();
  assert.deepEqual(told, []);
  const outside = 'a service has an address or port outside of the ranges: create it anew';
  await (await startWith([31_000, 31_010])).close();
  assert.deepEqual(told.splice(0), [[outside, { value: '30009', holders: ['default/a'] }]]);
  const { entries } = await memory.scan({ start: '/registry/', end: endOf('/registry/') });
  const a = entries.find(({ key }) => key.endsWith('/services/default/a'));
  assert.ok(a);
  await memory.commit({ key: a.key.replace(/a$/, 'b'), expect: 0, value: Buffer.from(Buffer.from(a.value).toString().replace('"name":"a"', '"name":"b"')) });
  await (await startWith([30_000, 30_010])).close();
  const shared = 'several services have one address or port: create all but one of them anew';
  assert.deepEqual(told.splice(0), ['10.0.0.9', '30009'].map((value) => [shared, { value, holders: ['default/a', 'default/b'] }]));
  await memory.close();
});
