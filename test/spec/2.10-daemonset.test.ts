import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestJson } from '#testing';
import { causesOf, everywhere, expect, expectFailure, PLACES } from './world.ts';

const labels = { app: 'a' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i:1' }] } };
const spec = (more: object = {}): object => ({ selector: { matchLabels: labels }, template, ...more });
const rolling = (rollingUpdate: object): object => spec({ updateStrategy: { type: 'RollingUpdate', rollingUpdate } });

everywhere(PLACES.withLmdb, (world) => {
  const path = (namespace: string, name = ''): string => world.path('DaemonSet', namespace, name);
  const create = async (namespace: string, body: object, name = 'd') =>
    world.post(path(namespace), world.object('DaemonSet', { name }, { spec: body }));
  const made = async (body: object): Promise<TestJson> => expect(201, await create(await world.namespace(), body));
  const causes = async (body: object): Promise<readonly string[]> => causesOf(expectFailure(422, 'Invalid', await create(await world.namespace(), body)));

  test('R2.10-01 R2.10-34 served in apps/v1, namespaced, with its list kind', async () => {
    const object = await made(spec());
    assert.equal(object.apiVersion, 'apps/v1');
    const list = expect(200, await world.get(path(object.metadata.namespace)));
    assert.deepEqual([list.kind, list.apiVersion, list.items.length], ['DaemonSetList', 'apps/v1', 1]);
  });

  test('R2.10-02 the selector is required', async () => {
    // Kubernetes says it through the template, whose labels no absent selector matches.
    assert.deepEqual(await causes({ template }), ['FieldValueInvalid spec.template.metadata.labels']);
  });

  test('R2.10-03 the selector must match the labels of the template', async () => {
    const other = { ...spec(), selector: { matchLabels: { app: 'other' } } };
    assert.deepEqual(await causes(other), ['FieldValueInvalid spec.template.metadata.labels']);
  });

  test('R2.10-04 R2.10-35 the template is required and validated as a whole pod', async () => {
    assert.ok((await causes({ selector: { matchLabels: labels } })).includes('FieldValueRequired spec.template.spec.containers'));
    const bad = spec({ template: { ...template, spec: { containers: [{ name: 'UPPER', image: '' }], restartPolicy: 'Never' } } });
    const found = await causes(bad);
    for (const cause of [
      'FieldValueInvalid spec.template.spec.containers[0].name',
      'FieldValueRequired spec.template.spec.containers[0].image',
      'FieldValueNotSupported spec.template.spec.restartPolicy',
    ]) assert.ok(found.includes(cause), `${cause} in ${found.join()}`);
    const { restartPolicy, dnsPolicy, terminationGracePeriodSeconds, containers } = (await made(spec())).spec.template.spec;
    assert.deepEqual([restartPolicy, dnsPolicy, terminationGracePeriodSeconds, containers[0].imagePullPolicy], ['Always', 'ClusterFirst', 30, 'IfNotPresent']);
  });

  test('R2.10-08 R2.10-11 R2.10-16 R2.10-19 defaults', async () => {
    const { updateStrategy, revisionHistoryLimit } = (await made(spec())).spec;
    assert.deepEqual(updateStrategy, { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } });
    assert.equal(revisionHistoryLimit, 10);
  });

  test('R2.10-06 R2.10-19 whole numbers of 32 bits', async () => {
    const object = await made(spec({ minReadySeconds: 5, revisionHistoryLimit: 3 }));
    assert.deepEqual([object.spec.minReadySeconds, object.spec.revisionHistoryLimit, (await made(spec())).spec.minReadySeconds ?? 0], [5, 3, 0]);
    const namespace = await world.namespace();
    for (const member of ['minReadySeconds', 'revisionHistoryLimit']) {
      for (const wrong of [2 ** 31, 1.5, '1', true]) expectFailure(400, 'BadRequest', await create(namespace, spec({ [member]: wrong })));
      assert.deepEqual(await causes(spec({ [member]: -1 })), [`FieldValueInvalid spec.${member}`]);
    }
  });

  test('R2.10-07 R2.10-09 the strategies are RollingUpdate and OnDelete', async () => {
    const object = await made(spec({ updateStrategy: { type: 'OnDelete' } }));
    assert.deepEqual(object.spec.updateStrategy, { type: 'OnDelete' });
    assert.deepEqual(await causes(spec({ updateStrategy: { type: 'Recreate' } })), ['FieldValueNotSupported spec.updateStrategy']);
  });

  test('R2.10-10 R2.10-14 R2.10-15 numbers and percentages keep their form', async () => {
    for (const pair of [{ maxSurge: 2, maxUnavailable: 0 }, { maxSurge: '20%', maxUnavailable: 0 }, { maxSurge: 0, maxUnavailable: 3 }, { maxSurge: 0, maxUnavailable: '30%' }]) {
      const object = await made(rolling(pair));
      assert.deepEqual(object.spec.updateStrategy.rollingUpdate, pair);
      const proto = await world.get(path(object.metadata.namespace, 'd'), { accept: world.brand.names.protobuf });
      const put = await world.put(path(object.metadata.namespace, 'd'), Buffer.from(proto.bytes), { 'content-type': world.brand.names.protobuf });
      assert.deepEqual(expect(200, put).spec.updateStrategy.rollingUpdate, pair);
    }
  });

  test('R2.10-12 R2.10-17 R2.10-20 exactly one of maxSurge and maxUnavailable must be other than 0', async () => {
    assert.deepEqual(await causes(rolling({ maxSurge: 0, maxUnavailable: 0 })), ['FieldValueRequired spec.updateStrategy.rollingUpdate.maxUnavailable']);
    assert.deepEqual(await causes(rolling({ maxUnavailable: 0 })), ['FieldValueRequired spec.updateStrategy.rollingUpdate.maxUnavailable']);
    assert.deepEqual(await causes(rolling({ maxSurge: 1, maxUnavailable: 1 })), ['FieldValueInvalid spec.updateStrategy.rollingUpdate.maxSurge']);
  });

  test('R2.10-21 R2.10-22 R2.10-23 R2.10-24 the required counts of the status are always there', async () => {
    assert.deepEqual((await made(spec())).status, { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 });
  });

  test('R2.10-25 R2.10-26 R2.10-27 R2.10-28 R2.10-33 every member of the status is written through status and has its type', async () => {
    const object = await made(spec());
    const status = {
      currentNumberScheduled: 1, numberMisscheduled: 2, desiredNumberScheduled: 3, numberReady: 4, observedGeneration: 1,
      numberAvailable: 5, numberUnavailable: 6, updatedNumberScheduled: 7, collisionCount: 8,
      conditions: [{ type: 'A', status: 'True', lastTransitionTime: '2020-01-01T00:00:00Z', reason: 'R', message: 'm' }, { type: 'B', status: 'Unknown', lastTransitionTime: null }],
    };
    const where = `${path(object.metadata.namespace, 'd')}/status`;
    assert.deepEqual(expect(200, await world.put(where, { ...object, status })).status, status);
    for (const member of ['numberAvailable', 'numberUnavailable', 'updatedNumberScheduled', 'collisionCount', 'numberReady']) {
      expectFailure(422, 'Invalid', await world.patch('merge', where, { status: { [member]: -1 } }));
      for (const wrong of ['1', 1.5, 2 ** 31]) assert.equal((await world.patch('merge', where, { status: { [member]: wrong } })).status, 422, member);
    }
  });

  test('R2.10-30 R2.10-31 R2.10-32 conditions are merged by their type', async () => {
    const object = await made(spec());
    const where = `${path(object.metadata.namespace, 'd')}/status`;
    const send = (status: string, type: string) => world.patch('strategic', where, { status: { conditions: [{ type, status }] } });
    expect(200, await send('True', 'A'));
    expect(200, await send('False', 'B'));
    const last = expect(200, await send('Unknown', 'A'));
    const shown = last.status.conditions.map((one: TestJson) => `${one.type} ${one.status}`).sort();
    assert.deepEqual(shown, ['A Unknown', 'B False']);
    // As in Kubernetes, a patch whose items have no key is a failure of the server.
    assert.equal((await world.patch('strategic', where, { status: { conditions: [{ status: 'True' }] } })).status, 500);
    // An apply that leaves it out means the empty one.
    const applied = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'd' }, status: { conditions: [{ status: 'True' }, {}] } };
    const nameless = await world.patch('apply', `${where}?fieldManager=m`, applied);
    assert.ok(nameless.status >= 400 && nameless.text.includes('type'), nameless.text);
    const { definitions } = expect(200, await world.get('/openapi/v2'));
    const [, condition]: [string, TestJson] = Object.entries<TestJson>(definitions).find(([name]) => name.endsWith('.DaemonSetCondition')) ?? ['', {}];
    assert.deepEqual(condition.required, ['type', 'status']);
  });

  test('R2.10-36 expressions of the selector: In, NotIn, Exists, DoesNotExist', async () => {
    const matchExpressions = [
      { key: 'app', operator: 'In', values: ['a', 'b'] },
      { key: 'app', operator: 'NotIn', values: ['c'] },
      { key: 'app', operator: 'Exists' },
      { key: 'other', operator: 'DoesNotExist' },
    ];
    const object = await made(spec({ selector: { matchExpressions } }));
    assert.deepEqual(object.spec.selector, { matchExpressions });
    for (const [expression, cause] of [
      [{ key: 'app', operator: 'Like', values: ['a'] }, 'FieldValueInvalid spec.selector.matchExpressions[0].operator'],
      [{ key: 'app', operator: 'In' }, 'FieldValueRequired spec.selector.matchExpressions[0].values'],
      [{ key: 'app', operator: 'Exists', values: ['a'] }, 'FieldValueForbidden spec.selector.matchExpressions[0].values'],
    ] as const) {
      const found = await causes(spec({ selector: { matchExpressions: [expression] } }));
      assert.ok(found.includes(cause), `${cause} in ${found.join()}`);
    }
  });
});
