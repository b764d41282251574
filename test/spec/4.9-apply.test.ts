// Server-side apply as named managers see it: what each sends, what becomes of the object, and who owns which field afterwards.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PatchForm, TestAnswer, TestJson } from '#testing';
import { established } from '../support/definitions.ts';
import { causesOf, everywhere, expect, expectFailure, PLACES, type World } from './world.ts';

/** One object that several managers write. */
class Shared {
  readonly world: World;
  readonly path: string;
  readonly #head: TestJson;

  constructor(world: World, kind: string, namespace: string, name = 'a') {
    this.world = world;
    this.path = world.path(kind, namespace, name);
    this.#head = world.object(kind, { name }, {});
  }

  static async of(world: World, kind: string): Promise<Shared> {
    return new Shared(world, kind, await world.namespace());
  }

  apply(manager: string, body: TestJson, query = ''): Promise<TestAnswer> {
    return this.world.patch('apply', `${this.path}?fieldManager=${manager}${query}`, this.config(body));
  }

  /** What an applier sends. */
  config({ metadata, ...body }: TestJson): TestJson {
    return { ...this.#head, metadata: { ...this.#head.metadata, ...metadata }, ...body };
  }

  patch(form: PatchForm, manager: string, body: unknown): Promise<TestAnswer> {
    return this.world.patch(form, `${this.path}?fieldManager=${manager}`, body);
  }

  async live(): Promise<TestJson> {
    return expect(200, await this.world.get(this.path));
  }

  /** The fields of each entry, by manager and operation. */
  async owners(): Promise<Readonly<Record<string, TestJson>>> {
    return ownersOf(await this.live());
  }
}

const ownersOf = ({ metadata: { managedFields = [] } }: TestJson): Readonly<Record<string, TestJson>> =>
  Object.fromEntries(managedFields.map(({ manager, operation, fieldsV1 }: TestJson) => [`${manager} ${operation}`, fieldsV1]));

const data = (...names: readonly string[]): TestJson => ({ 'f:data': Object.fromEntries(names.map((name) => [`f:${name}`, {}])) });

/** The fields of a conflict, each with who owns it. */
const conflictsOf = (answer: TestAnswer): readonly string[] =>
  expectFailure(409, 'Conflict', answer).details.causes.map(({ reason, field, message }: TestJson) => `${reason} ${field}: ${message}`);

const CONTAINERS = { web: { name: 'web', image: 'web:1' }, log: { name: 'log', image: 'log:1' } };
const workload = (...containers: readonly TestJson[]): TestJson => ({
  spec: { selector: { matchLabels: { app: 'a' } }, template: { metadata: { labels: { app: 'a' } }, spec: { containers } } },
});

everywhere(PLACES.both, (world) => {
  test('R4.9-01 R4.9-02 an apply may be written as YAML or as JSON', async () => {
    const { path } = await Shared.of(world, 'ConfigMap');
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  a: "1"   # a comment\n';
    const made = expect(201, await world.patch('apply', `${path}?fieldManager=ann`, yaml));
    assert.deepEqual([made.data, ownersOf(made)], [{ a: '1' }, { 'ann Apply': data('a') }]);
    const again = expect(200, await world.patch('apply', `${path}?fieldManager=ann`, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"a":"1"}}'));
    assert.deepEqual(again, made);
    expect(200, await world.patch('apply', `${path}?fieldManager=ann`, '{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {a: "2"}}'));
    expectFailure(400, 'BadRequest', await world.patch('apply', `${path}?fieldManager=ann`, 'a: b: c'));
  });

  test('R4.9-03 an apply may leave out what the kind requires, as long as the merged object is valid', async () => {
    const shared = await Shared.of(world, 'Deployment');
    expectFailure(422, 'Invalid', await shared.apply('ann', { spec: { replicas: 2 } }));
    expect(201, await shared.apply('ann', workload(CONTAINERS.web)));
    assert.equal(expect(200, await shared.apply('bob', { spec: { replicas: 2 } })).spec.replicas, 2);
  });

  test('R4.9-04 R4.9-05 R4.9-06 only an apply has to say who applies', async () => {
    const shared = await Shared.of(world, 'ConfigMap');
    const refused = expectFailure(422, 'Invalid', await world.patch('apply', shared.path, shared.config({ data: { a: '1' } })));
    assert.deepEqual(causesOf(refused), ['FieldValueRequired fieldManager']);
    const collection = shared.path.slice(0, -2);
    const agent = { 'user-agent': 'ann/1.0 (linux)' };
    expect(201, await world.post(collection, shared.config({ data: { a: '1' } }), agent));
    expect(200, await world.patch('merge', shared.path, { data: { b: '1' } }, { 'user-agent': 'bob' }));
    assert.deepEqual(await shared.owners(), { 'ann Update': { 'f:data': { '.': {}, 'f:a': {} } }, 'bob Update': data('b') });
    expect(200, await world.put(shared.path, shared.config({ data: { a: '2', b: '1' } }), agent));
  });

  test('R4.9-09 an apply that brings managedFields is refused', async () => {
    const shared = await Shared.of(world, 'ConfigMap');
    expectFailure(400, 'BadRequest', await shared.apply('ann', { metadata: { managedFields: [{ manager: 'ann' }] } }));
  });

  test('R4.9-10 R4.9-11 a conflict names field and owner, and force settles it', async () => {
    const shared = await Shared.of(world, 'ConfigMap');
    expect(201, await shared.apply('ann', { data: { a: '1', b: '1' } }));
    const before = await shared.live();
    const refused = await shared.apply('bob', { data: { a: '2', b: '2' } });
    assert.deepEqual(conflictsOf(refused), ['FieldManagerConflict .data.a: conflict with "ann"', 'FieldManagerConflict .data.b: conflict with "ann"']);
    assert.deepEqual(await shared.live(), before, 'a refused apply stores nothing');
    assert.deepEqual(expect(200, await shared.apply('bob', { data: { a: '2' } }, '&force=true')).data, { a: '2', b: '1' });
    assert.deepEqual(await shared.owners(), { 'ann Apply': data('b'), 'bob Apply': data('a') });
  });

  test('R4.9-12 R4.9-13 R4.9-16 R4.9-17 the other two ways out of a conflict: letting go, and agreeing', async () => {
    const shared = await Shared.of(world, 'ConfigMap');
    expect(201, await shared.apply('ann', { data: { a: '1', b: '1' } }));
    expect(200, await shared.apply('bob', { data: { a: '1', b: '1' } }));
    assert.deepEqual(await shared.owners(), { 'ann Apply': data('a', 'b'), 'bob Apply': data('a', 'b') });
    assert.deepEqual(conflictsOf(await shared.apply('ann', { data: { a: '2', b: '1' } })), ['FieldManagerConflict .data.a: conflict with "bob"']);
    assert.deepEqual(expect(200, await shared.apply('ann', { data: { b: '1' } })).data, { a: '1', b: '1' });
    assert.deepEqual(await shared.owners(), { 'ann Apply': data('b'), 'bob Apply': data('a', 'b') });
  });

  test('R4.9-14 R4.9-15 other writes never conflict and take what they change', async () => {
    for (const form of ['merge', 'json', 'strategic'] as const) {
      const shared = await Shared.of(world, 'ConfigMap');
      expect(201, await shared.apply('ann', { data: { a: '1', b: '1' } }));
      const body = form === 'json' ? [{ op: 'replace', path: '/data/a', value: '2' }] : { data: { a: '2' } };
      expect(200, await shared.patch(form, 'bob', body));
      assert.deepEqual(await shared.owners(), { 'ann Apply': data('b'), 'bob Update': data('a') });
      assert.deepEqual(conflictsOf(await shared.apply('ann', { data: { a: '1', b: '1' } })), [`FieldManagerConflict .data.a: conflict with "bob" using v1`]);
    }
  });

  test('R4.9-18 R4.9-19 R4.9-20 what is no longer applied goes, falls back to its default, or stays with others', async () => {
    const shared = await Shared.of(world, 'Deployment');
    const body = workload(CONTAINERS.web);
    expect(201, await shared.apply('ann', { ...body, spec: { ...body.spec, replicas: 3, minReadySeconds: 5, revisionHistoryLimit: 4 } }));
    expect(200, await shared.apply('bob', { spec: { revisionHistoryLimit: 4 } }));
    const { spec } = expect(200, await shared.apply('ann', body));
    assert.deepEqual([spec.minReadySeconds, spec.replicas, spec.revisionHistoryLimit], [undefined, 1, 4]);
  });

  test('R4.9-21 R4.9-22 R4.9-23 R4.9-24 R4.9-25 one empty entry forgets all owners, whoever sends it', async () => {
    const resets: readonly (readonly [string, (shared: Shared) => Promise<TestAnswer>])[] = [
      ['merge', (shared) => shared.patch('merge', 'bob', { metadata: { managedFields: [{}] } })],
      ['json', (shared) => shared.patch('json', 'bob', [{ op: 'replace', path: '/metadata/managedFields', value: [{}] }])],
      ['update', async (shared) => shared.world.put(`${shared.path}?fieldManager=bob`, shared.config({ metadata: { managedFields: [{}] }, data: { a: '1' } }))],
    ];
    for (const [why, reset] of resets) {
      const shared = await Shared.of(world, 'ConfigMap');
      expect(201, await shared.apply('ann', { data: { a: '1' } }));
      assert.equal(expect(200, await reset(shared)).metadata.managedFields, undefined, why);
    }
    const shared = await Shared.of(world, 'ConfigMap');
    expect(201, await shared.apply('ann', { data: { a: '1' } }));
    expect(200, await world.put(`${shared.path}?fieldManager=bob`, shared.config({ metadata: { managedFields: [] }, data: { a: '1' } })));
    assert.deepEqual(Object.keys(await shared.owners()), ['ann Apply'], 'an empty list is what clients make of none');
    expect(200, await shared.patch('merge', 'bob', { metadata: { managedFields: [{}] }, data: { b: '2' } }));
    assert.deepEqual(await shared.owners(), { 'bob Update': { 'f:data': { 'f:b': {} } } });
  });

  test('R4.9 a version that is none among the owners is the end of them all, as one that is not served is of its own entry', async () => {
    const rows: readonly (readonly [apiVersion: string, owners: readonly string[]])[] = [
      ['a/b/c', []],
      ['other/v1', ['ann Apply', 'bob Update']],
    ];
    for (const [apiVersion, owners] of rows) {
      const shared = await Shared.of(world, 'ConfigMap');
      const { metadata } = expect(201, await shared.apply('ann', { data: { a: '1' } }));
      const stranger = { manager: 'eve', operation: 'Update', apiVersion, fieldsType: 'FieldsV1', fieldsV1: { 'f:data': {} } };
      expect(200, await shared.patch('merge', 'bob', { metadata: { managedFields: [...(metadata.managedFields ?? []), stranger] }, data: { b: '2' } }));
      assert.deepEqual(Object.keys(await shared.owners()), owners, apiVersion);
    }
  });

  test('R4.9 what is one piece for its owners has items that can be told apart, or nobody owns anything', async () => {
    const apiVersion = `${world.brand.group('discovery')}/v1`;
    const path = `/apis/${apiVersion}/namespaces/${await world.namespace()}/endpointslices/a?fieldManager=`;
    const slice = (...addresses: readonly string[]): object => ({ apiVersion, kind: 'EndpointSlice', metadata: { name: 'a' }, addressType: 'IPv4', endpoints: [{ addresses }], ports: [] });
    const refused = await world.patch('apply', `${path}ann`, slice('192.0.2.1', '192.0.2.1'));
    assert.equal(refused.status, 500);
    assert.match(String(refused.body.message), /: \.endpoints\[0\]\.addresses: duplicate entries for key \[="192\.0\.2\.1"\]$/);
    expect(201, await world.patch('apply', `${path}ann`, slice('192.0.2.1')));
    const { metadata } = expect(200, await world.patch('merge', `${path}bob`, slice('192.0.2.2', '192.0.2.2')));
    assert.equal(metadata.managedFields, undefined);
  });

  test('R4.9 all that does not fit the schema is told at once, as the schema has it', async () => {
    const shared = await Shared.of(world, 'Deployment');
    const { status, body } = await shared.apply('ann', { spec: { paused: 'x', replicas: 'y', template: { spec: { nodeName: [], odd: 1, containers: 5 } } } });
    assert.equal(status, 500);
    assert.deepEqual(String(body.message).split('\n').slice(1), [
      '  .spec.paused: expected boolean, got &{x}',
      '  .spec.replicas: expected numeric (int or float), got string',
      '  .spec.template.spec.nodeName: expected string, got &value.valueUnstructured{Value:[]interface {}{}}',
      '  .spec.template.spec.odd: field not declared in schema',
      '  .spec.template.spec.containers: expected list, got &{5}',
    ]);
  });

  test('R4.9 what has no schema may be anything, and is owned as one', async () => {
    const path = `/apis/${world.brand.group('apps')}/v1/namespaces/${await world.namespace()}/controllerrevisions`;
    const head = { apiVersion: `${world.brand.group('apps')}/v1`, kind: 'ControllerRevision', revision: 1 };
    for (const [at, data] of [['a'], true, 'x', 5, { a: { b: [1] } }].entries()) {
      const made = expect(201, await world.patch('apply', `${path}/r${at}?fieldManager=ann`, { ...head, metadata: { name: `r${at}` }, data }));
      assert.deepEqual([made.data, ownersOf(made)], [data, { 'ann Apply': { 'f:data': {}, 'f:revision': {} } }]);
    }
  });

  test('R4.9 values that cannot be read are told after conflicts', async () => {
    const shared = await Shared.of(world, 'ConfigMap');
    expect(201, await shared.apply('ann', { binaryData: { a: 'YQ==' }, data: { b: '1' } }));
    const odd = { binaryData: { c: '*' }, data: { b: '2' } };
    expectFailure(409, 'Conflict', await shared.apply('bob', odd));
    const forced = await shared.patch('apply', 'bob&force=true', shared.config(odd));
    assert.equal(forced.status, 500);
    assert.match(String(forced.body.message), /^failed to convert new object \(.*; \/v1, Kind=ConfigMap\) to proper version: unable to convert unstructured object to \/v1, Kind=ConfigMap: error decoding from json: illegal base64 data at input byte 0$/);
    const listed = await shared.patch('apply', 'bob&force=true', shared.config({ binaryData: { c: [97] } }));
    assert.match(String(listed.body.message), /: \.binaryData\.c: expected string, got /);
  });

  test('R4.9 what an apply or a strategic merge patch sends that its field has no room for is validated as what is left of it', async () => {
    const shared = await Shared.of(world, 'Deployment');
    const said = async (answer: Promise<TestAnswer>): Promise<string> => expectFailure(422, 'Invalid', await answer).details.causes[0].message;
    assert.match(await said(shared.apply('ann', { ...workload(CONTAINERS.web), spec: { ...workload(CONTAINERS.web).spec, replicas: 3_000_000_000 } })), /-1294967296/);
    expect(201, await shared.apply('ann', workload(CONTAINERS.web)));
    assert.match(await said(shared.patch('strategic', 'bob', { spec: { replicas: 3_000_000_000 } })), /-1294967296/);
    assert.match(await said(shared.patch('merge', 'bob', { spec: { replicas: 3_000_000_000 } })), /cannot unmarshal number 3000000000/);
    assert.equal(expect(200, await shared.apply('bob', { spec: { minReadySeconds: 4_294_967_297 } })).spec.minReadySeconds, 1);
  });

  test('R4.9-26 a scale is another object than the one whose replicas it changes', async () => {
    const shared = await Shared.of(world, 'Deployment');
    expect(201, await shared.apply('ann', { ...workload(CONTAINERS.web), spec: { ...workload(CONTAINERS.web).spec, replicas: 1 } }));
    const scale = expect(200, await world.get(`${shared.path}/scale`));
    assert.deepEqual([scale.kind, scale.metadata.managedFields], ['Scale', undefined]);
    expect(200, await world.put(`${shared.path}/scale?fieldManager=bob`, { ...scale, spec: { replicas: 5 } }));
    assert.equal((await shared.live()).spec.replicas, 5);
    const refused = conflictsOf(await shared.apply('ann', { ...workload(CONTAINERS.web), spec: { ...workload(CONTAINERS.web).spec, replicas: 2 } }));
    assert.match(refused.join(), /^FieldManagerConflict \.spec\.replicas: conflict with "bob" with subresource "scale" using /);
  });

  test('R4.3 a scale that is not there is told before what its patch is', async () => {
    const { path } = await Shared.of(world, 'Deployment');
    for (const format of ['apply', 'merge', 'strategic', 'json'] as const) {
      expectFailure(404, 'NotFound', await world.patch(format, `${path}/scale?fieldManager=ann`, 'none'));
    }
  });

  test('R4.9-26 who owned the replicas when a scale is written owns them apart and without a time, appliers as before', async () => {
    const replicated = (replicas: number): TestJson => ({ ...workload(CONTAINERS.web), spec: { ...workload(CONTAINERS.web).spec, replicas } });
    const shared = await Shared.of(world, 'Deployment');
    expect(201, await world.post(`${world.path('Deployment', shared.path.split('/')[5] ?? '')}?fieldManager=cat`, shared.config(replicated(1))));
    expect(200, await shared.apply('ann', { metadata: { labels: { a: 'b' } }, spec: { replicas: 1 } }));
    expect(200, await world.patch('merge', `${shared.path}/scale?fieldManager=bob`, { spec: { replicas: 1 } }));
    const { metadata } = await shared.live();
    const owners = metadata.managedFields.map(({ manager, operation, apiVersion, time, fieldsV1 }: TestJson) => [manager, operation, apiVersion, time !== undefined, Object.keys(fieldsV1['f:spec'])]);
    assert.deepEqual(owners[0], ['ann', 'Apply', 'apps/v1', true, ['f:replicas']]);
    assert.deepEqual(metadata.managedFields[0].fieldsV1['f:metadata'], { 'f:labels': { 'f:a': {} } });
    assert.deepEqual(owners[1], ['cat', 'Update', 'apps/v1', false, ['f:replicas']]);
    assert.deepEqual([owners.length, owners[2][0], owners[2][3], owners[2][4].includes('f:replicas')], [3, 'cat', true, false]);
    const scale = { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 4 } };
    const refused = conflictsOf(await world.patch('apply', `${shared.path}/scale?fieldManager=dan`, scale));
    // Both entries of one updater are called the same, so that the next reader of them finds the second one alone.
    assert.deepEqual(refused, ['FieldManagerConflict .spec.replicas: conflict with "ann"']);
    assert.equal((await world.patch('apply', `${shared.path}/scale?fieldManager=dan`, { ...scale, bogus: 1 })).status, 500);
    expect(200, await world.patch('apply', `${shared.path}/scale?fieldManager=dan&force`, scale));
    assert.deepEqual([(await shared.live()).spec.replicas, Object.keys(await shared.owners())], [4, ['dan Apply', 'ann Apply', 'cat Update']]);
    assert.equal((await world.patch('merge', `${shared.path}/scale`, { metadata: { uid: 'other' } })).status, 409);
  });

  test('who owns in the words of a version that this group does not serve is forgotten', async () => {
    const shared = await Shared.of(world, 'ConfigMap');
    const entry = { manager: 'old', operation: 'Update', apiVersion: 'v9', fieldsType: 'FieldsV1', fieldsV1: data('a') };
    expect(201, await world.post(world.path('ConfigMap', shared.path.split('/')[4] ?? ''), shared.config({ data: { a: '1' } })));
    expect(200, await shared.patch('merge', 'ann', { metadata: { managedFields: [entry] }, data: { b: '1' } }));
    assert.deepEqual(await shared.owners(), { 'ann Update': data('b') });
    // What is no set of fields says nothing, and does not stand in the way.
    expect(200, await shared.patch('merge', 'bob', { metadata: { managedFields: [{ ...entry, apiVersion: 'v1', fieldsV1: 5 }] }, data: { c: '1' } }));
    assert.deepEqual(await shared.owners(), { 'ann Update': data('b'), 'bob Update': data('c') });
  });

  test('events are the same objects in both groups, and who wrote them through one is unknown to the other', async () => {
    const namespace = await world.namespace();
    const core = `/api/v1/namespaces/${namespace}/events`;
    const group = world.brand.group('events');
    const body = { apiVersion: 'v1', kind: 'Event', metadata: { name: 'e' }, involvedObject: { kind: 'Pod', name: 'p', namespace }, reason: 'R', message: 'm' };
    expect(201, await world.post(`${core}?fieldManager=ann`, body));
    const note = await world.patch('merge', `/apis/${group}/v1/namespaces/${namespace}/events/e?fieldManager=bob`, { note: 'n' });
    assert.deepEqual(ownersOf(expect(200, note)), { 'bob Update': { 'f:note': {} } });
    expect(200, await world.patch('merge', `${core}/e?fieldManager=ann`, { message: 'o' }));
    assert.deepEqual(ownersOf(expect(200, await world.get(`${core}/e`))), { 'ann Update': { 'f:message': {} } });
  });

  test('what an apply makes has all defaults, also those that depend on other members', async () => {
    const controllers = `/api/v1/namespaces/${await world.namespace()}/replicationcontrollers`;
    const template = { metadata: { labels: { app: 'a' } }, spec: { containers: [CONTAINERS.web] } };
    const controller = { apiVersion: 'v1', kind: 'ReplicationController', metadata: { name: 'a' }, spec: { template } };
    assert.deepEqual(expect(201, await world.patch('apply', `${controllers}/a?fieldManager=ann`, controller)).metadata.labels, { app: 'a' });
    const group = world.brand.group('rbac');
    const bindings = `/apis/${group}/v1/namespaces/${await world.namespace()}/rolebindings`;
    const roleRef = { kind: 'Role', name: 'r', apiGroup: group };
    const binding = { apiVersion: `${group}/v1`, kind: 'RoleBinding', metadata: { name: 'a' }, roleRef, subjects: [{ kind: 'User', name: 'u' }] };
    const { subjects } = expect(201, await world.patch('apply', `${bindings}/a?fieldManager=ann`, binding));
    assert.deepEqual(subjects, [{ kind: 'User', name: 'u', apiGroup: group }]);
  });

  test('what is said as empty is owned in the version in which it is said, and no conversion says anything in the name of an applier', async () => {
    const namespace = await world.namespace();
    const jobTemplate = { spec: { template: { spec: { restartPolicy: 'Never', containers: [CONTAINERS.web] } } } };
    const at = (version: string, group: string, plural: string): string => `/apis/${group}/${version}/namespaces/${namespace}/${plural}/a`;
    const head = (version: string, group: string, kind: string): TestJson => ({ apiVersion: `${group}/${version}`, kind, metadata: { name: 'a', annotations: {} } });
    const cron = (version: string, manager: string): Promise<TestAnswer> =>
      world.patch('apply', `${at(version, 'batch', 'cronjobs')}?fieldManager=${manager}`, { ...head(version, 'batch', 'CronJob'), spec: { schedule: '* * * * *', jobTemplate } });
    expect(201, await cron('v1beta1', 'ann'));
    const { 'ann Apply': ann } = ownersOf(expect(200, await cron('v1', 'bob')));
    assert.deepEqual(ann?.['f:metadata'], { 'f:annotations': {} });

    const scaler = at('v1', 'autoscaling', 'horizontalpodautoscalers');
    const body = head('v1', 'autoscaling', 'HorizontalPodAutoscaler');
    expect(201, await world.patch('apply', `${scaler}?fieldManager=ann`, { ...body, spec: { maxReplicas: 3, scaleTargetRef: { kind: 'K', name: 'n' } } }));
    const seen = { ...body, metadata: { name: 'a' }, status: { currentReplicas: 1, desiredReplicas: 1, currentCPUUtilizationPercentage: 5 } };
    const shown = expect(200, await world.patch('apply', `${scaler}/status?fieldManager=bob`, seen));
    assert.deepEqual([Object.keys(shown.metadata.annotations).length, shown.status.currentCPUUtilizationPercentage], [1, 5]);
  });

  test('an item whose key has to be there is named by an empty one', async () => {
    const node = new Shared(world, 'DaemonSet', await world.namespace());
    expect(201, await node.apply('ann', workload(CONTAINERS.web)));
    const status = (...conditions: readonly object[]): TestJson => node.config({ status: { conditions } });
    expect(200, await world.patch('apply', `${node.path}/status?fieldManager=bob`, status({ status: 'True' })));
    assert.deepEqual((await node.owners())['bob Apply'], { 'f:status': { 'f:conditions': { 'k:{"type":""}': { '.': {}, 'f:status': {} } } } });
    assert.equal((await world.patch('apply', `${node.path}/status?fieldManager=bob`, status({}, {}))).status, 500);
  });

  test('who applies an object does not own its status, nor who applies status the rest: neither writes what the other path writes', async () => {
    const web = await Shared.of(world, 'Deployment');
    expect(201, await web.apply('ann', { ...workload(CONTAINERS.web), status: { replicas: 7 } }));
    const made = await web.live();
    assert.equal(made.status?.replicas, undefined);
    assert.deepEqual(Object.keys((await web.owners())['ann Apply'] ?? {}), ['f:spec']);
    const status = web.config({ ...workload(CONTAINERS.log), status: { replicas: 7 } });
    expect(200, await world.patch('apply', `${web.path}/status?fieldManager=bob`, status));
    const { spec, status: shown, metadata } = await web.live();
    assert.deepEqual([spec, shown.replicas], [made.spec, 7]);
    const bob = metadata.managedFields.find(({ manager }: TestJson) => manager === 'bob');
    assert.deepEqual([bob.subresource, bob.fieldsV1], ['status', { 'f:status': { 'f:replicas': {} } }]);
  });

  test('R4.9-28 R4.9-33 R4.9-35 the schema says which lists and maps have parts with owners of their own', async () => {
    const { definitions } = expect(200, await world.get('/openapi/v2'));
    const named = (suffix: string): TestJson => definitions[Object.keys(definitions).find((name) => name.endsWith(suffix)) ?? ''];
    const { ports } = named('.core.v1.ServiceSpec').properties;
    assert.deepEqual([ports['x-kubernetes-list-type'], ports['x-kubernetes-list-map-keys']], ['map', ['port', 'protocol']]);
    assert.equal(named('.core.v1.NodeSelector')['x-kubernetes-map-type'], 'atomic');
  });

  test('R4.9-39 a list that strategic merge patch merges by a key has items with owners of their own', async () => {
    const shared = await Shared.of(world, 'Deployment');
    expect(201, await shared.apply('ann', workload(CONTAINERS.web)));
    const both = expect(200, await shared.apply('bob', { spec: { template: { spec: { containers: [CONTAINERS.log] } } } }));
    assert.deepEqual(both.spec.template.spec.containers.map(({ name }: TestJson) => name), ['web', 'log']);
    const changed = { ...CONTAINERS.log, image: 'log:2' };
    assert.deepEqual(conflictsOf(await shared.apply('ann', workload(CONTAINERS.web, changed))), [
      'FieldManagerConflict .spec.template.spec.containers[name="log"].image: conflict with "bob"',
    ]);
    const left = expect(200, await shared.apply('bob', { metadata: { labels: { bob: 'was-here' } } }));
    assert.deepEqual(left.spec.template.spec.containers.map(({ name }: TestJson) => name), ['web']);
  });

  const unphased: readonly (readonly [kind: string, isNamespaced: boolean, spec: object])[] = [
    ['PersistentVolume', false, { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/tmp/x' } }],
    ['PersistentVolumeClaim', true, { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, storageClassName: 's' }],
  ];
  for (const [kind, isNamespaced, spec] of unphased) {
    test(`a ${kind} is stored without a phase and reads as pending: the next write stores the phase, one that changes nothing too, and then none`, async () => {
      const name = world.fresh('volume');
      const all = `/api/v1/${isNamespaced ? `namespaces/${await world.namespace()}/` : ''}${kind.toLowerCase()}s`;
      const path = `${all}/${name}`;
      const chosen = `fieldSelector=metadata.name%3D${name}`;
      const watch = await world.watch(`${all}?watch=1&${chosen}`);
      const volume = { apiVersion: 'v1', kind, metadata: { name }, spec };
      const apply = async (code: number): Promise<TestJson> => expect(code, await world.patch('apply', `${path}?fieldManager=ann`, volume));
      const seen = [await apply(201), expect(200, await world.get(path)), await apply(200), await apply(200), expect(200, await world.get(path))];
      const { items } = expect(200, await world.get(`${all}?${chosen}`));
      const [made, read, second, third, last] = seen.map(({ metadata }) => metadata.resourceVersion as string);
      assert.equal(read, made);
      assert.notEqual(second, made);
      assert.deepEqual([third, last], [second, second]);
      assert.deepEqual(seen[4]?.metadata.managedFields, seen[0]?.metadata.managedFields);
      const events = await watch.next(2);
      await watch.stop();
      for (const { status } of [...seen, ...items, ...events.map(({ object }) => object)]) assert.equal(status.phase, 'Pending');
    });
  }

  test('an apply in another version, or of an object of another name or place, is refused', async () => {
    const shared = await Shared.of(world, 'ConfigMap');
    expectFailure(400, 'BadRequest', await shared.apply('ann', { apiVersion: 'v2' }));
    expectFailure(400, 'BadRequest', await shared.apply('ann', { metadata: { name: 'other' } }));
    expectFailure(400, 'BadRequest', await shared.apply('ann', { metadata: { namespace: 'other' } }));
  });

  test('R4.9-34 keys of a list are for lists of type map', async () => {
    const list = { type: 'array', items: { type: 'object', required: ['k'], properties: { k: { type: 'string' } } }, 'x-kubernetes-list-map-keys': ['k'] };
    const refused = expectFailure(422, 'Invalid', await declare(world, { list }));
    assert.ok(causesOf(refused).some((cause) => /x-kubernetes-list-(type|map-keys)/.test(cause)), refused.message);
    expect(201, await declare(world, { list: { ...list, 'x-kubernetes-list-type': 'map' } }));
  });

  test('R4.9-36 R4.9-37 R4.9-38 an atomic map or object has one owner, a granular one has one for each entry', async () => {
    const strings = { type: 'object', additionalProperties: { type: 'string' } };
    const pair = { type: 'object', properties: { a: { type: 'string' }, b: { type: 'string' } } };
    const custom = await Custom.declared(world, {
      whole: { ...strings, 'x-kubernetes-map-type': 'atomic' },
      parts: { ...strings, 'x-kubernetes-map-type': 'granular' },
      pair: { ...pair, 'x-kubernetes-map-type': 'atomic' },
    });
    expect(201, await custom.apply('ann', { whole: { a: '1' }, parts: { a: '1' }, pair: { a: '1' } }));
    assert.deepEqual(expect(200, await custom.apply('bob', { parts: { b: '1' } })).spec.parts, { a: '1', b: '1' });
    assert.deepEqual(conflictsOf(await custom.apply('bob', { whole: { b: '1' }, pair: { b: '1' } })), [
      'FieldManagerConflict .spec.pair: conflict with "ann"',
      'FieldManagerConflict .spec.whole: conflict with "ann"',
    ]);
    assert.deepEqual(expect(200, await custom.apply('bob', { whole: { b: '1' } }, '&force=true')).spec.whole, { b: '1' });
  });

  test('R4.9-41 R4.9-42 what no schema describes: objects have parts, lists are one piece', async () => {
    const custom = await Custom.declared(world, { free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } });
    expect(201, await custom.apply('ann', { free: { deep: { a: 1 }, list: [{ name: 'x' }] } }));
    assert.deepEqual(expect(200, await custom.apply('bob', { free: { deep: { b: 2 } } })).spec.free.deep, { a: 1, b: 2 });
    assert.deepEqual(conflictsOf(await custom.apply('bob', { free: { list: [{ name: 'y' }] } })), ['FieldManagerConflict .spec.free.list: conflict with "ann"']);
    assert.deepEqual(expect(200, await custom.apply('ann', { free: { list: [{ name: 'x' }] } })).spec.free, { deep: { b: 2 }, list: [{ name: 'x' }] });
  });

  test('R4.9-41 an object inside an object has metadata whose parts have owners of their own', async () => {
    const custom = await Custom.declared(world, { inner: { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } } });
    const inner = { apiVersion: 'a/v1', kind: 'A', metadata: { name: 'x', labels: { one: '1' }, finalizers: ['a/b'] } };
    const made = expect(201, await custom.apply('ann', { inner }));
    const owned = { 'f:apiVersion': {}, 'f:kind': {}, 'f:metadata': { 'f:finalizers': { 'v:"a/b"': {} }, 'f:labels': { 'f:one': {} }, 'f:name': {} } };
    assert.deepEqual(ownersOf(made)['ann Apply']['f:spec'], { 'f:inner': owned });
    const both = expect(200, await custom.apply('bob', { inner: { ...inner, metadata: { labels: { two: '2' }, finalizers: ['c/d'] } } }));
    assert.deepEqual(both.spec.inner.metadata, { name: 'x', labels: { one: '1', two: '2' }, finalizers: ['a/b', 'c/d'] });
  });

  test('R4.9-41 beside what the schema names, members are paths themselves, also those that have members', async () => {
    const custom = await Custom.declared(world, { part: { 'x-kubernetes-preserve-unknown-fields': true, properties: { known: { type: 'object', properties: { a: { type: 'string' } } } } } });
    const made = expect(201, await custom.apply('ann', { part: { known: { a: '1' }, free: { a: { b: '1' } } } }));
    assert.deepEqual(ownersOf(made)['ann Apply']['f:spec'], { 'f:part': { 'f:free': { '.': {}, 'f:a': { '.': {}, 'f:b': {} } }, 'f:known': { 'f:a': {} } } });
  });

  test('R4.9-41 anywhere inside of what preserves the unknown, what is not declared may be applied and is owned, also where it is not kept', async () => {
    const known = { type: 'object', properties: { a: { type: 'string' } } };
    const list = { type: 'array', items: { ...known, required: ['a'] }, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['a'] };
    const properties = { known, list, map: { type: 'object', additionalProperties: known } };
    const custom = await Custom.declared(world, { part: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties }, closed: known });
    const part = { known: { a: '1', b: '2' }, list: [{ a: '1', b: { c: '2' } }], map: { x: { b: '2' } } };
    const made = expect(201, await custom.apply('ann', { part }));
    const owned = { 'f:known': { 'f:a': {}, 'f:b': {} }, 'f:list': { 'k:{"a":"1"}': { '.': {}, 'f:a': {}, 'f:b': { '.': {}, 'f:c': {} } } }, 'f:map': { 'f:x': { '.': {}, 'f:b': {} } } };
    assert.deepEqual(ownersOf(made)['ann Apply']['f:spec'], { 'f:part': owned });
    assert.deepEqual(made.spec, { part: { known: { a: '1' }, list: [{ a: '1' }], map: { x: {} } } });
    assert.match(expect(500, await custom.apply('ann', { closed: { b: '2' } })).message, /\.spec\.closed\.b: field not declared in schema/);
  });

