import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causesOf, everywhere, expect, expectFailure, PLACES } from './world.ts';

everywhere(PLACES.both, (world) => {
  const collection = (): string => world.path('PriorityClass', '');
  const create = async (body: object) => world.post(collection(), world.object('PriorityClass', { name: world.fresh('pc') }, body));

  test('R2.11-01 R2.11-10 served in the scheduling group, cluster-scoped, with its list kind', async () => {
    const list = expect(200, await world.get(collection()));
    assert.deepEqual([list.kind, list.apiVersion], ['PriorityClassList', `${world.brand.group('scheduling')}/v1`]);
    const namespaced = collection().replace('/v1/', '/v1/namespaces/default/');
    expectFailure(404, 'NotFound', await world.get(namespaced));
  });

  test('R2.11-02 R2.11-03 R2.11-04 value, description and globalDefault', async () => {
    const made = expect(201, await create({ value: -7, description: 'text', globalDefault: false }));
    assert.deepEqual([made.value, made.description, made.globalDefault ?? false], [-7, 'text', false]);
    for (const wrong of [{ value: '1' }, { value: 1.5 }, { value: 2 ** 31 }, { value: 1, description: 1 }, { value: 1, globalDefault: 'yes' }]) {
      expectFailure(400, 'BadRequest', await create(wrong));
    }
    assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await world.put(`${collection()}/${made.metadata.name}`, { ...made, value: 8 }))), [
      'FieldValueForbidden Value',
    ]);
  });

  test('R2.11-06 there is one default class at most', async () => {
    const first = expect(201, await create({ value: 1, globalDefault: true }));
    const refused = expectFailure(403, 'Forbidden', await create({ value: 2, globalDefault: true }));
    assert.match(refused.message, /already marked as default/);
    expect(200, await world.delete(`${collection()}/${first.metadata.name}`));
    const second = expect(201, await create({ value: 2, globalDefault: true }));
    expect(200, await world.delete(`${collection()}/${second.metadata.name}`));
  });

  test('R2.11-07 R2.11-08 R2.11-09 preemptionPolicy: two values, one of them the default, kept without any gate', async () => {
    assert.equal(expect(201, await create({ value: 1 })).preemptionPolicy, 'PreemptLowerPriority');
    assert.equal(expect(201, await create({ value: 1, preemptionPolicy: 'Never' })).preemptionPolicy, 'Never');
    assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await create({ value: 1, preemptionPolicy: 'Sometimes' }))), [
      'FieldValueNotSupported preemptionPolicy',
    ]);
  });

  test('the classes of the system are not deleted by name, not even when only asked what would be', async () => {
    for (const name of ['system-cluster-critical', 'system-node-critical']) {
      for (const query of ['', '?dryRun=All']) {
        const { message } = expectFailure(403, 'Forbidden', await world.delete(`${collection()}/${name}${query}`));
        assert.equal(message, `priorityclasses.${world.brand.group('scheduling')} "${name}" is forbidden: this is a system priority class and cannot be deleted`);
      }
      expect(200, await world.get(`${collection()}/${name}`));
    }
  });
});
