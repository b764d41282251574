import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer, type TestJson } from '#testing';
import { KINDS } from './kinds.table.ts';
import { everywhere, expect, expectFailure, PLACES } from './world.ts';

everywhere(PLACES.withSockets, (world) => {
  test('R4.1-01 R4.1-02 the core group is under /api/v1, named groups under /apis/group/version', async () => {
    expect(200, await world.get('/api/v1/configmaps'));
    expect(200, await world.get('/apis/apps/v1/deployments'));
    expect(200, await world.get(`/apis/${world.brand.group('scheduling')}/v1/priorityclasses`));
    for (const path of ['/api/apps/v1/deployments', '/apis/v1/configmaps', '/api/v2/configmaps', '/apis/apps/v9/deployments']) {
      assert.equal((await world.get(path)).status, 404, path);
    }
    const other = world.dialect === 'orch' ? 'scheduling.k8s.io' : 'scheduling.orch.io';
    assert.equal((await world.get(`/apis/${other}/v1/priorityclasses`)).status, 404);
  });

  for (const row of KINDS) {
    const title = row.isNamespaced ? 'R4.1-05 R4.1-06 R4.1-07' : 'R4.1-03 R4.1-04';
    test(`${title} ${row.kind}: collection, item${row.isNamespaced ? ' and all namespaces' : ''}`, async () => {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const name = world.fresh('at');
      await world.make(row.kind, namespace, { name });
      const has = (list: TestJson): boolean => list.items.some((one: TestJson) => one.metadata.name === name);
      assert.ok(has(expect(200, await world.get(world.path(row.kind, namespace)))));
      assert.equal(expect(200, await world.get(world.path(row.kind, namespace, name))).metadata.name, name);
      if (!row.isNamespaced) return;
      assert.ok(has(expect(200, await world.get(world.path(row.kind, '')))));
      const elsewhere = await world.namespace();
      assert.ok(!has(expect(200, await world.get(world.path(row.kind, elsewhere)))));
      expectFailure(404, 'NotFound', await world.get(world.path(row.kind, elsewhere, name)));
      expectFailure(404, 'NotFound', await world.get(world.path(row.kind, '', name)));
    });
  }

  test('R4.1-08 subresources of cluster-scoped and of namespaced kinds', async () => {
    const namespace = await world.namespace();
    assert.equal(expect(200, await world.get(`/api/v1/namespaces/${namespace}/status`)).kind, 'Namespace');
    await world.make('Deployment', namespace, { name: 'd' });
    assert.equal(expect(200, await world.get(`${world.path('Deployment', namespace, 'd')}/status`)).kind, 'Deployment');
  });

  test('R4.1-09 a namespace is in itself: a body that says another one is refused', async () => {
    const namespace = await world.namespace();
    const path = `/api/v1/namespaces/${namespace}`;
    const body = (where: string): object => ({ metadata: { name: namespace, namespace: where } });
    for (const part of ['', '/status', '/finalize']) {
      expectFailure(400, 'BadRequest', await world.put(path + part, body('other')));
      expect(200, await world.put(path + part, body(namespace)));
    }
    for (const form of ['merge', 'strategic'] as const) expectFailure(400, 'BadRequest', await world.patch(form, path, body('other')));
    expectFailure(400, 'BadRequest', await world.patch('apply', `${path}?fieldManager=m`, { apiVersion: 'v1', kind: 'Namespace', ...body('other') }));
  });

  test('R4.1-03 a name that cannot stand in a path is a mistake; what cannot be asked for by name has no such path', async () => {
    const namespace = await world.namespace();
    const item = (name: string): string => world.path('ConfigMap', namespace, name);
    const refused = expectFailure(400, 'BadRequest', await world.get(item('a%25b')));
    assert.equal(refused.message, `Name parameter invalid: "a%b": may not contain '%'`);
    expectFailure(400, 'BadRequest', await world.delete(item('a%25b')));
    assert.deepEqual(expect(200, await world.get(`${world.path('ConfigMap', namespace)}?fieldSelector=metadata.name%3Da%25b`)).items, []);
    expectFailure(404, 'NotFound', await world.get('/api/v1/bindings'));
    const bindings = `/api/v1/namespaces/${namespace}/bindings`;
    expectFailure(405, 'MethodNotAllowed', await world.get(bindings));
    expectFailure(404, 'NotFound', await world.get(`${bindings}/x`));
    expectFailure(404, 'NotFound', await world.post(`${bindings}/x`, {}));
  });

  test('an object in a namespace without a name is told so, for verbs that it has', async () => {
    const path = '/api/v1/namespaces//configmaps/a';
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const { message } = expectFailure(400, 'BadRequest', await world.server.request(method, path, method === 'GET' ? undefined : {}, { 'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json' }));
      assert.equal(message, 'Namespace parameter required.');
    }
    expectFailure(405, 'MethodNotAllowed', await world.server.request('POST', path, {}));
    expectFailure(400, 'BadRequest', await world.server.request('GET', '/api/v1/namespaces//pods/a/log'));
    expectFailure(404, 'NotFound', await world.server.request('GET', '/api/v1/configmaps/a'));
    expectFailure(404, 'NotFound', await world.server.request('GET', '/api/v1/namespaces//namespaces/default'));
    const { details } = expectFailure(404, 'NotFound', await world.server.request('GET', '/api/v1/namespaces//nodes/a'));
    assert.deepEqual(details, {});
  });

  test('R4.1-09 R4.1-10 namespaces are cluster-scoped', async () => {
    const namespace = await world.namespace();
    const list = expect(200, await world.get('/api/v1/namespaces'));
    const names = list.items.map((one: TestJson) => one.metadata.name);
    for (const name of [namespace, 'default', world.brand.names.systemNamespace]) assert.ok(names.includes(name), name);
    const one = expect(200, await world.get(`/api/v1/namespaces/${namespace}`));
    assert.deepEqual([one.kind, one.metadata.name, one.metadata.namespace], ['Namespace', namespace, undefined]);
  });
});

test('clients are told where others reach the server, where it knows, and else what they used', async () => {
  for (const [services, expected] of [[{ externalHost: 'api.example.com:443' }, 'api.example.com:443'], [{}, 'used.example']] as const) {
    const server = await startTestServer({ over: 'http1', controllers: 'none', services });
    const answer = expect(200, await server.request('GET', '/api', undefined, { host: 'used.example' }));
    assert.deepEqual(answer.serverAddressByClientCIDRs, [{ clientCIDR: '0.0.0.0/0', serverAddress: expected }]);
    await server.close();
  }
});