  test('R4.9-11 R4.9-15 R4.9-41 where no schema says what stands there, whoever replaces an object by something else owns what there is now, and nobody what is gone', async () => {
    const custom = await Custom.declared(world, { free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } });
    const x = (below: object): object => ({ 'f:spec': { 'f:free': { 'f:x': below } } });
    const object = x({ '.': {}, 'f:a': {} });
    expect(201, await custom.apply('ann', { free: { x: { a: 1 } } }));
    for (const piece of [5, 'text', [1]]) {
      assert.deepEqual(ownersOf(expect(200, await custom.merge('upd', { free: { x: piece } }))), { 'upd Update': x({}) });
      assert.deepEqual(ownersOf(expect(200, await custom.merge('upd', { free: { x: { a: 1 } } }))), { 'upd Update': object });
      assert.deepEqual(ownersOf(expect(200, await custom.apply('bob', { free: { x: piece } }, '&force=true'))), { 'bob Apply': x({}) });
      assert.deepEqual(ownersOf(expect(200, await custom.apply('ann', { free: { x: { a: 1 } } }, '&force=true'))), { 'ann Apply': object });
    }
  });

  test('R4.9-41 a field that may be anything is owned as what it is: one piece, or the members of an object', async () => {
    const custom = await Custom.declared(world, { free: { 'x-kubernetes-preserve-unknown-fields': true } });
    expect(201, await custom.apply('ann', {}));
    for (const piece of [5, 'text', [1]]) assert.deepEqual(ownersOf(expect(200, await custom.apply('ann', { free: piece }))), { 'ann Apply': { 'f:spec': { 'f:free': {} } } });
    assert.deepEqual(ownersOf(expect(200, await custom.apply('ann', { free: { a: 1 } }))), { 'ann Apply': { 'f:spec': { 'f:free': { 'f:a': {} } } } });
  });

  test('R4.9-18 R4.9-41 null takes nothing away from an object, and an object that gives way to null takes its members along', async () => {
    const custom = await Custom.declared(world, { free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } });
    const x = (below: object): object => ({ 'f:spec': { 'f:free': { 'f:x': below } } });
    expect(201, await custom.apply('ann', { free: { x: { a: 1 } } }));
    const kept = expect(200, await custom.apply('bob', { free: { x: null } }));
    assert.deepEqual([kept.spec, ownersOf(kept)], [{ free: { x: { a: 1 } } }, { 'ann Apply': x({ '.': {}, 'f:a': {} }), 'bob Apply': x({}) }]);
    const gone = expect(200, await custom.patch('json', 'upd', [{ op: 'replace', path: '/spec/free/x', value: null }]));
    assert.deepEqual([gone.spec, ownersOf(gone)], [{ free: { x: null } }, { 'ann Apply': x({}), 'bob Apply': x({}) }]);
  });

  test('R4.9-18 R4.9-41 the metadata of an object inside another may lose all it had', async () => {
    const custom = await Custom.declared(world, { inner: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true } });
    const head = { apiVersion: 'v1', kind: 'Inner' };
    expect(201, await custom.apply('ann', { inner: { ...head, metadata: { name: 'a' } } }));
    expect(200, await custom.apply('bob', { inner: { metadata: { name: 'b' } } }, '&force=true'));
    assert.deepEqual(expect(200, await custom.apply('bob', {})).spec, { inner: head });
    assert.deepEqual(expect(200, await custom.merge('upd', { inner: { metadata: null } })).spec, { inner: head });
    const patched = await custom.patch('json', 'upd', [{ op: 'add', path: '/spec/inner/metadata', value: null }]);
    assert.deepEqual(expect(200, patched).spec, { inner: { ...head, metadata: {} } });
  });

  test('R4.9-18 R4.9-20 who lets go leaves what others own; as in 1.23, an object of which they own only that it is there becomes null', async () => {
    const part = { type: 'object', nullable: true, properties: { a: { type: 'string' } } };
    const custom = await Custom.declared(world, { free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }, part });
    expect(201, await custom.apply('ann', { free: { x: { a: 1, b: 1 }, y: { c: 1 }, z: 1 }, part: { a: '1' } }));
    expect(200, await custom.apply('bob', { free: { x: { b: 1 }, y: {} }, part: {} }));
    const left = expect(200, await custom.apply('ann', {}));
    assert.deepEqual(left.spec, { free: { x: { b: 1 }, y: null }, part: null });
    assert.deepEqual(ownersOf(left)['bob Apply'], { 'f:spec': { 'f:free': { 'f:x': { '.': {}, 'f:b': {} }, 'f:y': {} }, 'f:part': {} } });
  });

  test('R4.9-18 R4.9-32 whole numbers beyond 2^53 tell items apart', async () => {
    const items = { type: 'array', items: { type: 'object', required: ['id'], properties: { id: { type: 'integer' }, v: { type: 'string' } } } };
    const custom = await Custom.declared(world, {
      set: { type: 'array', items: { type: 'integer' }, 'x-kubernetes-list-type': 'set' },
      map: { ...items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'] },
    });
    const [odd, even] = ['9007199254740993', '9007199254740992'];
    const config = (...numbers: readonly string[]): string => `{"set": [${numbers.join()}], "map": [${numbers.map((id) => `{"id": ${id}, "v": "1"}`).join()}]}`;
    expect(201, await custom.applyText('ann', config(odd, even)));
    // The owners come back from the client, as text.
    expect(200, await custom.replaceText('upd', (text) => text.replace(`{"id":${odd},"v":"1"}`, `{"id":${odd},"v":"2"}`)));
    assert.deepEqual(conflictsOf(await custom.applyText('bob', config(odd))), [`FieldManagerConflict .spec.map[id=${odd}].v: conflict with "upd" using ${custom.apiVersion}`]);
    expect(200, await custom.applyText('ann', config(even)));
    assert.match(await custom.text(), new RegExp(`"spec":{"set":\\[${even}\\],"map":\\[{"id":${even},"v":"1"}\\]}`));
  });

  test('R4.9-31 an apply is told where it does not fit the schema of a custom resource, and with what', async () => {
    const text = { type: 'string' };
    const item = { type: 'object', required: ['id'], properties: { id: text, size: { type: 'integer' }, on: { type: 'boolean' }, part: { type: 'object', properties: { a: text } } } };
    const custom = await Custom.declared(world, {
      map: { type: 'array', items: item, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'] },
      set: { type: 'array', items: text, 'x-kubernetes-list-type': 'set' },
      plain: { type: 'array', items: text },
    });
    const rows: readonly (readonly [spec: object, why: string])[] = [
      [{ map: true }, '.spec.map: expected list, got &{true}'],
      [{ map: [{ id: 'a', size: 'x' }] }, '.spec.map[id="a"].size: expected numeric (int or float), got string'],
      [{ map: [{ id: 'a', on: [1] }] }, '.spec.map[id="a"].on: expected boolean, got &{[1]}'],
      [{ map: [{ id: 'a', part: 'x' }] }, '.spec.map[id="a"].part: expected map, got &{x}'],
      [{ map: [{ id: 'a', part: { a: { b: null } } }] }, '.spec.map[id="a"].part.a: expected string, got &value.valueUnstructured{Value:map[string]interface {}{"b":interface {}(nil)}}'],
      [{ map: [{ id: 'a', part: { b: 1 } }] }, '.spec.map[id="a"].part.b: field not declared in schema'],
      [{ map: [{ size: 1 }] }, '.spec.map: element 0: associative list with keys has an element that omits key field "id" (and doesn\'t have default value)'],
      [{ map: [[]] }, '.spec.map: element 0: associative list with keys may not have non-map elements'],
      [{ map: [null] }, '.spec.map: element 0: associative list with keys may not have a null element'],
      [{ set: [1] }, '.spec.set[=1]: expected string, got &value.valueUnstructured{Value:1}'],
      [{ set: [{}] }, ".spec.set: element 0: associative list without keys has an element that's a map type"],
      [{ set: [null] }, ".spec.set: element 0: associative list without keys has an element that's an explicit null"],
      [{ set: [[]] }, '.spec.set: element 0: not supported: associative list with lists as elements'],
      [{ plain: ['a', 1.5] }, '.spec.plain[1]: expected string, got &value.valueUnstructured{Value:1.5}'],
    ];
    for (const [spec, why] of rows) {
      const { status, text: answer } = await custom.apply('ann', spec);
      assert.deepEqual([status, JSON.parse(answer).message], [500, `failed to create typed patch object (/a; ${custom.apiVersion}, Kind=Foo): ${why}`]);
    }
  });

  test('R4.9-31 R4.9-32 what nothing tells apart cannot be applied', async () => {
    const items = { type: 'array', items: { type: 'object', required: ['id'], properties: { id: { type: 'string' }, v: { type: 'string' } } } };
    const custom = await Custom.declared(world, {
      set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
      map: { ...items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['id'] },
    });
    expect(201, await custom.apply('ann', { set: ['a'], map: [{ id: 'a', v: '1' }] }));
    const before = await custom.text();
    for (const spec of [{ map: [{ v: '1' }] }, { map: ['a'] }, { map: [null] }, { set: [{ a: 'b' }] }, { set: [null] }]) {
      const { status, text } = await custom.apply('ann', spec);
      assert.equal(status, 500, `${JSON.stringify(spec)}: ${text}`);
      assert.match(text, /failed to create typed patch object .*spec\.(map|set)/, JSON.stringify(spec));
    }
    assert.equal(await custom.text(), before);
  });

  test('R4.9-32 a key that is null is not left out: the item is known by it, and gets what the kind sets', async () => {
    const shared = await Shared.of(world, 'Deployment');
    const ports = [{ containerPort: 1, protocol: null }, { containerPort: 1, protocol: 'UDP' }, { containerPort: 1 }];
    const made = expect(201, await shared.apply('ann', workload({ ...CONTAINERS.web, ports })));
    const [container] = made.spec.template.spec.containers;
    assert.deepEqual(container.ports.map(({ protocol }: TestJson) => protocol), ['TCP', 'UDP', 'TCP']);
    const { 'k:{"name":"web"}': owned } = ownersOf(made)['ann Apply']['f:spec']['f:template']['f:spec']['f:containers'];
    assert.deepEqual(Object.keys(owned['f:ports']), ['TCP', 'UDP', null].map((protocol) => `k:${JSON.stringify({ containerPort: 1, protocol })}`));
  });

  test('R4.9-24 an empty list of owners in a patch means nothing for a custom resource', async () => {
    const custom = await Custom.declared(world, { a: { type: 'string' } });
    const made = ownersOf(expect(201, await custom.apply('ann', { a: '1' })));
    assert.deepEqual(ownersOf(expect(200, await custom.patch('merge', 'bob', { metadata: { managedFields: [] } }))), made);
    assert.deepEqual(ownersOf(expect(200, await custom.patch('json', 'bob', [{ op: 'replace', path: '/metadata/managedFields', value: [] }]))), made);
    assert.deepEqual(ownersOf(expect(200, await custom.patch('merge', 'bob', { metadata: { managedFields: [{}] } }))), {});
  });

  test('R4.9-43 who owned items of a list that became one piece owns the list', async () => {
    const items = { type: 'string' };
    const custom = await Custom.declared(world, { list: { type: 'array', items, 'x-kubernetes-list-type': 'set' } });
    expect(201, await custom.apply('ann', { list: ['a'] }));
    await custom.change({ list: { type: 'array', items, 'x-kubernetes-list-type': 'atomic' } });
    assert.deepEqual(conflictsOf(await custom.apply('bob', { list: ['b'] })), ['FieldManagerConflict .spec.list: conflict with "ann"']);
  });

  test('R4.9-43 who owned items of a list that became one piece loses it to whoever updates it', async () => {
    const items = { type: 'string' };
    const custom = await Custom.declared(world, { list: { type: 'array', items, 'x-kubernetes-list-type': 'set' }, other: items });
    expect(201, await custom.apply('ann', { list: ['a'] }));
    await custom.change({ list: { type: 'array', items, 'x-kubernetes-list-type': 'atomic' }, other: items });
    const list = { 'f:spec': { 'f:list': {} } };
    assert.deepEqual(ownersOf(expect(200, await custom.merge('upd', { other: 'x' }))), { 'ann Apply': list, 'upd Update': { 'f:spec': { 'f:other': {} } } });
    assert.deepEqual(ownersOf(expect(200, await custom.merge('eve', { list: ['b'] })))['ann Apply'], undefined);
    assert.deepEqual(conflictsOf(await custom.apply('bob', { list: ['c'] })), [`FieldManagerConflict .spec.list: conflict with "eve" using ${custom.apiVersion}`]);
  });

  test('R4.9-44 nobody owns the items of a list that was one piece', async () => {
    const items = { type: 'string' };
    const custom = await Custom.declared(world, { list: { type: 'array', items, 'x-kubernetes-list-type': 'atomic' } });
    expect(201, await custom.apply('ann', { list: ['a'] }));
    await custom.change({ list: { type: 'array', items, 'x-kubernetes-list-type': 'set' } });
    assert.deepEqual(expect(200, await custom.apply('bob', { list: ['b'] })).spec.list, ['a', 'b']);
  });

  test('R4.9-18 R4.9-44 who lets go leaves items alone that others owned as one piece each', async () => {
    const properties = { k: { type: 'string' }, tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' } };
    const listOf = (mapType: string): object => {
      const items = { type: 'object', required: ['k'], properties, 'x-kubernetes-map-type': mapType };
      return { list: { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] }, other: { type: 'string' } };
    };
    const custom = await Custom.declared(world, listOf('atomic'));
    expect(201, await custom.apply('ann', { other: 'x' }));
    const list = [{ k: 'a', tags: [] }, { k: 'b', tags: ['x'] }];
    expect(200, await custom.merge('upd', { list }));
    await custom.change(listOf('granular'));
    assert.deepEqual(expect(200, await custom.apply('ann', {})).spec, { list });
  });
});

