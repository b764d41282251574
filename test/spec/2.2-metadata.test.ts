import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestAnswer, TestJson } from '#testing';
import { apiVersionOf, KINDS, rowOf } from './kinds.table.ts';
import { causesOf, everywhere, expect, expectFailure, PLACES } from './world.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** How many warnings an answer has. */
const warningsOf = ({ headers }: TestAnswer): number => headers['warning']?.split('299 -').slice(1).length ?? 0;

everywhere(PLACES.withLmdb, (world) => {
  test('R2.2-01 R2.2-04 R2.2-07 name, namespace and time of creation', async () => {
    const namespace = await world.namespace();
    const { metadata } = await world.make('ConfigMap', namespace, { name: 'a', creationTimestamp: '2001-01-01T00:00:00Z' });
    assert.deepEqual([metadata.name, metadata.namespace], ['a', namespace]);
    assert.match(metadata.creationTimestamp, TIME);
    assert.ok(Math.abs(Date.parse(metadata.creationTimestamp) - Date.now()) < 60_000);
    const elsewhere = await world.post(world.path('ConfigMap', namespace), world.object('ConfigMap', { name: 'b', namespace: 'other' }));
    expectFailure(400, 'BadRequest', elsewhere);
  });

  test('R2.2-02 R2.2-03 a generated name begins with generateName and is unique', async () => {
    const namespace = await world.namespace();
    const made = await Promise.all(Array.from({ length: 20 }, () => world.make('ConfigMap', namespace, { generateName: 'pre-' })));
    const names = made.map((one) => one.metadata.name as string);
    for (const name of names) assert.match(name, /^pre-[a-z0-9]{5}$/);
    assert.equal(new Set(names).size, 20);
    assert.equal(made[0].metadata.generateName, 'pre-');
    const named = await world.make('ConfigMap', namespace, { name: 'mine', generateName: 'pre-' });
    assert.equal(named.metadata.name, 'mine');
  });

  test('R2.2-05 R2.2-06 the uid is the server\'s own, and another one after the name is used again', async () => {
    const namespace = await world.namespace();
    const mine = '11111111-2222-4333-8444-555555555555';
    const first = await world.make('ConfigMap', namespace, { name: 'a', uid: mine });
    assert.match(first.metadata.uid, UUID);
    assert.notEqual(first.metadata.uid, mine);
    expect(200, await world.delete(world.path('ConfigMap', namespace, 'a')));
    const second = await world.make('ConfigMap', namespace, { name: 'a' });
    assert.match(second.metadata.uid, UUID);
    assert.notEqual(second.metadata.uid, first.metadata.uid);
  });

  test('R2.2-08 the first delete sets deletionTimestamp to now, a second one does not move it', async () => {
    const namespace = await world.namespace();
    await world.make('ConfigMap', namespace, { name: 'a', finalizers: ['example.com/held'], deletionTimestamp: '2001-01-01T00:00:00Z' });
    const path = world.path('ConfigMap', namespace, 'a');
    assert.equal(expect(200, await world.get(path)).metadata.deletionTimestamp, undefined);
    const first = expect(200, await world.delete(path)).metadata.deletionTimestamp;
    assert.match(first, TIME);
    assert.ok(Math.abs(Date.parse(first) - Date.now()) < 60_000);
    const second = expect(200, await world.delete(path)).metadata.deletionTimestamp;
    assert.ok(second <= first);
  });

  test('R2.2-09 resourceVersion is text that changes with every stored change and only then', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace, 'a');
    const made = await world.make('ConfigMap', namespace, { name: 'a' });
    assert.equal(typeof made.metadata.resourceVersion, 'string');
    const changed = expect(200, await world.patch('merge', path, { data: { b: '1' } }));
    assert.notEqual(changed.metadata.resourceVersion, made.metadata.resourceVersion);
    const same = expect(200, await world.put(path, changed));
    assert.equal(same.metadata.resourceVersion, changed.metadata.resourceVersion);
    assert.equal(expect(200, await world.get(path)).metadata.resourceVersion, changed.metadata.resourceVersion);
    expectFailure(409, 'Conflict', await world.put(path, { ...made, data: { c: '1' } }));
  });

  test('R2.2-10 finalizers are a list that several writers share: strategic patches add and remove single entries', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace, 'a');
    await world.make('ConfigMap', namespace, { name: 'a', finalizers: ['example.com/one'] });
    const two = expect(200, await world.patch('strategic', path, { metadata: { finalizers: ['example.com/two'] } }));
    assert.deepEqual(two.metadata.finalizers.toSorted(), ['example.com/one', 'example.com/two']);
    const less = expect(200, await world.patch('strategic', path, { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/one'] } }));
    assert.deepEqual(less.metadata.finalizers, ['example.com/two']);
  });

  test('R2.2-10 finalizers of an update have domains as those of new objects have, where the kind wants it; names are as the kind wants them', async () => {
    const namespace = await world.namespace();
    const told = (answer: { body: TestJson }): string[] => answer.body.details.causes.map((one: TestJson) => one.field);
    for (const [kind, fields] of [['ConfigMap', ['metadata.finalizers[0]', 'metadata.finalizers[0]']], ['Deployment', ['metadata.finalizers[0]']], ['Lease', undefined]] as const) {
      const made = await world.make(kind, namespace, { name: 'a' });
      const plain = await world.put(world.path(kind, namespace, 'a'), { ...made, metadata: { ...made.metadata, finalizers: ['plain'] } });
      if (fields === undefined) expect(200, plain);
      else assert.deepEqual([plain.status, told(plain)], [422, fields], kind);
    }
    const live = await world.make('ConfigMap', namespace, { name: 'b' });
    const renamed = await world.put(world.path('ConfigMap', namespace, 'b'), { ...live, metadata: { ...live.metadata, generateName: 'a/b' } });
    assert.deepEqual([renamed.status, told(renamed)], [422, ['metadata.generateName', 'metadata.generateName']]);
  });

  for (const [kind, times] of [['ConfigMap', 4], ['DaemonSet', 4], ['Deployment', 3], ['NetworkPolicy', 4]] as const) {
    test(`R2.2-11 a label that is none is told as often as the rules of ${kind} are asked`, async () => {
      const namespace = await world.namespace();
      const made = await world.make(kind, namespace, { name: 'a' });
      const answer = await world.put(world.path(kind, namespace, 'a'), { ...made, metadata: { ...made.metadata, labels: { 'a b': 'x' } } });
      const { causes } = (answer as { body: TestJson }).body.details;
      assert.deepEqual(causes.map((one: TestJson) => one.field), Array.from({ length: times }, () => 'metadata.labels'));
    });
  }

  test('R2.2-13 a write to the status of a Deployment leaves labels alone, and whom they belong to', async () => {
    const namespace = await world.namespace();
    const made = await world.make('Deployment', namespace, { name: 'a', labels: { l: '1' } });
    const path = world.path('Deployment', namespace, 'a');
    const next = expect(200, await world.put(`${path}/status?fieldManager=other`, { ...made, metadata: { ...made.metadata, labels: { l: '2' } } }));
    assert.deepEqual([next.metadata.labels, next.metadata.managedFields], [made.metadata.labels, made.metadata.managedFields]);
  });

  for (const member of ['labels', 'annotations'] as const) {
    test(`R2.2-11 R2.2-12 ${member} are a map of text to text`, async () => {
      const namespace = await world.namespace();
      const value = { 'example.com/a': 'b', empty: '' };
      const made = await world.make('ConfigMap', namespace, { name: member, [member]: value });
      assert.deepEqual(made.metadata[member], value);
      for (const wrong of [{ a: 1 }, { a: true }, { a: {} }, ['a'], 'a']) {
        const answer = await world.post(world.path('ConfigMap', namespace), world.object('ConfigMap', { name: 'wrong', [member]: wrong }));
        expectFailure(400, 'BadRequest', answer);
      }
    });
  }

  test('R2.2-13 R2.2-15 R2.2-16 R2.2-17 R2.2-18 R2.2-19 R2.2-20 every write is kept in managedFields', async () => {
    for (const row of KINDS) {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const name = world.fresh('managed');
      const path = world.path(row.kind, namespace, name);
      const made = expect(201, await world.post(`${world.path(row.kind, namespace)}?fieldManager=maker`, world.object(row.kind, { name, labels: { l: '1' } })));
      const [entry, ...others] = made.metadata.managedFields;
      assert.equal(others.length, 0);
      const { manager, operation, apiVersion, time, fieldsType } = entry;
      assert.deepEqual({ manager, operation, apiVersion, fieldsType }, {
        manager: 'maker',
        operation: 'Update',
        apiVersion: apiVersionOf(world.brand, row),
        fieldsType: 'FieldsV1',
      });
      assert.match(time, TIME);
      assert.equal(typeof entry.fieldsV1, 'object');
      const changed = expect(200, await world.patch('merge', `${path}?fieldManager=changer`, row.change));
      assert.deepEqual(changed.metadata.managedFields.map((one: { manager: string }) => one.manager).sort(), ['changer', 'maker']);
      const applied = await world.patch('apply', `${path}?fieldManager=applier&force=true`, world.object(row.kind, { labels: { l: '2' } }));
      const operations = expect(200, applied).metadata.managedFields.map((one: { manager: string; operation: string }) => `${one.manager} ${one.operation}`);
      assert.ok(operations.includes('applier Apply'), operations.join());
    }
  });

  test('R2.2-21 the field set is nested keys with f: before each name', async () => {
    const namespace = await world.namespace();
    const made = await world.make('ConfigMap', namespace, { name: 'a', labels: { l: '1' } }, { data: { x: '1' } });
    assert.deepEqual(made.metadata.managedFields[0].fieldsV1, {
      'f:data': { '.': {}, 'f:x': {} },
      'f:metadata': { 'f:labels': { '.': {}, 'f:l': {} } },
    });
  });

  test('R2.2-23 items of a keyed list are written k:, values of a set v:, the item itself as a dot', async () => {
    const namespace = await world.namespace();
    const made = await world.make('Deployment', namespace, { name: 'a', finalizers: ['example.com/f'] });
    const fields = made.metadata.managedFields[0].fieldsV1;
    assert.deepEqual(fields['f:metadata']['f:finalizers'], { '.': {}, 'v:"example.com/f"': {} });
    const container = fields['f:spec']['f:template']['f:spec']['f:containers']['k:{"name":"c"}'];
    assert.deepEqual([container['.'], container['f:image'], container['f:name']], [{}, {}, {}]);
    const status = expect(200, await world.patch('merge', `${world.path('Deployment', namespace, 'a')}/status`, { status: { replicas: 1 } }));
    assert.ok(status.metadata.managedFields.some((one: { subresource?: string }) => one.subresource === 'status'));
  });

  test('R2.2-22 an entry of the older form has its set under fields: that member is not kept, and such an entry owns nothing', async () => {
    const namespace = await world.namespace();
    const made = await world.make('ConfigMap', namespace, { name: 'a' }, { data: { a: '1' } });
    const fields = { 'f:data': { 'f:a': {} } };
    const ownersAfter = async (more: object): Promise<string[]> => {
      const entry = { manager: 'old', operation: 'Update', apiVersion: 'v1', time: '2020-01-01T00:00:00Z', fieldsType: 'FieldsV1', ...more };
      const { resourceVersion: _, ...metadata } = made.metadata;
      const next = expect(200, await world.put(world.path('ConfigMap', namespace, 'a'), { ...made, metadata: { ...metadata, managedFields: [entry] } }));
      assert.ok(!JSON.stringify(next).includes('"fields"'));
      return (next.metadata.managedFields ?? []).filter((one: TestJson) => one.fieldsV1?.['f:data']?.['f:a'] !== undefined).map((one: TestJson) => one.manager);
    };
    assert.deepEqual(await ownersAfter({ fields }), []);
    assert.deepEqual(await ownersAfter({ fieldsV1: fields }), ['old']);
  });

  test('R2.2-14 metadata beyond the listed: generation counts changes of the spec, selfLink and clusterName are not kept', async () => {
    const namespace = await world.namespace();
    const sent = { name: 'a', selfLink: '/x', clusterName: 'c', generation: 7, ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' }] };
    const made = await world.make('Deployment', namespace, sent);
    const { selfLink, clusterName, generation, ownerReferences } = made.metadata;
    assert.deepEqual([selfLink, clusterName, generation, ownerReferences], [undefined, undefined, 1, sent.ownerReferences]);
    const path = world.path('Deployment', namespace, 'a');
    assert.equal(expect(200, await world.patch('merge', path, { metadata: { labels: { a: 'b' } } })).metadata.generation, 1);
    assert.equal(expect(200, await world.patch('merge', path, rowOf('Deployment').change)).metadata.generation, 2);
    assert.equal(expect(200, await world.patch('merge', path, { metadata: { annotations: { a: 'b' } } })).metadata.generation, 3);
    const withCpu = async (cpu: string): Promise<TestJson> => {
      const { spec } = expect(200, await world.get(path));
      const containers = spec.template.spec.containers.map((container: TestJson) => ({ ...container, resources: { requests: { cpu } } }));
      return expect(200, await world.patch('merge', path, { spec: { template: { spec: { containers } } } })).metadata.generation;
    };
    assert.deepEqual([await withCpu('1'), await withCpu('1000m'), await withCpu('1001m')], [4, 4, 5]);
    // A kind that counts no changes of itself has no count of a client either.
    const config = await world.make('ConfigMap', namespace, { name: 'a' });
    const settings = world.path('ConfigMap', namespace, 'a');
    const replaced = expect(200, await world.put(settings, { ...config, metadata: { ...config.metadata, ...sent, generation: 7 } }));
    for (const { metadata } of [replaced, expect(200, await world.get(settings))]) {
      assert.deepEqual([metadata.selfLink, metadata.clusterName, metadata.generation, metadata.ownerReferences], [undefined, undefined, undefined, sent.ownerReferences]);
    }
  });

  test('owners that a patch names twice are dropped once admission has seen them, and until then nobody owns anything', async () => {
    const namespace = await world.namespace();
    await world.make('ConfigMap', namespace, { name: 'a' });
    const path = world.path('ConfigMap', namespace, 'a');
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'p', uid: 'u' };
    const elsewhere = await world.patch('merge', path, { metadata: { name: 'b', ownerReferences: [owner, owner] } });
    assert.deepEqual([elsewhere.status, warningsOf(elsewhere)], [400, 0]);
    const patched = await world.patch('merge', path, { metadata: { ownerReferences: [owner, owner] } });
    const { ownerReferences, managedFields } = expect(200, patched).metadata;
    assert.deepEqual([ownerReferences, managedFields, warningsOf(patched)], [[owner], undefined, 1]);
  });

  test('writes of a status do not change the metadata that the kind keeps, and are refused where they change what nobody may', async () => {
    const attachments = `/apis/${world.brand.group('storage')}/v1/volumeattachments`;
    const name = world.fresh('va');
    const spec = { attacher: 'a.example.com', nodeName: 'n', source: { persistentVolumeName: 'p' } };
    expect(201, await world.post(attachments, { metadata: { name }, spec }));
    const causesFor = async (metadata: TestJson): Promise<readonly string[]> =>
      causesOf(expectFailure(422, 'Invalid', await world.patch('merge', `${attachments}/${name}/status`, { metadata })));
    assert.deepEqual(await causesFor({ uid: 'x' }), ['FieldValueInvalid metadata.uid']);
    assert.deepEqual(await causesFor({ deletionGracePeriodSeconds: 5 }), ['FieldValueInvalid metadata.deletionGracePeriodSeconds']);
    const kept = { labels: { 'A B': 'c' }, finalizers: ['bad'], deletionTimestamp: '2020-01-01T00:00:00Z' };
    const { metadata, status } = expect(200, await world.patch('merge', `${attachments}/${name}/status`, { metadata: kept, status: { attached: true } }));
    assert.deepEqual([metadata.labels, metadata.finalizers, metadata.deletionTimestamp, status.attached], [undefined, undefined, undefined, true]);
    expect(200, await world.delete(`${attachments}/${name}`));
  });
});
