import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestJson } from '#testing';
import { apiVersionOf, KINDS } from './kinds.table.ts';
import { everywhere, expect, expectFailure, PLACES, type World } from './world.ts';

const namesOf = (list: TestJson): string[] => list.items.map((one: TestJson) => one.metadata.name);

async function fill(world: World, count: number): Promise<string> {
  const namespace = await world.namespace();
  for (let at = 0; at < count; at++) await world.make('ConfigMap', namespace, { name: `c${at}`, labels: { even: String(at % 2 === 0) } });
  return namespace;
}

everywhere(PLACES.withSockets, (world) => {
  test('R2.3-01 a collection says its version and kind', async () => {
    for (const row of KINDS) {
      const list = expect(200, await world.get(world.path(row.kind, '')));
      assert.deepEqual([list.kind, list.apiVersion], [`${row.kind}List`, apiVersionOf(world.brand, row)]);
    }
  });

  test('R2.3-02 resourceVersion is the version of the whole list: it is not older than any item and moves with every write', async () => {
    const namespace = await fill(world, 2);
    const first = expect(200, await world.get(world.path('ConfigMap', namespace)));
    const made = await world.make('ConfigMap', namespace, { name: 'later' });
    const second = expect(200, await world.get(world.path('ConfigMap', namespace)));
    assert.ok(BigInt(first.metadata.resourceVersion) < BigInt(made.metadata.resourceVersion));
    assert.ok(BigInt(second.metadata.resourceVersion) >= BigInt(made.metadata.resourceVersion));
    // A watch from there misses nothing and repeats nothing.
    const watch = await world.watch(`${world.path('ConfigMap', namespace)}?watch=1&resourceVersion=${first.metadata.resourceVersion}`);
    const [event] = await watch.next(1);
    await watch.stop();
    assert.equal(event.object.metadata.name, 'later');
  });

  test('R2.3-03 R2.3-04 R2.3-05 R2.3-06 R2.3-08 chunks of one list share its version, count what remains and end without a token', async () => {
    const namespace = await fill(world, 5);
    const path = world.path('ConfigMap', namespace);
    const first = expect(200, await world.get(`${path}?limit=2`));
    assert.deepEqual(namesOf(first), ['c0', 'c1']);
    assert.equal(typeof first.metadata.continue, 'string');
    assert.equal(first.metadata.remainingItemCount, 3);
    await world.make('ConfigMap', namespace, { name: 'c0-late' });
    await world.make('ConfigMap', namespace, { name: 'c4-late' });
    const second = expect(200, await world.get(`${path}?limit=2&continue=${encodeURIComponent(first.metadata.continue)}`));
    assert.deepEqual(namesOf(second), ['c2', 'c3']);
    assert.equal(second.metadata.remainingItemCount, 1);
    const third = expect(200, await world.get(`${path}?limit=2&continue=${encodeURIComponent(second.metadata.continue)}`));
    assert.deepEqual(namesOf(third), ['c4']);
    assert.deepEqual([third.metadata.continue ?? '', third.metadata.remainingItemCount], ['', undefined]);
    assert.deepEqual([second, third].map((one) => one.metadata.resourceVersion), [first, first].map((one) => one.metadata.resourceVersion));
  });

  test('R2.3-09 what remains is counted for the list as it was at its start: an estimate of the collection, not its size', async () => {
    const namespace = await fill(world, 4);
    const path = world.path('ConfigMap', namespace);
    const first = expect(200, await world.get(`${path}?limit=1`));
    assert.equal(first.items.length + first.metadata.remainingItemCount, 4);
    for (const name of ['d1', 'd2', 'd3']) await world.make('ConfigMap', namespace, { name });
    const second = expect(200, await world.get(`${path}?limit=1&continue=${encodeURIComponent(first.metadata.continue)}`));
    assert.equal(second.metadata.remainingItemCount, 2);
    assert.equal(expect(200, await world.get(path)).items.length, 7);
  });

  test('R2.3-07 with a selector nothing is counted', async () => {
    const namespace = await fill(world, 6);
    const path = world.path('ConfigMap', namespace);
    const byLabel = expect(200, await world.get(`${path}?limit=1&labelSelector=even%3Dtrue`));
    const byField = expect(200, await world.get(`${path}?limit=1&fieldSelector=metadata.name!%3Dc0`));
    for (const list of [byLabel, byField]) {
      assert.ok(list.metadata.continue);
      assert.equal(list.metadata.remainingItemCount, undefined);
    }
  });

  test('R2.3-08 a list in one piece counts nothing', async () => {
    const namespace = await fill(world, 2);
    for (const query of ['', '?limit=2', '?limit=500', '?limit=0']) {
      const { metadata, items } = expect(200, await world.get(`${world.path('ConfigMap', namespace)}${query}`));
      assert.deepEqual([items.length, metadata.continue ?? '', metadata.remainingItemCount], [2, '', undefined]);
    }
  });

  test('R2.3-10 an empty collection has an empty array of items', async () => {
    const namespace = await world.namespace();
    for (const row of KINDS.filter(({ isNamespaced }) => isNamespaced)) {
      assert.deepEqual(expect(200, await world.get(world.path(row.kind, namespace))).items, []);
    }
  });

  test('R2.3-04 R4.3-42 a token that was not made here is refused', async () => {
    const namespace = await fill(world, 1);
    for (const token of ['x', 'AAAA', encodeURIComponent('{"v":1}'), '%00']) {
      expectFailure(400, 'BadRequest', await world.get(`${world.path('ConfigMap', namespace)}?limit=1&continue=${token}`));
    }
  });
});
