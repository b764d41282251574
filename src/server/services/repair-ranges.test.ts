import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openEngine, type Engine } from '#storage';
import { passing } from '#test-support';
import { startServerOn, type RunningServer } from '../start.ts';

const SERVICES = '/api/v1/namespaces/default/services';
const RECORDS = { serviceips: '10.0.0.0/16', servicenodeports: '30000-32767' };

test('what a service has is given to no other from the start on, though the records do not know of it: a server that keeps others wrote to the store', async () => {
  const memory = await openEngine('memory://');
  // The server that writes ends, and the store stays.
  const kept: Engine = { ...passing(memory), close: () => Promise.resolve() };
  const start = (): Promise<RunningServer> => startServerOn(kept, { listen: false, controllers: 'none', tokens: 'ta,admin,1,"system:masters"\n' });
  const has = { clusterIP: '10.0.0.9', ports: [{ port: 80, nodePort: 30_009 }] };
  const post = async (server: RunningServer, name: string, spec: object): Promise<number> => {
    const body = JSON.stringify({ metadata: { name }, spec: { type: 'NodePort', ...spec } });
    return (await server.exchange({ method: 'POST', path: SERVICES, headers: { authorization: 'Bearer ta', 'content-type': 'application/json' }, body })).status;
  };
  const before = await start();
  assert.equal(await post(before, 'a', has), 201);
  await before.close();
  for (const [name, range] of Object.entries(RECORDS)) {
    const key = `/registry/ranges/${name}`;
    const live = await memory.get(key);
    assert.ok(live, key);
    await memory.commit({ key, expect: live.revision, value: Buffer.from(JSON.stringify({ kind: 'RangeAllocation', apiVersion: 'v1', metadata: { name }, range, data: '' })) });
  }
  const after = await start();
  assert.equal(await post(after, 'b', { ...has, ports: [{ port: 80 }] }), 422);
  assert.equal(await post(after, 'c', { ports: has.ports }), 422);
  assert.equal(await post(after, 'd', { ports: [{ port: 80 }] }), 201);
  await after.close();
  await memory.close();
});
