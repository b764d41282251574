// What a write insists on, and what of an object's metadata it cannot change.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestAnswer } from '#testing';
import { everywhere, expect, expectFailure, PLACES, type World } from './world.ts';

/** A ConfigMap and where it is. */
async function aMap(world: World, metadata: object = {}): Promise<{ readonly item: string; readonly collection: string; readonly name: string; readonly namespace: string }> {
  const namespace = await world.namespace();
  const name = world.fresh('map');
  expect(201, await world.post(world.path('ConfigMap', namespace), { metadata: { name, ...metadata }, data: { a: '1' } }));
  return { namespace, name, collection: world.path('ConfigMap', namespace), item: world.path('ConfigMap', namespace, name) };
}

/** The fields that an answer 422 names. */
function fieldsOf(answer: TestAnswer): readonly string[] {
  const { details } = expectFailure(422, 'Invalid', answer) as { readonly details: { readonly causes: readonly { readonly field: string }[] } };
  return details.causes.map(({ field }) => field);
}

everywhere(PLACES.both, (world) => {
  test('R4.3-08 a delete insists on uid and version in its query, too', async () => {
    const { item, collection } = await aMap(world);
    const { uid, resourceVersion } = expect(200, await world.get(item)).metadata;
    for (const query of ['uid=other', 'resourceVersion=1', `uid=${uid}&resourceVersion=1`]) expectFailure(409, 'Conflict', await world.delete(`${item}?${query}`));
    // A list at a version and a deletion of that version only: the query says both.
    expectFailure(409, 'Conflict', await world.delete(`${collection}?resourceVersion=0`));
    expect(200, await world.get(item));
    expect(200, await world.delete(`${item}?uid=${uid}&resourceVersion=${resourceVersion}`));
  });

  test('R2.2-07 the times of an object stay what they are, whatever is sent', async () => {
    const { item, name } = await aMap(world, { finalizers: ['example.com/hold'] });
    const made = expect(200, await world.get(item)).metadata;
    const old = '2020-01-01T00:00:00Z';
    const put = expect(200, await world.put(item, { metadata: { name, creationTimestamp: old, finalizers: ['example.com/hold'] } })).metadata;
    assert.equal(put.creationTimestamp, made.creationTimestamp);
    for (const form of ['merge', 'strategic'] as const) {
      assert.equal(expect(200, await world.patch(form, item, { metadata: { creationTimestamp: old } })).metadata.creationTimestamp, made.creationTimestamp);
    }
    expectFailure(422, 'Invalid', await world.patch('merge', item, { metadata: { deletionTimestamp: old } }));
    const marked = expect(200, await world.delete(item)).metadata;
    const kept = expect(200, await world.patch('merge', item, { metadata: { deletionTimestamp: old, labels: { a: 'b' } } })).metadata;
    assert.deepEqual([kept.deletionTimestamp, kept.labels], [marked.deletionTimestamp, { a: 'b' }]);
    assert.ok(fieldsOf(await world.patch('merge', item, { metadata: { deletionGracePeriodSeconds: 9 } })).includes('metadata.deletionGracePeriodSeconds'));
  });

  test('R4.3-06 a version that is no number is none of a new object, and a mistake in an update', async () => {
    const { namespace, collection, item } = await aMap(world);
    for (const resourceVersion of ['0', 'abc']) expect(201, await world.post(collection, { metadata: { name: world.fresh('map'), resourceVersion } }));
    const named = { metadata: { name: world.fresh('map'), resourceVersion: '5' } };
    assert.equal((await world.post(collection, named)).status, 500);
    // Nothing is stored, so that nobody looks at the version.
    expect(201, await world.post(`${collection}?dryRun=All`, named));
    for (const [version, why] of [['abc', 'invalid syntax'], ['99999999999999999999', 'value out of range']] as const) {
      const { status, body } = await world.patch('merge', item, { metadata: { resourceVersion: version } });
      assert.deepEqual([status, body.message], [500, `strconv.ParseUint: parsing "${version}": ${why}`]);
    }
    const lease = world.path('Lease', namespace, 'l');
    assert.equal((await world.patch('apply', `${lease}?fieldManager=m`, world.object('Lease', { name: 'l', resourceVersion: 'abc' }, {}))).status, 500);
    expectFailure(404, 'NotFound', await world.get(world.path('ConfigMap', namespace, named.metadata.name)));
  });

  test('R4.3-06 a version has 64 bits, and leading zeros do not matter', async () => {
    const { item, collection, name, namespace } = await aMap(world);
    const { resourceVersion } = expect(200, await world.get(item)).metadata;
    const write = (version: string, query = ''): Promise<TestAnswer> => world.put(`${item}${query}`, { metadata: { name, resourceVersion: version } });
    assert.equal((await write('18446744073709551616')).status, 500);
    expectFailure(409, 'Conflict', await write('18446744073709551615'));
    expect(200, await write(`00${resourceVersion}`));
    expect(201, await world.post(collection, { metadata: { name: `${name}-more`, namespace, resourceVersion: '18446744073709551616' } }));
  });

  test('R4.3-06 whoever gives a prefix is told to try again, even with a name; an object that goes is told as such', async () => {
    const { collection, item, name } = await aMap(world, { finalizers: ['example.com/hold'] });
    const both = { metadata: { name, generateName: 'map-' } };
    const taken = expectFailure(409, 'AlreadyExists', await world.post(collection, both));
    assert.equal(taken.details.retryAfterSeconds, 1);
    expect(200, await world.delete(item));
    for (const body of [both, { metadata: { name } }]) {
      assert.match(expectFailure(409, 'AlreadyExists', await world.post(collection, body)).message, /^object is being deleted: /);
    }
  });

  test('R4.9-01 an apply that names a uid makes no new object', async () => {
    const { namespace } = await aMap(world);
    const name = world.fresh('map');
    const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, uid: 'one' } };
    expectFailure(409, 'Conflict', await world.patch('apply', `${world.path('ConfigMap', namespace, name)}?fieldManager=m`, config));
  });

  test('R4.3-34 R4.3-36 names of managers are short in bytes and have no space but the common one; how to validate is one of four words', async () => {
    const { collection } = await aMap(world);
    const rows: readonly (readonly [query: string, field: string | undefined])[] = [
      ['fieldManager=a%20b', undefined],
      ['fieldManager=a%C2%A0b', 'fieldManager'],
      ['fieldManager=a%E2%80%A8b', 'fieldManager'],
      [`fieldManager=${'%C3%A4'.repeat(64)}`, undefined],
      [`fieldManager=${'%C3%A4'.repeat(65)}`, 'fieldManager'],
      ['fieldValidation=Strict', undefined],
      ['fieldValidation=strict', 'fieldValidation'],
    ];
    for (const [query, field] of rows) {
      const answer = await world.post(`${collection}?${query}`, { metadata: { name: world.fresh('map') } });
      if (field === undefined) expect(201, answer);
      else assert.deepEqual(fieldsOf(answer), [field], query);
    }
  });

  test('an update that names a uid means that object, and not another one of its name', async () => {
    const { item, name } = await aMap(world);
    const { uid } = expect(200, await world.get(item)).metadata;
    expect(200, await world.put(item, { metadata: { name, uid }, data: { b: '2' } }));
    for (const query of ['', '?dryRun=All']) {
      const { message } = expectFailure(409, 'Conflict', await world.put(`${item}${query}`, { metadata: { name, uid: 'other' }, data: { c: '3' } }));
      assert.match(message, new RegExp(`UID in precondition: other, UID in object meta: ${uid}$`));
    }
    assert.deepEqual(expect(200, await world.get(item)).data, { b: '2' });
  });

  test('a scale that names a uid means that object', async () => {
    const namespace = await world.namespace();
    const name = world.fresh('d');
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const collection = `/apis/apps/v1/namespaces/${namespace}/deployments`;
    const { uid } = expect(201, await world.post(collection, { metadata: { name }, spec: { selector: { matchLabels: { a: 'b' } }, template } })).metadata;
    const scale = (of: string): object => ({ metadata: { name, namespace, uid: of }, spec: { replicas: 3 } });
    assert.deepEqual(fieldsOf(await world.put(`${collection}/${name}/scale`, { metadata: { name, resourceVersion: '1' }, spec: { replicas: 3 } })), ['metadata.namespace']);
    expectFailure(409, 'Conflict', await world.put(`${collection}/${name}/scale`, scale('other')));
    assert.equal(expect(200, await world.put(`${collection}/${name}/scale`, scale(uid))).spec.replicas, 3);
    const other = { apiVersion: 'autoscaling/v1', kind: 'Scale', ...scale('other'), spec: { replicas: 5 } };
    for (const form of ['merge', 'strategic', 'apply'] as const) {
      const query = form === 'apply' ? '?fieldManager=m&force=true' : '';
      expectFailure(409, 'Conflict', await world.patch(form, `${collection}/${name}/scale${query}`, other));
    }
    assert.equal(expect(200, await world.get(`${collection}/${name}/scale`)).spec.replicas, 3);
    // A scale is one of `autoscaling`, whatever it scales.
    const as = (apiVersion: string): object => ({ apiVersion, kind: 'Scale', ...scale(uid) });
    for (const other of ['apps/v1', 'autoscaling/v2']) expectFailure(400, 'BadRequest', await world.put(`${collection}/${name}/scale`, as(other)));
    expect(200, await world.put(`${collection}/${name}/scale`, as('autoscaling/v1')));
  });

  test('the status of a pod does not say when it goes', async () => {
    const namespace = await world.namespace();
    const name = world.fresh('pod');
    expect(201, await world.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } }));
    expect(201, await world.post(`/api/v1/namespaces/${namespace}/pods`, { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } }));
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    const going = { metadata: { deletionTimestamp: '2020-01-01T00:00:00Z' } };
    assert.equal(expect(200, await world.patch('merge', `${path}/status`, going)).metadata.deletionTimestamp, undefined);
    assert.ok(fieldsOf(await world.patch('merge', path, going)).includes('metadata.deletionTimestamp'));
  });

  test('R4.9-27 a strategic merge patch does not say what an object is', async () => {
    const { item } = await aMap(world);
    const patched = expect(200, await world.patch('strategic', item, { apiVersion: 'v9', kind: 'Secret', data: { b: '2' } }));
    assert.deepEqual([patched.apiVersion, patched.kind, patched.data], ['v1', 'ConfigMap', { a: '1', b: '2' }]);
    assert.deepEqual(expect(200, await world.patch('strategic', item, { metadata: { labels: { x: null } } })).metadata.labels, { x: '' });
  });

  test('a list as merge patch takes the place of the object and is none', async () => {
    const { item } = await aMap(world);
    assert.deepEqual(fieldsOf(await world.patch('merge', item, [])), ['patch']);
  });
});
