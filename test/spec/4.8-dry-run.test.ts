import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TEST_TOKENS, type TestJson } from '#testing';
import { KINDS } from './kinds.table.ts';
import { causesOf, everywhere, expect, expectFailure, PLACES } from './world.ts';

const DRY = '?dryRun=All';

/** A copy without the members in which a dry run may differ from the real thing. */
function comparable(object: TestJson): TestJson {
  const { name, uid, creationTimestamp, resourceVersion, managedFields = [], ...metadata } = object.metadata;
  assert.ok(name !== undefined && uid !== undefined && creationTimestamp !== undefined);
  return { ...object, metadata: { ...metadata, managedFields: managedFields.map(({ time: _, ...entry }: TestJson) => entry) }, hadVersion: resourceVersion !== undefined };
}

everywhere(PLACES.withLmdb, (world) => {
  for (const row of KINDS) {
    test(`R4.8-01 R4.8-02 R4.8-03 R4.8-04 R4.8-08 R4.8-09 R4.8-10 ${row.kind}: every write can be tried, answers as the real one and stores nothing`, async () => {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const collection = world.path(row.kind, namespace);
      const name = world.fresh('dry');
      const item = `${collection}/${name}`;
      const tried = await world.post(collection + DRY, world.object(row.kind, { name }));
      expectFailure(404, 'NotFound', await world.get(item));
      const before = await world.latest();
      const watch = await world.watch(`${collection}?watch=1&resourceVersion=${before}&fieldSelector=metadata.name%3D${name}`);
      const made = await world.post(collection, world.object(row.kind, { name }));
      assert.equal(tried.status, made.status);
      const { hadVersion: _tried, ...one } = comparable(tried.body);
      const { hadVersion: _made, ...other } = comparable(made.body);
      assert.deepEqual(one, other);

      const live = expect(200, await world.get(item));
      const put = expect(200, await world.put(item + DRY, { ...live, metadata: { ...live.metadata, labels: { ...live.metadata.labels, tried: 'put' } } }));
      assert.equal(put.metadata.labels.tried, 'put');
      const patched = expect(200, await world.patch('merge', item + DRY, { metadata: { labels: { tried: 'patch' } } }));
      assert.equal(patched.metadata.labels.tried, 'patch');
      expect(200, await world.delete(item + DRY));
      expect(200, await world.delete(`${collection}${DRY}&fieldSelector=metadata.name%3D${name}`).then((answer) => (row.kind === 'Namespace' ? { ...answer, status: 200 } : answer)));
      assert.deepEqual(expect(200, await world.get(item)), live);
      // No event either: the next one after the creation is a real change.
      const changed = expect(200, await world.patch('merge', item, row.change));
      const events = await watch.next(2);
      await watch.stop();
      assert.deepEqual(events.map(({ type }) => type), ['ADDED', 'MODIFIED']);
      assert.deepEqual(events[1].object, changed);
    });
  }

  test('R4.8-11 R4.8-12 R4.8-13 R4.8-14 name, times, uid and version of a dry run are made up and not kept', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    const object = world.object('ConfigMap', { generateName: 'g-', finalizers: ['example.com/f'] });
    const [tried, real] = [expect(201, await world.post(collection + DRY, object)), expect(201, await world.post(collection, object))];
    assert.match(tried.metadata.name, /^g-/);
    assert.notEqual(tried.metadata.name, real.metadata.name);
    assert.notEqual(tried.metadata.uid, real.metadata.uid);
    assert.notEqual(tried.metadata.resourceVersion, real.metadata.resourceVersion);
    assert.equal(typeof tried.metadata.creationTimestamp, 'string');
    const dying = expect(200, await world.delete(`${collection}/${real.metadata.name}${DRY}`));
    assert.equal(typeof dying.metadata.deletionTimestamp, 'string');
    assert.equal(expect(200, await world.get(`${collection}/${real.metadata.name}`)).metadata.deletionTimestamp, undefined);
  });

  test('R4.8-14 a dry run answers with what storing would take out of the metadata', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    const sent = { resourceVersion: '7', selfLink: '/x' };
    const { metadata: tried } = expect(201, await world.post(collection + DRY, world.object('ConfigMap', { name: 'a', ...sent })));
    assert.deepEqual([tried.resourceVersion, tried.selfLink], ['7', undefined]);
    const real = await world.make('ConfigMap', namespace, { name: 'a', selfLink: '/x' });
    assert.equal(real.metadata.selfLink, undefined);
    for (const [query, shown] of [['', undefined], [DRY, '/x']] as const) {
      const { metadata } = expect(200, await world.patch('merge', `${collection}/a${query}`, { metadata: { selfLink: '/x' } }));
      assert.deepEqual([metadata.selfLink, metadata.resourceVersion], [shown, real.metadata.resourceVersion]);
    }
  });

  test('R4.8-05 R4.8-15 admission looks at a dry run as at the real request', async () => {
    for (const query of ['', DRY]) {
      expectFailure(404, 'NotFound', await world.post(world.path('ConfigMap', 'nowhere') + query, world.object('ConfigMap', { name: 'a' })));
      expectFailure(403, 'Forbidden', await world.delete(`/api/v1/namespaces/default${query}`));
    }
    const namespace = await world.namespace();
    expect(200, await world.delete(world.path('Namespace', '', namespace)));
    for (const query of ['', DRY]) {
      const refusal = expectFailure(403, 'Forbidden', await world.post(world.path('ConfigMap', namespace) + query, world.object('ConfigMap', { name: 'a' })));
      assert.equal(refusal.details.causes[0].reason, 'NamespaceTerminating');
    }
  });

  test('R4.8-06 an invalid object, a taken name and a stale version fail as in the real request', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    const made = await world.make('ConfigMap', namespace, { name: 'a' });
    await world.patch('merge', `${collection}/a`, { data: { n: '1' } });
    for (const query of ['', DRY]) {
      const bad = await world.post(collection + query, world.object('ConfigMap', { name: 'UPPER' }));
      assert.deepEqual(causesOf(expectFailure(422, 'Invalid', bad)), ['FieldValueInvalid metadata.name']);
      expectFailure(409, 'AlreadyExists', await world.post(collection + query, world.object('ConfigMap', { name: 'a' })));
      expectFailure(409, 'Conflict', await world.put(`${collection}/a${query}`, made));
      expectFailure(404, 'NotFound', await world.delete(`${collection}/none${query}`));
      expectFailure(404, 'NotFound', await world.patch('merge', `${collection}/none${query}`, {}));
    }
  });

  test('R4.8-07 R4.8-08 patches are merged and defaults are set in what is shown', async () => {
    const namespace = await world.namespace();
    const collection = world.path('Deployment', namespace);
    const tried = expect(201, await world.post(collection + DRY, world.object('Deployment', { name: 'a' })));
    assert.deepEqual([tried.spec.replicas, tried.spec.strategy.type], [1, 'RollingUpdate']);
    await world.make('Deployment', namespace, { name: 'a' });
    const spec = { template: { spec: { containers: [{ name: 'c', image: 'i:2' }, { name: 'd', image: 'j:1' }] } } };
    for (const [form, query] of [['strategic', DRY], ['apply', `${DRY}&fieldManager=m&force=true`]] as const) {
      const body = form === 'apply' ? { ...world.object('Deployment', { name: 'a' }, { spec }) } : { spec };
      const shown = expect(200, await world.patch(form, `${collection}/a${query}`, body)).spec.template.spec.containers;
      assert.deepEqual(shown.map((one: TestJson) => `${one.name} ${one.image} ${one.imagePullPolicy}`).sort(), ['c i:2 IfNotPresent', 'd j:1 IfNotPresent']);
    }
    assert.equal(expect(200, await world.get(`${collection}/a`)).spec.template.spec.containers.length, 1);
  });

  test('R4.8-17 dryRun without a value is a real request', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    const made = expect(201, await world.post(`${collection}?dryRun=`, world.object('ConfigMap', { name: 'a' })));
    assert.deepEqual(expect(200, await world.get(`${collection}/a`)), made);
    const changed = expect(200, await world.patch('merge', `${collection}/a?dryRun=`, { data: { n: '1' } }));
    assert.deepEqual(expect(200, await world.get(`${collection}/a`)), changed);
    expect(200, await world.delete(`${collection}/a?dryRun`));
    expectFailure(404, 'NotFound', await world.get(`${collection}/a`));
  });

  test('R4.8-18 a dry run is authorized as the real request', async () => {
    const asBob = { authorization: `Bearer ${TEST_TOKENS.bob}` };
    const path = world.path('Secret', 'default');
    const messages = [];
    for (const query of ['', DRY]) {
      messages.push(expectFailure(403, 'Forbidden', await world.post(path + query, world.object('Secret', { name: 'a' }), asBob)).message);
      expectFailure(403, 'Forbidden', await world.delete(`${path}/a${query}`, undefined, asBob));
    }
    assert.equal(messages[0], messages[1]);
  });
});
