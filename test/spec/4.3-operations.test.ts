import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestAnswer, TestJson } from '#testing';
import { KINDS, type KindRow } from './kinds.table.ts';
import { causesOf, everywhere, expect, expectFailure, PLACES } from './world.ts';

/** Kinds whose place in the API is a requirement of its own. */
const PLACED: Readonly<Record<string, string>> = { NetworkPolicy: 'R4.3-13 R4.3-14', DaemonSet: 'R4.3-15 R4.3-16', PriorityClass: 'R4.3-21' };
const ids = ({ kind }: KindRow): string => PLACED[kind] ?? 'R4.3-30';

everywhere(PLACES.withSockets, (world) => {
  for (const row of KINDS) {
    test(`R4.3-02 R4.3-03 R4.3-05 R4.3-06 R4.3-07 R4.3-08 R4.3-27 R4.3-28 ${ids(row)} ${row.kind}: create, get, list, update, patch, delete`, async () => {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const collection = world.path(row.kind, namespace);
      const name = world.fresh('op');
      const item = `${collection}/${name}`;
      const made = expect(201, await world.post(collection, world.object(row.kind, { name })));
      assert.deepEqual(expect(200, await world.get(item)), made);
      const list = expect(200, await world.get(collection));
      // Items of a list say neither kind nor version: the list does.
      assert.deepEqual(list.items.find((one: TestJson) => one.metadata.name === name)?.metadata, made.metadata);
      const updated = expect(200, await world.put(item, { ...made, metadata: { ...made.metadata, labels: { put: 'yes' } } }));
      assert.equal(updated.metadata.labels.put, 'yes');
      const patched = expect(200, await world.patch('merge', item, row.change));
      assert.notEqual(patched.metadata.resourceVersion, updated.metadata.resourceVersion);
      assert.deepEqual(expect(200, await world.get(item)), patched);
      const applied = await world.patch('apply', `${item}-b?fieldManager=m`, world.object(row.kind, { name: `${name}-b` }));
      expect(201, applied);
      for (const end of [item, `${item}-b`]) {
        expect(200, await world.delete(end));
        if (row.kind !== 'Namespace') expectFailure(404, 'NotFound', await world.get(end));
      }
    });
  }

  test('an object cannot be had in the form for other clusters that there once was', async () => {
    const item = `/api/v1/namespaces/${await world.namespace()}`;
    for (const query of ['export=true', 'export=1', 'export']) expectFailure(400, 'BadRequest', await world.get(`${item}?${query}`));
    for (const query of ['export=false', 'export=0']) expect(200, await world.get(`${item}?${query}`));
  });

  for (const row of KINDS.filter(({ kind }) => kind !== 'Namespace')) {
    test(`R4.3-09 ${ids(row)} ${row.kind}: deletecollection${row.isNamespaced ? ' in one namespace' : ''}`, async () => {
      const namespace = row.isNamespaced ? await world.namespace() : '';
      const elsewhere = row.isNamespaced ? await world.namespace() : '';
      const mark = world.fresh('mark');
      for (const name of [world.fresh('dc'), world.fresh('dc')]) await world.make(row.kind, namespace, { name, labels: { mark } });
      const kept = world.fresh('dc');
      await world.make(row.kind, elsewhere, { name: kept, labels: { mark: 'no' } });
      const query = `?labelSelector=mark%3D${mark}`;
      assert.equal(expect(200, await world.get(world.path(row.kind, namespace) + query)).items.length, 2);
      expect(200, await world.delete(world.path(row.kind, namespace) + query));
      assert.deepEqual(expect(200, await world.get(world.path(row.kind, namespace) + query)).items, []);
      expect(200, await world.get(world.path(row.kind, elsewhere, kept)));
    });
  }

  test('R4.3-01 every operation answers 401 to bad credentials', async () => {
    const bad = { authorization: 'Bearer nobody' };
    for (const row of KINDS) {
      const namespace = row.isNamespaced ? 'default' : '';
      const [collection, item] = [world.path(row.kind, namespace), world.path(row.kind, namespace, 'a')];
      for (const [method, path] of [['GET', collection], ['POST', collection], ['DELETE', collection], ['GET', `${collection}?watch=1`], ['GET', item], ['PUT', item], ['PATCH', item], ['DELETE', item]] as const) {
        expectFailure(401, 'Unauthorized', await world.server.request(method, path, undefined, bad));
      }
    }
  });

  test('R4.3-04 R4.3-14 R4.3-16 namespaced kinds are listed across all namespaces', async () => {
    const [one, other] = [await world.namespace(), await world.namespace()];
    for (const row of KINDS.filter(({ isNamespaced }) => isNamespaced)) {
      for (const namespace of [one, other]) await world.make(row.kind, namespace, { name: 'all' });
      const list = expect(200, await world.get(`${world.path(row.kind, '')}?fieldSelector=metadata.name%3Dall`));
      const found = list.items.map((item: TestJson) => item.metadata.namespace);
      for (const namespace of [one, other]) assert.ok(found.includes(namespace));
    }
  });

  test('R4.3-10 R4.3-11 made is 201, changed is 200; a delete answers with what is left', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace, 'a');
    const object = world.object('ConfigMap', { name: 'a', finalizers: ['example.com/f'] });
    assert.equal((await world.patch('apply', `${path}?fieldManager=m`, object)).status, 201);
    assert.equal((await world.patch('apply', `${path}?fieldManager=m`, object)).status, 200);
    assert.equal(expect(200, await world.delete(path)).kind, 'ConfigMap');
    expect(200, await world.patch('merge', path, { metadata: { finalizers: null } }));
    await world.make('ConfigMap', namespace, { name: 'b' });
    assert.equal(expect(200, await world.delete(world.path('ConfigMap', namespace, 'b'))).kind, 'Status');
    await world.make('ConfigMap', namespace, { name: 'c' });
    assert.equal(expect(200, await world.delete(world.path('ConfigMap', namespace))).kind, 'ConfigMapList');
  });

  for (const kind of ['DaemonSet', 'Deployment'] as const) {
    test(`R4.3-17 R4.3-18 R4.3-19 R4.3-20 ${kind}: status is written through status, and nothing else is`, async () => {
      const namespace = await world.namespace();
      const path = world.path(kind, namespace, 'a');
      const made = await world.make(kind, namespace, { name: 'a' }, { ...KINDS.find((one) => one.kind === kind)?.body, status: { observedGeneration: 9 } });
      assert.equal(made.status.observedGeneration, undefined);
      assert.deepEqual(expect(200, await world.get(`${path}/status`)), made);
      const put = expect(200, await world.put(`${path}/status`, { ...made, spec: { ...made.spec, minReadySeconds: 7 }, status: { ...made.status, observedGeneration: 1 } }));
      assert.deepEqual([put.status.observedGeneration, put.spec], [1, made.spec]);
      const patched = expect(200, await world.patch('merge', `${path}/status`, { spec: { minReadySeconds: 7 }, status: { observedGeneration: 2 } }));
      assert.deepEqual([patched.status.observedGeneration, patched.spec], [2, made.spec]);
      const main = expect(200, await world.patch('merge', path, { spec: { minReadySeconds: 8 }, status: { observedGeneration: 3 } }));
      assert.deepEqual([main.status.observedGeneration, main.spec.minReadySeconds], [2, 8]);
    });
  }

  test('R4.3-29 pretty prints over several lines, on every operation', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace, 'a');
    const answers = [
      await world.post(`${world.path('ConfigMap', namespace)}?pretty=true`, world.object('ConfigMap', { name: 'a' })),
      await world.get(`${path}?pretty=true`),
      await world.get(`${world.path('ConfigMap', namespace)}?pretty=true`),
      await world.patch('merge', `${path}?pretty=true`, { data: { x: '1' } }),
      await world.delete(`${path}?pretty=true`),
    ];
    for (const answer of answers) assert.ok(answer.status < 300 && answer.text.startsWith('{\n  "kind"'), answer.text.slice(0, 80));
    assert.equal((await world.get(world.path('ConfigMap', namespace))).text.trim().includes('\n'), false);
  });

  test('what a patch leaves without a version is read as nothing, not even its name; a strategic merge cannot take it away', async () => {
    const path = world.path('ConfigMap', await world.namespace(), 'a');
    expect(201, await world.post(path.slice(0, -2), world.object('ConfigMap', { name: 'a' })));
    const bodies = { merge: { apiVersion: null, data: { a: '1' } }, json: [{ op: 'remove', path: '/apiVersion' }] } as const;
    for (const form of ['merge', 'json'] as const) {
      const { message } = expectFailure(400, 'BadRequest', await world.patch(form, path, bodies[form]));
      assert.match(message, /name must be provided$/, form);
    }
    expect(200, await world.patch('merge', path, { kind: null, data: { a: '2' } }));
    expect(200, await world.patch('strategic', path, { apiVersion: null, kind: null, data: { a: '3' } }));
  });

  test('R4.3-30 R4.3-31 create, update and patch need a body; delete and deletecollection do not', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    await world.make('ConfigMap', namespace, { name: 'a' });
    expectFailure(400, 'BadRequest', await world.post(collection, ''));
    expectFailure(400, 'BadRequest', await world.put(`${collection}/a`, ''));
    for (const form of ['json', 'merge', 'strategic'] as const) expectFailure(400, 'BadRequest', await world.patch(form, `${collection}/a`, ''));
    const apply = await world.patch('apply', `${collection}/a?fieldManager=m`, '');
    assert.ok(apply.status >= 400 && apply.status < 500, apply.text);
    expect(200, await world.delete(`${collection}/a`, ''));
    await world.make('ConfigMap', namespace, { name: 'a' });
    expect(200, await world.delete(collection));
    const held = await world.make('ConfigMap', namespace, { name: 'b' });
    const options = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: 'another' } };
    expectFailure(409, 'Conflict', await world.delete(`${collection}/b`, options));
    for (const [odd, why] of [[{ kind: 'Odd' }, 'no kind "Odd" is registered for version "v1" in scheme "pkg/runtime/scheme.go:100"'], [{ dryRun: 1 }, 'json: cannot unmarshal number into Go struct field DeleteOptions.dryRun of type []string']] as const) {
      assert.equal((await world.delete(`${collection}/b`, { ...options, ...odd })).body.message, why);
    }
    expectFailure(409, 'Conflict', await world.delete(`${collection}/b`, { preconditions: { resourceVersion: '1' } }));
    expect(200, await world.delete(`${collection}/b`, { ...options, preconditions: { uid: held.metadata.uid, resourceVersion: held.metadata.resourceVersion } }));
  });

  test('RX-15 an integer that is written with a fraction is refused, except where values are converted', async () => {
    const namespace = await world.namespace();
    const collection = world.path('Lease', namespace);
    const path = `${collection}/a`;
    const sent = (seconds: string): string => JSON.stringify(world.object('Lease', { name: 'a' })).replace('"holderIdentity":"a"', `"leaseDurationSeconds":${seconds}`);
    const why = 'json: cannot unmarshal number 15.0 into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32';
    const told = (answer: TestAnswer): unknown => answer.body.message;
    assert.equal(told(await world.post(collection, sent('15.0'))), `Lease in version "v1" cannot be handled as a Lease: ${why}`);
    expect(201, await world.post(collection, sent('15')));
    expectFailure(400, 'BadRequest', await world.put(path, sent('15.0')));
    for (const [form, patch] of [['merge', '{"spec":{"leaseDurationSeconds":15.0}}'], ['json', '[{"op":"replace","path":"/spec/leaseDurationSeconds","value":15.0}]']] as const) {
      const { details } = expectFailure(422, 'Invalid', await world.patch(form, path, patch));
      assert.ok((details.causes[0].message as string).endsWith(`: ${why}`), form);
    }
    expect(200, await world.patch('json', path, '[{"op":"test","path":"/spec/leaseDurationSeconds","value":15.0}]'));
    for (const form of ['strategic', 'apply'] as const) {
      const changed = expect(200, await world.patch(form, `${path}?fieldManager=m${form === 'apply' ? '&force=true' : ''}`, sent(form === 'apply' ? '17.0' : '16.0')));
      assert.equal(changed.spec.leaseDurationSeconds, form === 'apply' ? 17 : 16);
    }
    assert.equal(told(await world.delete(path, '{"gracePeriodSeconds":5.0}')), 'json: cannot unmarshal number 5.0 into Go struct field DeleteOptions.gracePeriodSeconds of type int64');
    expect(200, await world.delete(path, '{"gracePeriodSeconds":5}'));
  });

  test('R4.3-32 R4.3-33 dryRun is All or nothing, on every write', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    const made = await world.make('ConfigMap', namespace, { name: 'a' });
    const writes = (query: string) => [
      world.post(collection + query, world.object('ConfigMap', { name: 'b' })),
      world.put(`${collection}/a${query}`, made),
      world.patch('merge', `${collection}/a${query}`, { data: { n: '1' } }),
      world.delete(`${collection}/a${query}`),
      world.delete(collection + query),
    ];
    for (const wrong of ['?dryRun=Some', '?dryRun=all', '?dryRun=true', '?dryRun=All&dryRun=None']) {
      for (const answer of await Promise.all(writes(wrong))) assert.deepEqual(causesOf(expectFailure(422, 'Invalid', answer)), ['FieldValueNotSupported dryRun']);
    }
    for (const answer of await Promise.all(writes('?dryRun=All'))) assert.ok(answer.status < 300, answer.text);
    assert.deepEqual(expect(200, await world.get(collection)).items.length, 1);
    assert.deepEqual(expect(200, await world.get(`${collection}/a`)), made);
  });

  test('a patch that makes no object of the kind is invalid, and is told from what it made or from itself', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace, 'unfit');
    expect(201, await world.post(world.path('ConfigMap', namespace), world.object('ConfigMap', { name: 'unfit' })));
    const told = async (form: 'json' | 'merge' | 'strategic', change: unknown): Promise<string> => {
      const { message, details } = expectFailure(422, 'Invalid', await world.patch(form, path, change));
      assert.deepEqual(details.causes.map(({ field }: TestJson) => field), ['patch']);
      return message;
    };
    assert.equal(await told('strategic', { data: 'x' }), ' "" is invalid: patch: Invalid value: "map[data:x]": cannot restore map from string');
    const misfit = 'json: cannot unmarshal string into Go struct field ConfigMap.data of type map[string]string';
    for (const message of [await told('merge', { data: 'x' }), await told('json', [{ op: 'add', path: '/data', value: 'x' }])]) {
      assert.ok(message.startsWith(' "" is invalid: patch: Invalid value: "{\\"apiVersion\\":\\"v1\\",\\"data\\":\\"x\\",'), message);
      assert.ok(message.endsWith(`}": ${misfit}`), message);
    }
    const operationsOf = (change: object): TestJson[] =>
      Array.isArray(change) ? [{ op: 'replace', path: '', value: change }] : Object.entries(change).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }));
    // Nobody sent the result, so nothing is said of what was sent.
    const noHead = "couldn't get version/kind; json parse error: json: cannot unmarshal";
    for (const [change, why] of [
      [{ apiVersion: 5 }, `${noHead} number into Go struct field .apiVersion of type string`],
      [{ kind: {} }, `${noHead} object into Go struct field .kind of type string`],
      [[], `${noHead} array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }`],
      [{ apiVersion: 'v9' }, 'no kind "ConfigMap" is registered for version "v9" in scheme "pkg/runtime/scheme.go:100"'],
    ] as const) {
      for (const message of [await told('merge', change), await told('json', operationsOf(change))]) assert.ok(message.endsWith(`": ${why}`), message);
    }
  });

  test('R4.3-34 fieldManager names the writer, in create, update and patch', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    const managers = (object: TestJson): string[] => object.metadata.managedFields.map((one: TestJson) => one.manager).sort();
    const made = expect(201, await world.post(`${collection}?fieldManager=one`, world.object('ConfigMap', { name: 'a' })));
    assert.deepEqual(managers(made), ['one']);
    const put = expect(200, await world.put(`${collection}/a?fieldManager=two`, { ...made, data: { ...made.data, b: '1' } }));
    assert.deepEqual(managers(put), ['one', 'two']);
    assert.deepEqual(managers(expect(200, await world.patch('merge', `${collection}/a?fieldManager=three`, { data: { c: '1' } }))), ['one', 'three', 'two']);
    expectFailure(422, 'Invalid', await world.patch('merge', `${collection}/a?fieldManager=${'x'.repeat(129)}`, { data: { d: '1' } }));
  });

  test('R4.3-35 R4.3-36 fieldValidation is accepted and, its gate being off, changes nothing: unknown fields are dropped', async () => {
    const namespace = await world.namespace();
    for (const value of ['Strict', 'Warn', 'Ignore']) {
      const name = value.toLowerCase();
      const made = expect(201, await world.post(`${world.path('ConfigMap', namespace)}?fieldValidation=${value}`, { ...world.object('ConfigMap', { name }), unknown: 1 }));
      assert.equal(made.unknown, undefined);
      expect(200, await world.patch('merge', `${world.path('ConfigMap', namespace, name)}?fieldValidation=${value}`, { unknown: 1 }));
      expect(200, await world.put(`${world.path('ConfigMap', namespace, name)}?fieldValidation=${value}`, { ...made, unknown: 1, metadata: { name } }));
    }
  });

  test('R4.3-37 force takes over what another manager applied; only an apply knows it', async () => {
    const namespace = await world.namespace();
    const path = world.path('ConfigMap', namespace, 'a');
    const apply = (manager: string, value: string, more = '') =>
      world.patch('apply', `${path}?fieldManager=${manager}${more}`, world.object('ConfigMap', { name: 'a' }, { data: { k: value } }));
    expect(201, await apply('one', '1'));
    expectFailure(409, 'Conflict', await apply('two', '2'));
    expectFailure(409, 'Conflict', await apply('two', '2', '&force=false'));
    assert.equal(expect(200, await apply('two', '2', '&force=true')).data.k, '2');
    assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await world.patch('merge', `${path}?force=true`, {}))), ['FieldValueForbidden force']);
  });

  test('R4.3-38 gracePeriodSeconds is read as a whole number on delete and deletecollection', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    await world.make('ConfigMap', namespace, { name: 'a' });
    for (const path of [`${collection}/a`, collection]) expectFailure(400, 'BadRequest', await world.delete(`${path}?gracePeriodSeconds=soon`));
    // Kinds without a grace period go at once.
    expect(200, await world.delete(`${collection}/a?gracePeriodSeconds=30`));
    expectFailure(404, 'NotFound', await world.get(`${collection}/a`));
    await world.make('ConfigMap', namespace, { name: 'b' });
    expect(200, await world.delete(`${collection}?gracePeriodSeconds=0`));
    assert.deepEqual(expect(200, await world.get(collection)).items, []);
  });

  test('R4.3-39 R4.3-40 propagationPolicy: Orphan and Foreground leave a finalizer, Background none, others are refused', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    const remove = async (query: string, body?: object) => {
      const name = world.fresh('p');
      await world.make('ConfigMap', namespace, { name });
      return world.delete(`${collection}/${name}${query}`, body);
    };
    for (const [policy, finalizer] of [['Orphan', 'orphan'], ['Foreground', 'foregroundDeletion']] as const) {
      assert.deepEqual(expect(200, await remove(`?propagationPolicy=${policy}`)).metadata.finalizers, [finalizer]);
      assert.deepEqual(expect(200, await remove('', { propagationPolicy: policy })).metadata.finalizers, [finalizer]);
    }
    assert.equal(expect(200, await remove('?propagationPolicy=Background')).kind, 'Status');
    assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await remove('?propagationPolicy=Sideways'))), ['FieldValueNotSupported propagationPolicy']);
    assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await remove('?propagationPolicy=Orphan&orphanDependents=true'))), ['FieldValueInvalid propagationPolicy']);
    expect(200, await world.delete(`${collection}?propagationPolicy=Orphan`));
    for (const { metadata } of expect(200, await world.get(collection)).items) assert.equal(typeof metadata.deletionTimestamp, 'string');
  });

  test('R4.3-40 who names no policy leaves it to the kind: Jobs and replication controllers leave behind what is theirs, as CronJobs did in the version before, Deployments nothing', async () => {
    const namespace = await world.namespace();
    const template = { metadata: { labels: { a: 'b' } }, spec: { restartPolicy: 'Always', containers: [{ name: 'c', image: 'i' }] } };
    const once = { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } };
    const batch = `/apis/${world.brand.group('batch')}`;
    const cron = { schedule: '0 0 * * *', jobTemplate: { spec: once } };
    const rows = [
      [`/api/v1/namespaces/${namespace}/replicationcontrollers`, { selector: { a: 'b' }, template }, ['orphan']],
      [`/apis/${world.brand.group('apps')}/v1/namespaces/${namespace}/deployments`, { selector: { matchLabels: { a: 'b' } }, template }, undefined],
      [`${batch}/v1/namespaces/${namespace}/jobs`, once, ['orphan']],
      [`${batch}/v1/namespaces/${namespace}/cronjobs`, cron, undefined],
      [`${batch}/v1beta1/namespaces/${namespace}/cronjobs`, cron, ['orphan']],
    ] as const;
    for (const [collection, spec, finalizers] of rows) {
      expect(201, await world.post(collection, { metadata: { name: 'a' }, spec }));
      const left = expect(200, await world.delete(`${collection}/a`));
      assert.deepEqual(left.kind === 'Status' ? undefined : left.metadata.finalizers, finalizers, collection);
    }
  });

  test('an event does not wait for the garbage collector, a dry-run shows what would wait no longer, and a controller of replicas only that it is gone', async () => {
    const namespace = await world.namespace();
    const events = `/api/v1/namespaces/${namespace}/events`;
    const event = (name: string, finalizers: readonly string[]): object => ({ metadata: { name, finalizers }, involvedObject: { namespace } });
    for (const [name, finalizers, after] of [['a', ['orphan'], undefined], ['b', ['foregroundDeletion', 'x.io/f'], ['x.io/f']]] as const) {
      expect(201, await world.post(events, event(name, finalizers)));
      const left = expect(200, await world.delete(`${events}/${name}`));
      assert.deepEqual(left.kind === 'Status' ? undefined : left.metadata.finalizers, after);
    }
    const account = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    expect(201, await world.post(account, { metadata: { name: 'a', finalizers: ['orphan'] } }));
    assert.equal(expect(200, await world.delete(`${account}/a?dryRun=All&propagationPolicy=Background`)).metadata.finalizers, undefined);
    assert.deepEqual(expect(200, await world.get(`${account}/a`)).metadata.finalizers, ['orphan']);
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const controllers = `/api/v1/namespaces/${namespace}/replicationcontrollers`;
    expect(201, await world.post(controllers, { metadata: { name: 'r' }, spec: { selector: { a: 'b' }, template } }));
    assert.equal(expect(200, await world.delete(`${controllers}/r`, { propagationPolicy: 'Background' })).kind, 'Status');
  });

  test('R4.3-42 R4.3-46 limit and continue also cut a deletecollection', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    for (const name of ['a', 'b', 'c']) await world.make('ConfigMap', namespace, { name });
    const first = expect(200, await world.get(`${collection}?limit=1`));
    expect(200, await world.delete(`${collection}?limit=1&continue=${encodeURIComponent(first.metadata.continue)}`));
    const left = expect(200, await world.get(collection)).items.map((one: TestJson) => one.metadata.name);
    assert.deepEqual(left, ['a', 'c']);
    expectFailure(400, 'BadRequest', await world.get(`${collection}?limit=many`));
  });

  test('R4.3-43 R4.3-44 R4.3-45 selectors of labels and fields, for list and deletecollection', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    await world.make('ConfigMap', namespace, { name: 'a', labels: { tier: 'web', app: 'x' } });
    await world.make('ConfigMap', namespace, { name: 'b', labels: { tier: 'db' } });
    await world.make('ConfigMap', namespace, { name: 'c' });
    const names = async (query: string): Promise<string[]> =>
      expect(200, await world.get(`${collection}?${query}`)).items.map((one: TestJson) => one.metadata.name);
    const byLabel: readonly (readonly [string, string[]])[] = [
      ['tier=web', ['a']], ['tier==web', ['a']], ['tier!=web', ['b', 'c']], ['tier', ['a', 'b']], ['!tier', ['c']],
      ['tier in (web,db)', ['a', 'b']], ['tier notin (web)', ['b', 'c']], ['tier=web,app=x', ['a']], ['tier=web,app=y', []],
    ];
    for (const [selector, found] of byLabel) assert.deepEqual(await names(`labelSelector=${encodeURIComponent(selector)}`), found, selector);
    assert.deepEqual(await names('fieldSelector=metadata.name%3Db'), ['b']);
    assert.deepEqual(await names('fieldSelector=metadata.name!%3Db'), ['a', 'c']);
    assert.deepEqual(await names(`fieldSelector=metadata.namespace%3D${namespace}`), ['a', 'b', 'c']);
    assert.deepEqual(await names(`fieldSelector=metadata.name%3Db&labelSelector=tier%3Dweb`), []);
    expectFailure(400, 'BadRequest', await world.get(`${collection}?fieldSelector=data.a%3D1`));
    expectFailure(400, 'BadRequest', await world.get(`${collection}?labelSelector=${encodeURIComponent('a in')}`));
    expect(200, await world.delete(`${collection}?labelSelector=tier%3Dweb`));
    expect(200, await world.delete(`${collection}?fieldSelector=metadata.name%3Dc`));
    assert.deepEqual(await names(''), ['b']);
  });

  test('R4.3-43 R4.3-45 a selector of a name that no object can have finds nothing, and deletes nothing', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    await world.make('ConfigMap', namespace, { name: 'a' });
    for (const name of ['..', 'a/b', 'a\u0001', 'x'.repeat(1100)]) {
      const selected = `${collection}?fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
      assert.deepEqual(expect(200, await world.get(selected)).items, [], name);
      assert.deepEqual(expect(200, await world.delete(selected)).items, [], name);
    }
    assert.equal(expect(200, await world.get(collection)).items.length, 1);
  });

  test('R4.3-47 R4.3-48 resourceVersion for get, list and watch; resourceVersionMatch for list', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    const first = await world.make('ConfigMap', namespace, { name: 'a' });
    const second = await world.make('ConfigMap', namespace, { name: 'b' });
    const version = first.metadata.resourceVersion;
    for (const asked of ['0', version, '']) expect(200, await world.get(`${collection}/a?resourceVersion=${asked}`));
    const exact = expect(200, await world.get(`${collection}?resourceVersion=${version}&resourceVersionMatch=Exact`));
    assert.deepEqual([exact.metadata.resourceVersion, exact.items.length], [version, 1]);
    const newer = expect(200, await world.get(`${collection}?resourceVersion=${version}&resourceVersionMatch=NotOlderThan`));
    assert.equal(newer.items.length, 2);
    const watch = await world.watch(`${collection}?watch=1&resourceVersion=${version}`);
    assert.equal((await watch.next(1))[0].object.metadata.uid, second.metadata.uid);
    await watch.stop();
    const [code, reason] = world.dialect === 'orch' ? ([400, 'BadRequest'] as const) : ([422, 'Invalid'] as const);
    expectFailure(code, reason, await world.get(`${collection}?resourceVersion=${version}&resourceVersionMatch=Newest`));
    expectFailure(code, reason, await world.get(`${collection}?resourceVersionMatch=Exact`));
  });

  test('R4.3-45 selectors are read before options are held against one another, and what is no parameter is left out', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    for (const query of ['labelSelector=a%20b', 'fieldSelector=x', 'fieldSelector=metadata.name%3Da%3Db']) {
      expectFailure(400, 'BadRequest', await world.get(`${collection}?resourceVersionMatch=Exact&${query}`));
    }
    for (const query of ['limit=x;', 'limit=1;labelSelector=%20', 'labelSelector=%zz', '%zz=1&limit=2']) expect(200, await world.get(`${collection}?${query}`));
    expectFailure(400, 'BadRequest', await world.get(`${collection}?limit=x&%zz`));
  });

  test('R4.3-41 R4.3-49 R4.3-50 watch turns a list into a stream that timeoutSeconds ends; bookmarks do nothing to a list', async () => {
    const namespace = await world.namespace();
    const collection = world.path('ConfigMap', namespace);
    await world.make('ConfigMap', namespace, { name: 'a' });
    for (const yes of ['true', '1']) {
      const watch = await world.watch(`${collection}?watch=${yes}`);
      assert.equal((await watch.next(1))[0].type, 'ADDED');
      await watch.stop();
    }
    for (const no of ['false', '0']) assert.equal(expect(200, await world.get(`${collection}?watch=${no}`)).kind, 'ConfigMapList');
    const short = await world.watch(`${collection}?watch=1&timeoutSeconds=1`);
    assert.deepEqual((await short.rest()).map(({ type }) => type), ['ADDED']);
    await (await world.watch(`${collection}?watch=1&timeoutSeconds=-1`)).rest();
    const plain = expect(200, await world.get(collection));
    assert.deepEqual(expect(200, await world.get(`${collection}?allowWatchBookmarks=true&timeoutSeconds=5`)), plain);
    expectFailure(400, 'BadRequest', await world.get(`${collection}?timeoutSeconds=long`));
  });
});
