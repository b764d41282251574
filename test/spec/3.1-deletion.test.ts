import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KINDS } from './kinds.table.ts';
import { causesOf, everywhere, expect, expectFailure, PLACES } from './world.ts';

const [ONE, TWO] = ['example.com/one', 'example.com/two'];

everywhere(PLACES.withLmdb, (world) => {
  for (const row of KINDS.filter(({ kind }) => kind !== 'Namespace')) {
    test(`R3.1-01 R3.1-02 R3.1-03 R3.1-04 ${row.kind}: stays while a finalizer is there, in whatever order they go`, async () => {
      for (const order of [[ONE, TWO], [TWO, ONE]]) {
        const namespace = row.isNamespaced ? await world.namespace() : '';
        const name = world.fresh('held');
        const path = world.path(row.kind, namespace, name);
        await world.make(row.kind, namespace, { name, finalizers: [ONE, TWO] });
        const watch = await world.watch(`${world.path(row.kind, namespace)}?watch=1&fieldSelector=metadata.name%3D${name}`);
        const deleted = expect(200, await world.delete(path));
        assert.equal(deleted.kind, row.kind);
        assert.ok(deleted.metadata.deletionTimestamp);
        assert.deepEqual(expect(200, await world.get(path)), deleted);
        const half = expect(200, await world.patch('merge', path, { metadata: { finalizers: [order[1]] } }));
        assert.deepEqual(half.metadata.finalizers, [order[1]]);
        expect(200, await world.get(path));
        expect(200, await world.patch('json', path, [{ op: 'remove', path: '/metadata/finalizers/0' }]));
        expectFailure(404, 'NotFound', await world.get(path));
        const events = await watch.next(4);
        await watch.stop();
        assert.deepEqual(events.map(({ type }) => type), ['ADDED', 'MODIFIED', 'MODIFIED', 'DELETED']);
      }
    });

    test(`R3.1-05 ${row.kind}: without finalizers it goes at once`, async () => {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const name = world.fresh('free');
      const made = await world.make(row.kind, namespace, { name });
      const gone = expect(200, await world.delete(world.path(row.kind, namespace, name)));
      // The one built kind that Kubernetes shows a last time.
      if (row.kind === 'ServiceAccount') assert.deepEqual([gone.kind, gone.metadata.uid], [row.kind, made.metadata.uid]);
      else assert.deepEqual([gone.kind, gone.status, gone.details.name, gone.details.uid], ['Status', 'Success', name, made.metadata.uid]);
      expectFailure(404, 'NotFound', await world.get(world.path(row.kind, namespace, name)));
      expectFailure(404, 'NotFound', await world.delete(world.path(row.kind, namespace, name)));
    });
  }

  test('R3.1-01 R3.1-03 a namespace stays until its own finalizer is gone', async () => {
    const name = await world.namespace();
    const path = world.path('Namespace', '', name);
    const deleted = expect(200, await world.delete(path));
    assert.deepEqual([deleted.status.phase, deleted.spec.finalizers.length], ['Terminating', 1]);
    expect(200, await world.get(path));
    expect(200, await world.put(`${path}/finalize`, { ...deleted, spec: { finalizers: [] } }));
    expectFailure(404, 'NotFound', await world.get(path));
  });

  test('R3.1-05 a namespace that was declared empty before only begins to go with the first delete, and goes with the second, which shows it', async () => {
    const name = await world.namespace();
    const path = world.path('Namespace', '', name);
    const empty = expect(200, await world.put(`${path}/finalize`, { ...expect(200, await world.get(path)), spec: { finalizers: [] } }));
    assert.deepEqual([empty.spec, empty.status.phase], [{}, 'Active']);
    for (const status of [200, 404]) {
      const shown = expect(200, await world.delete(path));
      assert.deepEqual([shown.kind, shown.status.phase], ['Namespace', 'Terminating']);
      assert.equal((await world.get(path)).status, status);
    }
  });

  test('the first delete of a namespace says what becomes of its dependents, and an older wish to go with them puts them first', async () => {
    for (const [first, then, finalizers] of [
      [{}, { propagationPolicy: 'Foreground' }, undefined],
      [{ orphanDependents: false }, { propagationPolicy: 'Background' }, ['foregroundDeletion']],
      [{ propagationPolicy: 'Orphan' }, {}, ['orphan']],
    ] as const) {
      const path = world.path('Namespace', '', await world.namespace());
      for (const order of [first, then]) assert.deepEqual((await world.delete(path, order)).body.metadata.finalizers, finalizers, JSON.stringify(order));
      const going = expect(200, await world.get(path));
      expect(200, await world.put(`${path}/finalize`, { ...going, spec: { finalizers: [] } }));
      if (finalizers !== undefined) expect(200, await world.patch('merge', path, { metadata: { finalizers: null } }));
      expectFailure(404, 'NotFound', await world.get(path));
    }
  });

  test('R3.1-06 while it is finalizing no finalizer can be added; everything else can change', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace, 'a');
    await world.make('ConfigMap', namespace, { name: 'a', finalizers: [ONE] });
    const deleted = expect(200, await world.delete(path));
    const more = await world.patch('merge', path, { metadata: { finalizers: [ONE, TWO] } });
    assert.deepEqual(causesOf(expectFailure(422, 'Invalid', more)), ['FieldValueForbidden metadata.finalizers']);
    const changed = expect(200, await world.patch('merge', path, { data: { b: '1' }, metadata: { labels: { l: '1' } } }));
    assert.deepEqual([changed.data, changed.metadata.labels], [{ a: '1', b: '1' }, { l: '1' }]);
    assert.equal(changed.metadata.deletionTimestamp, deleted.metadata.deletionTimestamp);
    // Nobody brings it back.
    const { deletionTimestamp: _, ...alive } = changed.metadata;
    assert.equal(expect(200, await world.put(path, { ...changed, metadata: alive })).metadata.deletionTimestamp, deleted.metadata.deletionTimestamp);
  });

  test('R3.1-03 an update that removes the last finalizer removes the object, not before it is deleted', async () => {
    const namespace = await world.namespace();
    const path = world.path('Secret', namespace, 'a');
    const made = await world.make('Secret', namespace, { name: 'a', finalizers: [ONE] });
    const bare = expect(200, await world.put(path, { ...made, metadata: { ...made.metadata, finalizers: [] } }));
    assert.equal(bare.metadata.finalizers, undefined);
    expect(200, await world.get(path));
  });
});