const definitionsOf = (world: World): string => `/apis/${world.brand.group('apiextensions')}/v1/customresourcedefinitions`;

const versionOf = (properties: object): object => ({
  name: 'v1',
  served: true,
  storage: true,
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } },
});

/** Declares a kind whose `spec` has these members. */
function declare(world: World, properties: object, group = `${world.fresh('g')}.example.com`): Promise<TestAnswer> {
  return world.post(definitionsOf(world), {
    apiVersion: `${world.brand.group('apiextensions')}/v1`,
    kind: 'CustomResourceDefinition',
    metadata: { name: `foos.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural: 'foos', kind: 'Foo' }, versions: [versionOf(properties)] },
  });
}

/** One object of a declared kind. */
class Custom {
  readonly #world: World;
  readonly #group: string;

  private constructor(world: World, group: string) {
    this.#world = world;
    this.#group = group;
  }

  static async declared(world: World, properties: object): Promise<Custom> {
    const custom = new Custom(world, `${world.fresh('g')}.example.com`);
    expect(201, await declare(world, properties, custom.#group));
    await custom.#settled();
    return custom;
  }

  async change(properties: object): Promise<void> {
    expect(200, await this.#world.patch('merge', this.#definition, { spec: { versions: [versionOf(properties)] } }));
    await this.#settled();
  }

  get apiVersion(): string {
    return `${this.#group}/v1`;
  }

  apply(manager: string, spec: object, query = ''): Promise<TestAnswer> {
    return this.applyText(manager, JSON.stringify(spec), query);
  }

  /** `spec` as JSON, for numbers that we cannot hold. */
  applyText(manager: string, spec: string, query = ''): Promise<TestAnswer> {
    const body = `{"apiVersion": "${this.apiVersion}", "kind": "Foo", "metadata": {"name": "a"}, "spec": ${spec}}`;
    return this.#world.patch('apply', `${this.#path}?fieldManager=${manager}${query}`, body);
  }

  merge(manager: string, spec: object): Promise<TestAnswer> {
    return this.patch('merge', manager, { spec });
  }

  patch(form: PatchForm, manager: string, body: unknown): Promise<TestAnswer> {
    return this.#world.patch(form, `${this.#path}?fieldManager=${manager}`, body);
  }

  async text(): Promise<string> {
    return (await this.#world.get(this.#path)).text;
  }

  async replaceText(manager: string, change: (text: string) => string): Promise<TestAnswer> {
    return this.#world.put(`${this.#path}?fieldManager=${manager}`, change(await this.text()));
  }

  get #path(): string {
    return `/apis/${this.apiVersion}/namespaces/default/foos/a`;
  }

  get #definition(): string {
    return `${definitionsOf(this.#world)}/foos.${this.#group}`;
  }

  /** Waits until the kind is served as it is declared now. */
  async #settled(): Promise<void> {
    await established(this.#world.server, this.#definition);
  }
}
