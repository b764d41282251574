import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TEST_TOKENS, type TestJson } from '#testing';
import { KINDS } from './kinds.table.ts';
import { everywhere, expect, expectFailure, PLACES } from './world.ts';

everywhere(PLACES.withSockets, (world) => {
  for (const row of KINDS) {
    test(`R1-01 R1-05 R1-06 R1-07 R1-08 R1-09 ${row.kind} is written and read as an object with a kind and a version`, async () => {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const name = world.fresh('obj');
      const path = world.path(row.kind, namespace, name);
      const object = world.object(row.kind, { name });
      const made = expect(201, await world.post(world.path(row.kind, namespace), object));
      assert.deepEqual([made.kind, made.apiVersion], [object.kind, object.apiVersion]);
      assert.deepEqual(expect(200, await world.get(path)), made);
      const put = expect(200, await world.put(path, { ...made, metadata: { ...made.metadata, annotations: { by: 'put' } } }));
      assert.equal(put.metadata.annotations.by, 'put');
      assert.equal(expect(200, await world.patch('merge', path, { metadata: { annotations: { by: 'patch' } } })).metadata.annotations.by, 'patch');
      expect(200, await world.delete(path));
    });

    test(`R1-21 ${row.kind} has one scope only`, async () => {
      const found = expect(200, await world.get(world.path(row.kind, '').replace(/\/[^/]+$/, ''))).resources.filter((one: TestJson) => one.name === row.plural);
      assert.deepEqual(found.map((one: TestJson) => one.namespaced), [row.isNamespaced]);
      if (row.isNamespaced) expectFailure(405, 'MethodNotAllowed', await world.post(world.path(row.kind, ''), world.object(row.kind, { name: 'x' })));
      else if (row.kind !== 'Namespace') expectFailure(404, 'NotFound', await world.get(world.path(row.kind, 'default')));
    });
  }

  test('R1-10 R1-11 R1-12 R1-13 R1-14 R1-17 subresources, chunks, watches, dry runs, applies and health are served', async () => {
    const namespace = await world.namespace();
    const path = world.path('DaemonSet', namespace);
    const apply = await world.patch('apply', `${path}/a?fieldManager=m`, world.object('DaemonSet', { name: 'a' }));
    assert.equal(expect(201, apply).metadata.managedFields[0].operation, 'Apply');
    expect(200, await world.get(`${path}/a/status`));
    expect(201, await world.post(`${path}?dryRun=All`, world.object('DaemonSet', { name: 'b' })));
    await world.make('DaemonSet', namespace, { name: 'c' });
    const chunk = expect(200, await world.get(`${path}?limit=1`));
    assert.equal(expect(200, await world.get(`${path}?limit=1&continue=${encodeURIComponent(chunk.metadata.continue)}`)).items[0].metadata.name, 'c');
    const watch = await world.watch(`${path}?watch=1`);
    assert.equal((await watch.next(2)).length, 2);
    await watch.stop();
    assert.equal((await world.get('/livez')).status, 200);
  });

  test('R1-02 scheduler, node agent, controllers and users reach each other through calls of the API alone', async () => {
    const namespace = await world.namespace();
    const call = async (code: number, method: string, path: string, body: object) => expect(code, await world.server.request(method, path, body));
    const at = `/api/v1/namespaces/${namespace}`;
    // The node agent brings its node, a controller the account, a user the pod and its token.
    const node = world.fresh('node');
    await call(201, 'POST', '/api/v1/nodes', { metadata: { name: node } });
    await call(201, 'POST', `${at}/serviceaccounts`, { metadata: { name: 'default' } });
    await call(201, 'POST', `${at}/pods`, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i:1' }] } });
    const token = await call(201, 'POST', `${at}/serviceaccounts/default/token`, { apiVersion: `${world.brand.group('authentication')}/v1`, kind: 'TokenRequest', spec: { audiences: [] } });
    const review = { apiVersion: `${world.brand.group('authentication')}/v1`, kind: 'TokenReview', spec: { token: token.status.token } };
    const { status } = await call(201, 'POST', `/apis/${review.apiVersion}/tokenreviews`, review);
    assert.equal(status.user.username, `system:serviceaccount:${namespace}:default`);
    // The scheduler binds; the agent finds its pod, says how it goes and that it lives; somebody evicts the pod, the agent confirms.
    await call(201, 'POST', `${at}/pods/p/binding`, { metadata: { name: 'p' }, target: { kind: 'Node', name: node } });
    const mine = expect(200, await world.get(`/api/v1/pods?fieldSelector=spec.nodeName%3D${node}`)).items;
    assert.deepEqual(mine.map((one: TestJson) => one.metadata.name), ['p']);
    await call(200, 'PUT', `${at}/pods/p/status`, { ...mine[0], status: { phase: 'Running' } });
    const lease = world.object('Lease', { name: node }, { spec: { holderIdentity: node } });
    await call(201, 'POST', world.path('Lease', namespace), lease);
    await call(201, 'POST', `${at}/events`, { metadata: { name: 'e' }, involvedObject: { kind: 'Pod', namespace, name: 'p' }, reason: 'Started', type: 'Normal' });
    await call(201, 'POST', `${at}/pods/p/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'p' } });
    const dying = expect(200, await world.get(`${at}/pods/p`));
    assert.deepEqual([dying.status.phase, typeof dying.metadata.deletionTimestamp], ['Running', 'string']);
    expect(200, await world.delete(`${at}/pods/p`, { gracePeriodSeconds: 0, preconditions: { uid: dying.metadata.uid } }));
    expectFailure(404, 'NotFound', await world.get(`${at}/pods/p`));
  });

  test('R1-16 authentication, authorization, admission, storage: each stage stops a request before the next', async () => {
    // Wrong in every way: credentials, permission, namespace. Each stage that lets it through shows the next refusal.
    const path = world.path('ConfigMap', 'nowhere');
    const object = world.object('ConfigMap', { name: 'UPPER' });
    const as = (token: string) => world.post(path, object, { authorization: `Bearer ${token}` });
    expectFailure(401, 'Unauthorized', await as('nobody'));
    expectFailure(403, 'Forbidden', await as(TEST_TOKENS.bob));
    assert.equal(expectFailure(404, 'NotFound', await as(TEST_TOKENS.admin)).details.kind, 'namespaces');
    // The refused have not even their body read.
    assert.equal((await world.post(path, '{broken', { authorization: 'Bearer nobody' })).status, 401);
    assert.equal((await world.post(path, '{broken', { authorization: `Bearer ${TEST_TOKENS.bob}` })).status, 403);
    assert.deepEqual(expect(200, await world.get(path)).items, []);
  });
});

everywhere(PLACES.withLmdb.filter(({ store }) => store === 'lmdb').flatMap((place) => [place, { ...place, dialect: 'kubernetes' as const }]), (world) => {
  test('R1-03 R1-04 what was written is read back unchanged after a restart, and versions go on from there', async () => {
    const kept: [string, TestJson][] = [];
    for (const row of KINDS) {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const made = await world.make(row.kind, namespace, { name: 'kept', labels: { a: 'b' }, finalizers: ['example.com/f'] });
      const path = world.path(row.kind, namespace, made.metadata.name);
      kept.push([path, expect(200, await world.patch('merge', path, row.change))]);
    }
    const before = await world.latest();
    await world.restart();
    for (const [path, object] of kept) assert.deepEqual(expect(200, await world.get(path)), object);
    const later = await world.make('ConfigMap', 'default', { name: world.fresh('later') });
    assert.ok(BigInt(later.metadata.resourceVersion) > BigInt(before));
  });
});
