import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KINDS, prefixOf } from './kinds.table.ts';
import { everywhere, expect, expectFailure, PLACES } from './world.ts';

everywhere(PLACES.both, (world) => {
  for (const row of KINDS) {
    test(`R2.1-01 R2.1-02 R2.1-03 R2.1-04 ${row.kind} is addressed by its plural, an item has the kind, a collection the list kind`, async () => {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const name = world.fresh('item');
      await world.make(row.kind, namespace, { name });
      const item = expect(200, await world.get(world.path(row.kind, namespace, name)));
      assert.deepEqual([item.kind, item.metadata.name], [row.kind, name]);
      const list = expect(200, await world.get(world.path(row.kind, namespace)));
      assert.equal(list.kind, `${row.kind}List`);
      assert.ok(list.items.some((one: { metadata: { name: string } }) => one.metadata.name === name));
      const singular = world.path(row.kind, namespace).replace(/\/[^/]+$/, `/${row.kind.toLowerCase()}`);
      assert.equal((await world.get(singular)).status, 404);
      const definitions = expect(200, await world.get('/openapi/v2')).definitions as Record<string, Record<string, { kind: string }[]>>;
      const schemas = Object.values(definitions).filter((one) => one['x-kubernetes-group-version-kind']?.some(({ kind }) => kind === row.kind));
      assert.equal(schemas.length, 1);
    });
  }

  test('R2.1-05 a subresource stands behind the name of its object', async () => {
    const namespace = await world.namespace();
    await world.make('DaemonSet', namespace, { name: 'd' });
    const status = expect(200, await world.get(`${world.path('DaemonSet', namespace, 'd')}/status`));
    assert.deepEqual([status.kind, status.metadata.name], ['DaemonSet', 'd']);
    expectFailure(404, 'NotFound', await world.get(`${world.path('DaemonSet', namespace, 'd')}/nothing`));
  });

  test('R2.1-06 a subresource refuses verbs it does not have, and which it has depends on the kind', async () => {
    const namespace = await world.namespace();
    await world.make('DaemonSet', namespace, { name: 'd' });
    const finalize = `/api/v1/namespaces/${namespace}/finalize`;
    expectFailure(405, 'MethodNotAllowed', await world.get(finalize));
    expectFailure(405, 'MethodNotAllowed', await world.patch('merge', finalize, {}));
    expect(200, await world.put(finalize, expect(200, await world.get(`/api/v1/namespaces/${namespace}`))));
    const status = `${world.path('DaemonSet', namespace, 'd')}/status`;
    expectFailure(405, 'MethodNotAllowed', await world.delete(status));
    expectFailure(405, 'MethodNotAllowed', await world.post(status, {}));
    expect(200, await world.get(status));
    await world.make('ConfigMap', namespace, { name: 'c' });
    expectFailure(404, 'NotFound', await world.get(`${world.path('ConfigMap', namespace, 'c')}/status`));
  });

  test('R2.1-07 there is no path to a subresource of a whole collection', async () => {
    const namespace = await world.namespace();
    await world.make('DaemonSet', namespace, { name: 'd' });
    // What stands behind the collection is a name, and no object has it.
    const answer = await world.get(`${world.path('DaemonSet', namespace)}/status`);
    assert.equal(expectFailure(404, 'NotFound', answer).details.name, 'status');
    expectFailure(404, 'NotFound', await world.get(`${world.path('DaemonSet', '')}/status`));
  });

  test('R2.1-08 R2.14-01 a review is an operation: it needs no name, can be made again and again, and is nowhere afterwards', async () => {
    const reviews = [
      ['authorization', 'selfsubjectaccessreviews', 'SelfSubjectAccessReview', { resourceAttributes: { verb: 'get', resource: 'pods' } }],
      ['authorization', 'subjectaccessreviews', 'SubjectAccessReview', { user: 'alice', resourceAttributes: { verb: 'get', resource: 'pods' } }],
      ['authorization', 'selfsubjectrulesreviews', 'SelfSubjectRulesReview', { namespace: 'default' }],
      ['authentication', 'tokenreviews', 'TokenReview', { token: 'nobody' }],
    ] as const;
    for (const [group, plural, kind, spec] of reviews) {
      const apiVersion = `${world.brand.group(group)}/v1`;
      const path = `/apis/${apiVersion}/${plural}`;
      for (let again = 0; again < 3; again++) {
        const { status, metadata: shown } = expect(201, await world.post(path, { apiVersion, kind, metadata: {}, spec }));
        assert.ok(status);
        assert.deepEqual([shown.uid, shown.resourceVersion], [undefined, undefined]);
      }
      expectFailure(405, 'MethodNotAllowed', await world.get(path));
      const { resources } = expect(200, await world.get(`/apis/${apiVersion}`));
      assert.deepEqual(resources.find((one: { name: string }) => one.name === plural).verbs, ['create']);
    }
  });

  test('R2.1-09 a name is taken once per kind and namespace, and free in another namespace and for another kind', async () => {
    const [one, other] = [await world.namespace(), await world.namespace()];
    await world.make('ConfigMap', one, { name: 'same' });
    const taken = await world.post(world.path('ConfigMap', one), world.object('ConfigMap', { name: 'same' }));
    assert.deepEqual(expectFailure(409, 'AlreadyExists', taken).details, { name: 'same', kind: 'configmaps' });
    await world.make('ConfigMap', other, { name: 'same' });
    await world.make('Secret', one, { name: 'same' });
    const nameless = await world.post(world.path('ConfigMap', one), world.object('ConfigMap', {}));
    assert.equal(expectFailure(422, 'Invalid', nameless).details.causes[0].field, 'metadata.name');
  });

  test('R2.1-10 a name of a cluster-scoped kind is taken once', async () => {
    const name = world.fresh('pc');
    await world.make('PriorityClass', '', { name });
    expectFailure(409, 'AlreadyExists', await world.post(world.path('PriorityClass', ''), world.object('PriorityClass', { name })));
  });

  test('R2.1-11 the name of a deleted object can be used again', async () => {
    const namespace = await world.namespace();
    await world.make('Secret', namespace, { name: 'again' });
    expect(200, await world.delete(world.path('Secret', namespace, 'again')));
    await world.make('Secret', namespace, { name: 'again' });
  });

  test('R2.1-13 no list says kind List, and no such kind is served', async () => {
    for (const row of KINDS) {
      const list = expect(200, await world.get(`${prefixOf(world.brand, row)}/${row.plural}`));
      assert.equal(list.kind, `${row.kind}List`);
    }
    const namespace = await world.namespace();
    const sent = { apiVersion: 'v1', kind: 'List', items: [world.object('ConfigMap', { name: 'a' })] };
    const answer = await world.post(world.path('ConfigMap', namespace), sent);
    assert.equal(answer.status, 400, answer.text);
    expectFailure(404, 'NotFound', await world.get('/api/v1/lists'));
  });
});
