import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TEST_TOKENS, type TestJson } from '#testing';
import { everywhere, expect, expectFailure, PLACES } from './world.ts';

const asBob = { authorization: `Bearer ${TEST_TOKENS.bob}` };

/** Rows: requirement, method, on an item?, query, what the server calls it. */
const VERBS = [
  ['R4.2-01', 'POST', false, '', 'create'],
  ['R4.2-02', 'GET', true, '', 'get'],
  ['R4.2-03', 'GET', false, '', 'list'],
  ['R4.2-04', 'GET', false, '?watch=true', 'watch'],
  ['R4.2-07', 'PUT', true, '', 'update'],
  ['R4.2-10', 'PATCH', true, '', 'patch'],
  ['R4.2-12', 'DELETE', true, '', 'delete'],
  ['R4.2-13', 'DELETE', false, '', 'deletecollection'],
] as const;

everywhere(PLACES.both, (world) => {
  for (const [id, method, onItem, query, verb] of VERBS) {
    test(`${id} ${method} on ${onItem ? 'an item' : 'a collection'}${query} is the verb ${verb}: so it is authorized`, async () => {
      const path = world.path('Secret', 'default', onItem ? 'a' : '') + query;
      const refusal = expectFailure(403, 'Forbidden', await world.server.request(method, path, method === 'POST' || method === 'PUT' ? {} : undefined, asBob));
      assert.match(refusal.message, new RegExp(`User "bob" cannot ${verb} resource "secrets" in API group "" in the namespace "default"`));
    });
  }

  test('R4.2-11 an apply is authorized with the verb patch', async () => {
    const path = `${world.path('ConfigMap', 'default', 'a')}?fieldManager=m`;
    const refusal = expectFailure(403, 'Forbidden', await world.patch('apply', path, world.object('ConfigMap', {}), asBob));
    assert.match(refusal.message, /cannot patch resource "configmaps"/);
  });

  test('R4.2-18 a non-resource path uses the lower-cased method', async () => {
    for (const [method, path] of [['GET', '/nothing'], ['POST', '/apis'], ['PUT', '/metrics'], ['PATCH', '/logs'], ['DELETE', '/x/y']] as const) {
      const refusal = expectFailure(403, 'Forbidden', await world.server.request(method, path, undefined, asBob));
      assert.ok(refusal.message.includes(`User "bob" cannot ${method.toLowerCase()} path "${path}"`), refusal.message);
    }
  });

  test('R4.2-05 R4.2-06 a watch of one item: by field selector and by the old path, authorized with its name', async () => {
    const namespace = await world.namespace();
    await world.make('ConfigMap', namespace, { name: 'a' });
    await world.make('ConfigMap', namespace, { name: 'b' });
    const narrowed = `${world.path('ConfigMap', namespace)}?watch=1&fieldSelector=metadata.name%3Db`;
    const old = `/api/v1/watch/namespaces/${namespace}/configmaps/b`;
    for (const path of [narrowed, old]) {
      const watch = await world.watch(path);
      const [first] = await watch.next(1);
      assert.deepEqual([first.type, first.object.metadata.name], ['ADDED', 'b']);
      expect(200, await world.patch('merge', world.path('ConfigMap', namespace, 'a'), { data: { [world.fresh()]: '1' } }));
      const changed = expect(200, await world.patch('merge', world.path('ConfigMap', namespace, 'b'), { data: { [world.fresh()]: '1' } }));
      const [second] = await watch.next(1);
      await watch.stop();
      assert.deepEqual(second, { type: 'MODIFIED', object: changed });
      const refusal = expectFailure(403, 'Forbidden', await world.get(path, asBob));
      assert.match(refusal.message, /"b" is forbidden: User "bob" cannot watch/);
    }
    // What was authorized is a watch of the name in the path: no selector leads to another.
    for (const selector of ['metadata.name=a', 'metadata.name!=b', `metadata.namespace=${namespace}`]) {
      const answer = await world.get(`${old}?timeoutSeconds=1&fieldSelector=${encodeURIComponent(selector)}`);
      assert.equal(expectFailure(400, 'BadRequest', answer).message, "fieldSelector metadata.name doesn't match requested name", selector);
    }
    const same = await world.watch(`${old}?fieldSelector=metadata.name%3Db`);
    assert.equal((await same.next(1))[0].object.metadata.name, 'b');
    await same.stop();
  });

  test('R4.2-08 PUT on an item that does not exist creates it where the kind allows it', async () => {
    const namespace = await world.namespace();
    // Leases can be made by PUT in both dialects.
    const path = world.path('Lease', namespace, 'new');
    const made = expect(201, await world.put(path, world.object('Lease', { name: 'new' })));
    assert.ok(made.metadata.uid);
    assert.equal(expect(200, await world.get(path)).metadata.uid, made.metadata.uid);
  });

  test('R4.2-09 R4.2-08 which kinds PUT creates is decided by the dialect', async () => {
    const namespace = await world.namespace();
    for (const kind of ['ConfigMap', 'Secret', 'ServiceAccount', 'Deployment', 'DaemonSet', 'NetworkPolicy']) {
      const path = world.path(kind, namespace, 'new');
      const answer = await world.put(path, world.object(kind, { name: 'new' }));
      if (world.dialect === 'orch') expect(201, answer);
      else expectFailure(404, 'NotFound', answer);
      expectFailure(404, 'NotFound', await world.put(`${path}-b`, world.object(kind, { name: 'new-b', resourceVersion: '1' })));
      const meant = await world.put(`${path}-b`, world.object(kind, { name: 'new-b', uid: 'u' }));
      // 1.23 looks at the uid before it looks whether there is anything.
      if (world.dialect === 'orch') expectFailure(404, 'NotFound', meant);
      else expectFailure(409, 'Conflict', meant);
    }
    const name = world.fresh('class');
    const runtimeClass = { apiVersion: `${world.brand.group('node')}/v1`, kind: 'RuntimeClass', metadata: { name }, handler: 'h' };
    expect(201, await world.put(`/apis/${world.brand.group('node')}/v1/runtimeclasses/${name}`, runtimeClass));
  });

  test('the metadata of a new object stand in the order of their type, whoever said them', async () => {
    const path = world.path('ConfigMap', await world.namespace());
    const { metadata } = expect(201, await world.post(path, { metadata: { labels: { a: 'b' }, finalizers: ['example.com/a'], generateName: 'a-' } }));
    const { resourceVersion: _first, ...rest } = metadata;
    assert.deepEqual(Object.keys(rest), ['name', 'generateName', 'namespace', 'uid', 'creationTimestamp', 'labels', 'finalizers', 'managedFields']);
  });

  test('R4.2-14 R4.2-15 a write is of one object: no collection takes PUT or PATCH, no body holds several', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace);
    await world.make('ConfigMap', namespace, { name: 'a' });
    expectFailure(405, 'MethodNotAllowed', await world.put(path, world.object('ConfigMap', { name: 'a' })));
    for (const form of ['json', 'merge', 'strategic', 'apply'] as const) expectFailure(405, 'MethodNotAllowed', await world.patch(form, path, {}));
    expectFailure(405, 'MethodNotAllowed', await world.post(`${path}/b`, world.object('ConfigMap', { name: 'b' })));
    const two = [world.object('ConfigMap', { name: 'x' }), world.object('ConfigMap', { name: 'y' })];
    for (const body of [two, { apiVersion: 'v1', kind: 'ConfigMapList', items: two }]) expectFailure(400, 'BadRequest', await world.post(path, body));
    expect(200, await world.delete(`${path}/a`));
    assert.deepEqual(expect(200, await world.get(path)).items, []);
  });

  test('R4.2-16 R4.2-17 list and watch return many, deletecollection deletes many', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace);
    for (const name of ['a', 'b', 'c']) await world.make('ConfigMap', namespace, { name });
    const watch = await world.watch(`${path}?watch=1`);
    assert.deepEqual((await watch.next(3)).map(({ type }) => type), ['ADDED', 'ADDED', 'ADDED']);
    assert.equal(expect(200, await world.get(path)).items.length, 3);
    expect(200, await world.delete(path));
    assert.deepEqual((await watch.next(3)).map(({ type }) => type), ['DELETED', 'DELETED', 'DELETED']);
    await watch.stop();
    assert.deepEqual(expect(200, await world.get(path)).items.map((one: TestJson) => one.metadata.name), []);
  });
});
