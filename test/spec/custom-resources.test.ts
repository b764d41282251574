import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startTestServer, TurnedClock, type TestAnswer, type TestJson, type TestWatch } from '#testing';
import { established, hasCondition, inState } from '../support/definitions.ts';
import { WebhookServer } from '../support/webhook-server.ts';
import { causesOf, everywhere, expect, expectFailure, PLACES, type World } from './world.ts';

const SPEC = { type: 'object', properties: { replicas: { type: 'integer', minimum: 0, maximum: 10 }, s: { type: 'string' } } };
const STATUS = { type: 'object', properties: { replicas: { type: 'integer' }, sel: { type: 'string' } } };
const VERSION = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { spec: SPEC, status: STATUS } } } };
const withSpec = (properties: object): object => ({ ...VERSION, schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } } });

/** A definition in a group of its own, and the ways to its objects. */
class Custom {
  readonly world: World;
  readonly group: string;
  readonly definition: string;
  readonly definitions: string;

  constructor(world: World) {
    this.world = world;
    this.group = `${world.fresh('g')}.example.com`;
    this.definitions = `/apis/${world.brand.group('apiextensions')}/v1/customresourcedefinitions`;
    this.definition = `${this.definitions}/foos.${this.group}`;
  }

  body(spec: object = {}): object {
    const names = { plural: 'foos', kind: 'Foo', shortNames: ['fo'], categories: ['all'] };
    return {
      apiVersion: `${this.world.brand.group('apiextensions')}/v1`,
      kind: 'CustomResourceDefinition',
      metadata: { name: `foos.${this.group}` },
      spec: { group: this.group, scope: 'Namespaced', names, versions: [VERSION], ...spec },
    };
  }

  async declare(spec: object = {}): Promise<void> {
    expect(201, await this.world.post(this.definitions, this.body(spec)));
    await established(this.world.server, this.definition);
  }

  /** Waits for a state of the definition, and until whoever serves it knows of it. */
  until(isReached: (definition: TestJson) => boolean): Promise<TestJson> {
    return inState(this.world.server, this.definition, isReached);
  }

  async change(spec: object): Promise<void> {
    expect(200, await this.world.patch('merge', this.definition, { spec }));
  }

  path(namespace: string, name = '', version = 'v1'): string {
    return `/apis/${this.group}/${version}/namespaces/${namespace}/foos${name === '' ? '' : `/${name}`}`;
  }

  object(name: string, more: object = {}, version = 'v1'): object {
    return { apiVersion: `${this.group}/${version}`, kind: 'Foo', metadata: { name }, ...more };
  }

  async make(namespace: string, name: string, more: object = {}): Promise<TestJson> {
    return expect(201, await this.world.post(this.path(namespace), this.object(name, more)));
  }
}

everywhere(PLACES.both, (world) => {
  test('defaults and choices in a definition have the bytes that they were sent with: operators compare them with their own', async () => {
    const custom = new Custom(world);
    const [sent, choices] = [String.raw`"a \u0026 b"`, String.raw`["\u003c","\u003e=","a \u0026 b"]`];
    const text = JSON.stringify(custom.body({ versions: [withSpec({ s: { type: 'string', default: 1, enum: 2 } })] }));
    expect(201, await world.post(custom.definitions, text.replace('"default":1', `"default":${sent}`).replace('"enum":2', `"enum":${choices}`), { 'content-type': 'application/json' }));
    const read = await world.get(custom.definition);
    assert.ok(read.text.includes(`{"type":"string","default":${sent},"enum":${choices}}`), read.text);
  });

  test('objects of a declared kind are served as all objects are', async () => {
    const custom = new Custom(world);
    const namespace = await world.namespace();
    assert.equal((await world.get(custom.path(namespace))).status, 404);
    await custom.declare();
    const made = await custom.make(namespace, 'a', { spec: { s: 'x', unknown: 1 } });
    assert.deepEqual([made.spec, made.metadata.generation], [{ s: 'x' }, 1]);
    assert.deepEqual(expect(200, await world.get(custom.path(namespace, 'a'))), made);
    const list = expect(200, await world.get(custom.path(namespace)));
    assert.deepEqual([list.kind, list.items[0].kind, list.metadata.continue], ['FooList', 'Foo', '']);
    assert.equal(expect(200, await world.patch('merge', custom.path(namespace, 'a'), { spec: { s: 'y' } })).metadata.generation, 2);
    expectFailure(415, 'UnsupportedMediaType', await world.patch('strategic', custom.path(namespace, 'a'), {}));
    expectFailure(500, 'InternalError', await world.patch('merge', custom.path(namespace, 'a'), { apiVersion: null }));
    expectFailure(500, 'InternalError', await world.post(custom.path(namespace), { kind: 'Foo', metadata: { name: 'b' } }));
    const invalid = expectFailure(422, 'Invalid', await world.post(custom.path(namespace), custom.object('b', { spec: { replicas: 11, s: 5 } })));
    assert.deepEqual(causesOf(invalid), ['FieldValueInvalid spec.replicas', 'FieldValueInvalid spec.s']);
    assert.equal(expect(200, await world.delete(custom.path(namespace, 'a'))).status, 'Success');
  });

  test('what outlived its definition is shown as the next one of that name declares, and not at all in a version that this one does not have', async () => {
    const custom = new Custom(world);
    const namespace = await world.namespace();
    const watch = await world.watch(`${custom.definitions}?watch=1&fieldSelector=metadata.name%3Dfoos.${custom.group}`);
    const text = { type: 'string' };
    const declareAgain = async (spec: object): Promise<void> => {
      expect(200, await world.delete(custom.definition));
      // Whoever does this by hand leaves objects behind.
      expect(200, await world.patch('merge', custom.definition, { metadata: { finalizers: null } }));
      while ((await watch.next(1))[0].type !== 'DELETED');
      await custom.declare(spec);
    };
    await custom.declare({ versions: [withSpec({ a: text, old: text })] });
    const metadata = { finalizers: ['example.com/hold'] };
    expect(201, await world.post(custom.path(namespace), { ...custom.object('x', { spec: { a: '1', old: 'gone' } }), metadata: { name: 'x', ...metadata } }));
    await declareAgain({ versions: [withSpec({ a: text, d: { ...text, default: 'd' } })] });
    await custom.make(namespace, 'y', { spec: { a: '2' } });
    const shown = [{ a: '1', d: 'd' }, { a: '2', d: 'd' }];
    assert.deepEqual(expect(200, await world.get(custom.path(namespace, 'x'))).spec, shown[0]);
    assert.deepEqual(expect(200, await world.get(custom.path(namespace))).items.map(({ spec }: TestJson) => spec), shown);
    await declareAgain({ versions: [{ ...withSpec({ a: text }), name: 'v2' }] });
    const why = `request to convert CR from an invalid group/version: ${custom.group}/v1`;
    for (const answer of [
      await world.get(custom.path(namespace, 'x', 'v2')),
      await world.get(custom.path(namespace, '', 'v2')),
      await world.patch('merge', custom.path(namespace, 'x', 'v2'), { spec: { a: '3' } }),
    ]) assert.equal(expectFailure(500, undefined, answer).message, why);
    await watch.stop();
  });

  test('a definition named after a built-in resource neither hides nor removes its objects', async () => {
    const { brand } = world;
    const [group, plural] = [brand.group('coordination'), 'leases'];
    const definitions = `/apis/${brand.group('apiextensions')}/v1/customresourcedefinitions`;
    const namespace = await world.namespace();
    const objects = `/apis/${group}/v1/namespaces/${namespace}/${plural}`;
    const kept = expect(201, await world.post(objects, { apiVersion: `${group}/v1`, kind: 'Lease', metadata: { name: 'kept' } }));
    const versions = ['v1', 'v7'].map((name) => ({ ...VERSION, name, storage: name === 'v1' }));
    const metadata = { name: `${plural}.${group}`, annotations: { [brand.names.apiApprovedAnnotation]: 'unapproved, a test' } };
    const spec = { group, scope: 'Namespaced', names: { plural, kind: 'Impostor' }, versions };
    expect(201, await world.post(definitions, { apiVersion: `${brand.group('apiextensions')}/v1`, kind: 'CustomResourceDefinition', metadata, spec }));
    const watch = await world.watch(`${definitions}?watch=1&fieldSelector=metadata.name%3D${plural}.${group}`);
    while (!hasCondition((await watch.next(1))[0].object, 'Established'));
    const { resources } = expect(200, await world.get(`/apis/${group}/v1`));
    assert.equal(resources.find(({ name }: TestJson) => name === plural).kind, 'Lease');
    assert.equal((await world.get(`/apis/${group}/v7/${plural}`)).status, 404);
    expect(200, await world.delete(`${definitions}/${plural}.${group}`));
    const events: TestJson[] = [];
    do events.push((await watch.next(1))[0]);
    while (events.at(-1)?.type !== 'DELETED');
    await watch.stop();
    const last = events.at(-1)?.object.status.conditions.find(({ type }: TestJson) => type === 'Terminating');
    assert.deepEqual([last.status, last.reason], ['False', 'OverlappingBuiltInResource']);
    assert.deepEqual(expect(200, await world.get(`${objects}/kept`)), kept);
  });

  test('custom resources are watched by name in all namespaces, and their heads can be asked for alone', async () => {
    const custom = new Custom(world);
    await custom.declare();
    const namespace = await world.namespace();
    for (const name of ['a', 'b']) await custom.make(namespace, name);
    const watch = await world.watch(`/apis/${custom.group}/v1/watch/foos/a?timeoutSeconds=1`);
    assert.deepEqual((await watch.rest()).map(({ type, object }) => [type, object.metadata.name]), [['ADDED', 'a']]);
    const several = await Promise.all(['c', 'd'].map((name) => world.watch(`/apis/${custom.group}/v1/watch/foos/${name}`)));
    for (const name of ['c', 'd', 'c']) await custom.make(name === 'c' ? await world.namespace() : namespace, name);
    const [ofC, ofD] = several as [TestWatch, TestWatch];
    assert.deepEqual([...(await ofC.next(2)), ...(await ofD.next(1))].map(({ object }) => object.metadata.name), ['c', 'c', 'd']);
    await Promise.all(several.map((one) => one.stop()));
    for (const path of [custom.path(namespace), custom.path(namespace, 'a')]) {
      const head = await world.server.request('HEAD', path, undefined);
      assert.deepEqual([head.status, head.text], [200, '']);
    }
    assert.equal((await world.server.request('HEAD', world.path('ConfigMap', namespace), undefined)).status, 405);
  });

  test('an update of a collection of custom resources is told what it lacks', async () => {
    const custom = new Custom(world);
    await custom.declare();
    const nowhere = custom.path('default');
    const refused = [await world.put(nowhere, custom.object('a')), await world.patch('merge', nowhere, {}), await world.patch('apply', `${nowhere}?fieldManager=m`, custom.object('a'))];
    for (const answer of refused) assert.match(expectFailure(400, 'BadRequest', answer).message, /name must be provided/);
    expectFailure(415, 'UnsupportedMediaType', await world.patch('strategic', nowhere, {}));
    expectFailure(405, 'MethodNotAllowed', await world.put(world.path('ConfigMap', 'default'), world.object('ConfigMap', { name: 'a' })));
  });

  test('R4.3 a patch that names another version or kind of a custom resource is told of both, and ignored where it writes the status alone', async () => {
    const custom = new Custom(world);
    await custom.declare({ versions: [{ ...VERSION, subresources: { status: {} } }] });
    const namespace = await world.namespace();
    expect(201, await world.post(custom.path(namespace), custom.object('a')));
    const heads: readonly (readonly [object, readonly string[], string, string])[] = [
      [{ apiVersion: 'other/v1' }, ['FieldValueInvalid apiVersion'], 'Foo', 'other'],
      [{ kind: 'Bar' }, ['FieldValueInvalid kind'], 'Bar', custom.group],
      [{ apiVersion: 'other/v1', kind: 'Bar' }, ['FieldValueInvalid apiVersion', 'FieldValueInvalid kind'], 'Bar', 'other'],
    ];
    for (const [head, fields, kind, group] of heads) {
      const refused = expectFailure(422, 'Invalid', await world.patch('merge', custom.path(namespace, 'a'), head));
      assert.deepEqual(causesOf(refused), fields);
      assert.deepEqual([refused.details?.kind, refused.details?.group, refused.details?.name], [kind, group, 'a']);
      const { kind: kept, apiVersion } = expect(200, await world.patch('merge', `${custom.path(namespace, 'a')}/status`, head));
      assert.deepEqual([kept, apiVersion], ['Foo', `${custom.group}/v1`]);
    }
    const { metadata } = expect(200, await world.get(custom.path(namespace, 'a')));
    expect(200, await world.put(`${custom.path(namespace, 'a')}/status`, { ...custom.object('a'), kind: 'Bar', metadata }));
    expectFailure(400, 'BadRequest', await world.put(`${custom.path(namespace, 'a')}/status`, { ...custom.object('a'), apiVersion: 'other/v1', metadata }));
    const nowhere = expectFailure(422, 'Invalid', await world.patch('merge', custom.path(namespace, 'a'), { apiVersion: 'a/b/c' }));
    assert.deepEqual(causesOf(nowhere), ['FieldValueInvalid patch']);
  });

  test('R4.3 metadata of a custom resource that cannot be read is told before its version or kind, which may be another', async () => {
    const custom = new Custom(world);
    await custom.declare();
    const namespace = await world.namespace();
    const { metadata } = await custom.make(namespace, 'a');
    const why = 'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string';
    const heads = [{ kind: 'Bar' }, { apiVersion: `${custom.group}/v2` }, { apiVersion: `${custom.group}/v2`, kind: 'Bar' }];
    for (const head of heads) {
      const body = { ...custom.object('a'), ...head, metadata: { ...metadata, labels: { x: 1 } } };
      const said = `${head.kind ?? 'Foo'} in version "${head.apiVersion === undefined ? 'v1' : 'v2'}" cannot be handled as a Foo: ${why}`;
      for (const answer of [await world.post(custom.path(namespace), body), await world.put(custom.path(namespace, 'a'), body)]) {
        assert.equal(expectFailure(400, 'BadRequest', answer).message, said);
      }
      const patched = expectFailure(422, 'Invalid', await world.patch('merge', custom.path(namespace, 'a'), { ...head, metadata: { labels: { x: 1 } } }));
      assert.deepEqual(causesOf(patched), ['FieldValueInvalid patch']);
      assert.ok(patched.message.endsWith(`: ${why}`), patched.message);
    }
  });

  test('R4.7 a finalizer of a custom resource needs no domain, as one of a built-in kind does', async () => {
    const custom = new Custom(world);
    await custom.declare();
    const metadata = { finalizers: ['cleanup'] };
    expect(201, await world.post(custom.path('default'), custom.object('a', { metadata: { name: 'a', ...metadata } })));
    expect(201, await world.patch('apply', `${custom.path('default', 'b')}?fieldManager=m`, custom.object('b', { metadata: { name: 'b', ...metadata } })));
    const refused = expectFailure(422, 'Invalid', await world.post(world.path('ConfigMap', 'default'), world.object('ConfigMap', { name: world.fresh('c'), ...metadata })));
    assert.deepEqual(causesOf(refused), ['FieldValueInvalid metadata.finalizers[0]']);
  });

  test('R4.7-07 custom resources have no protobuf form', async () => {
    const custom = new Custom(world);
    await custom.declare();
    const accept = { accept: world.brand.names.protobuf };
    assert.equal((await world.get(custom.path('default'), accept)).status, 406);
    const both = await world.get(custom.path('default'), { accept: `${world.brand.names.protobuf}, application/json` });
    assert.deepEqual([both.status, both.headers['content-type']], [200, 'application/json']);
    assert.equal((await world.post(custom.path('default'), new Uint8Array([0x6b, 0x38, 0x73, 0]), { 'content-type': world.brand.names.protobuf })).status, 400);
  });

  test('R4.7-07 R2.5 the metadata of custom resources has a protobuf form, in answers and in watches, as their scale has none', async () => {
    const custom = new Custom(world);
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    await custom.declare({ versions: [{ ...VERSION, subresources: { status: {}, scale } }] });
    const namespace = await world.namespace();
    await custom.make(namespace, 'a', { metadata: { name: 'a', labels: { seen: 'yes' } }, spec: { replicas: 1 } });
    const as = (kind: string): Record<string, string> => ({ accept: `${world.brand.names.protobuf};as=${kind};g=${world.brand.group('meta')};v=v1` });
    for (const [path, kind] of [[custom.path(namespace, 'a'), 'PartialObjectMetadata'], [custom.path(namespace), 'PartialObjectMetadataList']] as const) {
      const answer = await world.get(path, as(kind));
      assert.deepEqual([answer.status, answer.headers['content-type']], [200, world.brand.names.protobuf]);
      const text = Buffer.from(answer.bytes).toString('latin1');
      assert.ok(text.startsWith('k8s\0') && text.includes(kind) && text.includes('seen'), text);
    }
    assert.equal((await world.get(custom.path(namespace), as('Table'))).status, 406);
    assert.equal((await world.get(`${custom.path(namespace, 'a')}/scale`, { accept: world.brand.names.protobuf })).status, 406);
    assert.equal((await world.get(`${custom.path(namespace, 'a')}/status`, { accept: world.brand.names.protobuf })).status, 406);
  });

  test('R4.1 a declared kind in the wrong scope is no path at all', async () => {
    const custom = new Custom(world);
    await custom.declare();
    const all = `/apis/${custom.group}/v1/foos`;
    expect(200, await world.get(all));
    for (const answer of [await world.get(`${all}/a`), await world.get(`${all}/a/status`), await world.post(all, custom.object('a')), await world.delete(all)]) {
      assert.deepEqual([answer.status, answer.text], [404, '404 page not found\n']);
    }
  });

  test('R4.2 a report of the status answers for types and replicas of the status, not for what items have in common', async () => {
    const custom = new Custom(world);
    const conditions = { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'], items: { type: 'object', required: ['type'], properties: { type: { type: 'string' } } } };
    const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: open, status: { ...open, properties: { conditions } } } } };
    const scale = { specReplicasPath: '.spec.size.now', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.selector' };
    await custom.declare({ versions: [{ ...VERSION, schema, subresources: { status: {}, scale } }] });
    const namespace = await world.namespace();
    await custom.make(namespace, 'a', { spec: { size: { now: 1 } } });
    const path = custom.path(namespace, 'a');
    const twice = { status: { conditions: [{ type: 'x' }, { type: 'x' }] } };
    assert.equal(expect(200, await world.patch('merge', `${path}/status`, twice)).status.conditions.length, 2);
    expect(200, await world.patch('merge', path, { spec: { other: true } }));
    const wrong = expectFailure(422, 'Invalid', await world.patch('merge', `${path}/status`, { status: { replicas: 'x', selector: [1] } }));
    assert.deepEqual(wrong.details.causes.map(({ message }: TestJson) => message), [
      'Invalid value: 0: .status.replicas accessor error: x is of the type string, expected int64',
      'Invalid value: "": .status.selector accessor error: [1] is of the type []interface {}, expected string',
    ]);
    for (const [spec, why] of [
      [{ size: 5 }, '.spec.size.now accessor error: 5 is of the type int64, expected map[string]interface{}'],
      [{ size: { now: 1.5 } }, '.spec.size.now accessor error: 1.5 is of the type float64, expected int64'],
    ] as const) {
      const refused = expectFailure(422, 'Invalid', await world.post(custom.path(namespace), custom.object('b', { spec })));
      assert.deepEqual(refused.details.causes, [{ reason: 'FieldValueInvalid', message: `Invalid value: 0: ${why}`, field: '.spec.size.now' }]);
    }
  });

  test('R4.1 discovery and OpenAPI list what is declared as long as it is', async () => {
    const custom = new Custom(world);
    await custom.declare({ versions: [{ ...VERSION, subresources: { status: {} } }] });
    const group = expect(200, await world.get(`/apis/${custom.group}`));
    assert.deepEqual(group.versions.map((one: TestJson) => one.version), ['v1']);
    const { resources } = expect(200, await world.get(`/apis/${custom.group}/v1`));
    assert.deepEqual(resources.map((one: TestJson) => [one.name, one.singularName, one.shortNames ?? []]), [['foos', 'foo', ['fo']], ['foos/status', '', []]]);
    const name = `${custom.group.split('.').reverse().join('.')}.v1.Foo`;
    const { definitions, paths } = expect(200, await world.get('/openapi/v2'));
    assert.deepEqual(definitions[name].properties.spec.properties.s, { type: 'string' });
    assert.ok(`/apis/${custom.group}/v1/namespaces/{namespace}/foos/{name}/status` in paths);
    for (const path of [`/apis/${custom.group}/`, `/apis/${custom.group}/v1/`]) assert.equal(path in paths, false);
    const all = paths[`/apis/${custom.group}/v1/namespaces/{namespace}/foos`];
    const texts = ['application/json', 'application/yaml'];
    for (const method of ['get', 'post', 'delete']) assert.deepEqual([all[method].consumes, all[method].produces], [texts, texts]);
    assert.equal(all.delete.parameters.some((one: TestJson) => one.in === 'body'), false);
    const patches = ['json-patch+json', 'merge-patch+json', 'apply-patch+yaml'].map((type) => `application/${type}`);
    assert.deepEqual(paths[`/apis/${custom.group}/v1/namespaces/{namespace}/foos/{name}`].patch.consumes, patches);
    const everywhere = definitions['io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions']['x-kubernetes-group-version-kind'];
    assert.equal(everywhere.some((one: TestJson) => one.group === custom.group), false);
    const watch = await world.watch(`${custom.definitions}?watch=1&fieldSelector=metadata.name%3Dfoos.${custom.group}`);
    expect(200, await world.delete(custom.definition));
    let event: TestJson;
    do [event] = await watch.next(1);
    while (event.type !== 'DELETED');
    await watch.stop();
    await new Custom(world).declare();
    assert.equal((await world.get(`/apis/${custom.group}`)).status, 404);
    assert.equal(name in expect(200, await world.get('/openapi/v2')).definitions, false);
  });

  test('however many watch a kind, nobody is warned of a leak', async () => {
    const custom = new Custom(world);
    await custom.declare();
    const warnings: string[] = [];
    const warned = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', warned);
    const watches = await Promise.all(Array.from({ length: 12 }, () => world.watch(`${custom.path('default')}?watch=1`)));
    for (const watch of watches) await watch.stop();
    process.off('warning', warned);
    assert.ok(!warnings.includes('MaxListenersExceededWarning'), warnings.join());
  });

  test('two definitions do not get the same names', async () => {
    const first = new Custom(world);
    await first.declare();
    const names = { plural: 'bars', singular: 'foo', kind: 'Foo', listKind: 'BarList' };
    const body = { ...first.body({ names }), metadata: { name: `bars.${first.group}` } };
    expect(201, await world.post(first.definitions, body));
    const watch = await world.watch(`${first.definitions}?watch=1&fieldSelector=metadata.name%3Dbars.${first.group}`);
    const told = (one: TestJson): readonly string[] => (one.object.status.conditions ?? []).map((condition: TestJson) => `${condition.type} ${condition.status} ${condition.reason}`);
    let event: TestJson;
    do [event] = await watch.next(1);
    while (told(event).length === 0);
    assert.deepEqual(told(event), ['NamesAccepted False KindConflict', 'Established False NotAccepted']);
    assert.equal((await world.get(`/apis/${first.group}/v1/bars`)).status, 404);
    expect(200, await world.delete(first.definition));
    do [event] = await watch.next(1);
    while (!told(event).includes('Established True InitialNamesAccepted'));
    await watch.stop();
  });

  test('a null that is applied is judged, where one that is sent with the whole object is nothing', async () => {
    const custom = new Custom(world);
    await custom.declare({ versions: [withSpec({ count: { type: 'integer' }, size: { type: 'integer', default: 3 } })] });
    const namespace = await world.namespace();
    const path = custom.path(namespace, 'a');
    assert.deepEqual(expect(201, await world.post(custom.path(namespace), custom.object('a', { spec: { count: null, size: null } }))).spec, { size: 3 });
    const apply = (spec: object): ReturnType<typeof world.patch> => world.patch('apply', `${path}?fieldManager=m&force=true`, custom.object('a', { spec }));
    assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await apply({ count: null }))), ['FieldValueInvalid spec.count']);
    assert.deepEqual(expect(200, await apply({ size: null })).spec, { size: 3 });
  });

  test('a new object has the status that is there by default, whatever it brings', async () => {
    const custom = new Custom(world);
    const status = { type: 'object', properties: { seen: { type: 'integer' } }, default: { seen: -1 } };
    await custom.declare({ versions: [{ ...withSpec({}), subresources: { status: {} }, schema: { openAPIV3Schema: { type: 'object', properties: { status } } } }] });
    const namespace = await world.namespace();
    const made = expect(201, await world.post(custom.path(namespace), custom.object('a', { status: { seen: 5 } })));
    assert.deepEqual(made.status, { seen: -1 });
    assert.deepEqual(expect(200, await world.get(custom.path(namespace, 'a'))).status, { seen: -1 });
    assert.deepEqual(expect(200, await world.get(custom.path(namespace))).items[0].status, { seen: -1 });
  });

  test('a definition goes also where what it stores is no version that it declares any more', async () => {
    const custom = new Custom(world);
    await custom.declare();
    expect(200, await world.patch('merge', `${custom.definition}/status`, { status: { storedVersions: ['gone'] } }));
    const watch = await world.watch(`${custom.definitions}?watch=1&fieldSelector=metadata.name%3Dfoos.${custom.group}`);
    expect(200, await world.delete(custom.definition));
    for (let [event] = await watch.next(1); event.type !== 'DELETED'; [event] = await watch.next(1)) assert.notEqual(event.type, 'ERROR');
    await watch.stop();
    expectFailure(404, 'NotFound', await world.get(custom.definition));
  });

  test('an object that does not say its replicas can be told them', async () => {
    const custom = new Custom(world);
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    await custom.declare({ versions: [{ ...withSpec({ replicas: { type: 'integer' } }), subresources: { scale } }] });
    const namespace = await world.namespace();
    expect(201, await world.post(custom.path(namespace), custom.object('a', { spec: {} })));
    const path = `${custom.path(namespace, 'a')}/scale`;
    // No more than the object has its scale a strategic merge, or an apply.
    expectFailure(415, 'UnsupportedMediaType', await world.patch('strategic', path, { spec: { replicas: 1 } }));
    const absent = `${custom.path(namespace, 'absent')}/scale?fieldManager=m`;
    expectFailure(404, 'NotFound', await world.patch('apply', absent, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'absent' }, spec: { replicas: 1 } }));
    expectFailure(500, 'InternalError', await world.get(path));
    const refused = expectFailure(400, 'BadRequest', await world.patch('merge', path, { metadata: {} }));
    assert.equal(refused.message, 'the spec replicas field ".spec.replicas" cannot be empty');
    assert.deepEqual(expect(200, await world.patch('merge', path, { spec: { replicas: 4 } })).spec, { replicas: 4 });
    expect(200, await world.get(path));
  });

  test('no replicas can be set in a null, which is told without a reason', async () => {
    const custom = new Custom(world);
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    const spec = { type: 'object', nullable: true, properties: { replicas: { type: 'integer' } } };
    await custom.declare({ versions: [{ ...VERSION, schema: { openAPIV3Schema: { type: 'object', properties: { spec } } }, subresources: { scale } }] });
    const namespace = await world.namespace();
    expect(201, await world.post(custom.path(namespace), custom.object('a', { spec: null })));
    const refused = await world.patch('merge', `${custom.path(namespace, 'a')}/scale`, { spec: { replicas: 4 } });
    const { reason, details } = JSON.parse(refused.text) as TestJson;
    assert.deepEqual([refused.status, reason, details], [500, undefined, undefined]);
  });

  test('R4.2 replicas that the schema does not know are not kept, and the write is answered all the same', async () => {
    const custom = new Custom(world);
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    await custom.declare({ versions: [{ ...withSpec({ size: { type: 'integer' } }), subresources: { scale } }] });
    const namespace = await world.namespace();
    await custom.make(namespace, 'a', { spec: { size: 1 } });
    const path = custom.path(namespace, 'a');
    assert.deepEqual(expect(200, await world.patch('merge', `${path}/scale`, { spec: { replicas: 4 } })).spec, {});
    assert.deepEqual(expect(200, await world.get(path)).spec, { size: 1 });
  });

  test('R4.2 replicas of an object that had no spec bring the defaults of the spec along', async () => {
    const custom = new Custom(world);
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    await custom.declare({ versions: [{ ...withSpec({ replicas: { type: 'integer' }, size: { type: 'integer', default: 7 } }), subresources: { scale } }] });
    const namespace = await world.namespace();
    await custom.make(namespace, 'a', { spec: undefined });
    const path = custom.path(namespace, 'a');
    expect(200, await world.patch('merge', `${path}/scale`, { spec: { replicas: 4 } }));
    assert.deepEqual(expect(200, await world.get(path)).spec, { replicas: 4, size: 7 });
  });

  test('R4.9-08 whoever applies the status of a custom resource owns what else it says, but for the spec', async () => {
    const custom = new Custom(world);
    await custom.declare({ versions: [{ ...VERSION, schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } }, subresources: { status: {} } }] });
    const namespace = await world.namespace();
    const made = await custom.make(namespace, 'a', { spec: { a: 1 }, other: 1 });
    const config = { apiVersion: made.apiVersion, kind: made.kind, metadata: { name: 'a' }, spec: { a: 1 }, other: 1, status: { seen: 1 } };
    const { managedFields } = expect(200, await world.patch('apply', `${custom.path(namespace, 'a')}/status?fieldManager=m`, config)).metadata;
    const mine = managedFields.find(({ manager }: TestJson) => manager === 'm');
    assert.deepEqual([mine.subresource, mine.fieldsV1], ['status', { 'f:other': {}, 'f:status': { '.': {}, 'f:seen': {} } }]);
  });

  test('R4.9 what a write of a part cannot change is not compared in the version of the request, and is in the others', async () => {
    const custom = new Custom(world);
    await custom.declare({ versions: [{ ...VERSION, subresources: { status: {} } }, { ...VERSION, name: 'v2', storage: false, subresources: { status: {} } }] });
    const namespace = await world.namespace();
    const applied = (version: string, name: string, path: string, spec: object): Promise<TestAnswer> =>
      world.patch('apply', `/apis/${custom.group}/${version}/namespaces/${namespace}/foos/${path}`, { apiVersion: `${custom.group}/${version}`, kind: 'Foo', metadata: { name }, spec });
    const writes: readonly (readonly [version: string, code: number, left: number])[] = [
      ['v1', 200, 1],
      ['v2', 409, 0],
    ];
    for (const [version, code, left] of writes) {
      expect(201, await applied(version, version, `${version}?fieldManager=ann`, { s: 'x' }));
      const status = `${custom.path(namespace, version)}/status`;
      assert.equal((await applied('v1', version, `${version}/status?fieldManager=bob`, { s: 'y' })).status, code, version);
      const { managedFields = [], generation } = expect(200, await world.patch('merge', `${status}?fieldManager=bob`, { spec: null })).metadata;
      assert.deepEqual([managedFields.length, generation], [left, 1], version);
    }
  });

  test('R4.9 a null that is applied conflicts with the owner of the field, whichever version either uses', async () => {
    const custom = new Custom(world);
    await custom.declare({ versions: [VERSION, { ...VERSION, name: 'v2', storage: false }] });
    const namespace = await world.namespace();
    const applied = (manager: string, version: string, s: string | null): Promise<TestAnswer> => {
      const path = `/apis/${custom.group}/${version}/namespaces/${namespace}/foos/a?fieldManager=${manager}`;
      return world.patch('apply', path, { apiVersion: `${custom.group}/${version}`, kind: 'Foo', metadata: { name: 'a' }, spec: { s } });
    };
    expect(201, await applied('ann', 'v1', 'x'));
    for (const version of ['v1', 'v2']) {
      assert.deepEqual(causesOf(expectFailure(409, 'Conflict', await applied('bob', version, null))), ['FieldManagerConflict .spec.s'], version);
    }
  });

  test('R4.9 nobody owns anything of a custom resource after a write that said what is none of its type, though that part is not written', async () => {
    const custom = new Custom(world);
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { a: { type: 'integer' } } }, status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } } };
    await custom.declare({ versions: [{ ...VERSION, schema, subresources: { status: {} } }] });
    const namespace = await world.namespace();
    const made = await custom.make(namespace, 'a', { spec: { a: 1 } });
    assert.equal(made.metadata.managedFields.length, 1);
    const { metadata, spec } = expect(200, await world.patch('merge', `${custom.path(namespace, 'a')}/status`, { spec: { a: 'x' } }));
    assert.deepEqual([spec, metadata.managedFields], [{ a: 1 }, undefined]);
  });

  test('lists call themselves what their definition says, and fields that cannot be selected are told as for other kinds of such objects', async () => {
    const custom = new Custom(world);
    const names = { plural: 'foos', kind: 'Foo', listKind: 'Fooherd' };
    await custom.declare({ names });
    const list = expect(200, await world.get(custom.path('default')));
    assert.deepEqual([list.kind, list.items], ['Fooherd', []]);
    const refused = expectFailure(400, 'BadRequest', await world.get(`${custom.path('default')}?fieldSelector=spec.a%3D1`));
    assert.equal(refused.message, 'field label not supported: spec.a');
    const { definitions, paths } = expect(200, await world.get('/openapi/v2'));
    const own = Object.keys(definitions).filter((name) => name.startsWith(custom.group.split('.').reverse().join('.')));
    assert.deepEqual(own.map((name) => name.split('.').at(-1)), ['Foo', 'Fooherd']);
    assert.deepEqual(Object.keys(paths).filter((path) => path.includes(`${custom.group}/v1/watch/`)), [], 'old paths of watches are not told');
  });

  test('R4.1 OpenAPI says of the head of an object inside another what it says of every object', async () => {
    const custom = new Custom(world);
    const embedded = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: { spec: { type: 'object' } } };
    await custom.declare({ versions: [withSpec({ one: embedded, many: { type: 'array', items: embedded } })] });
    const { definitions } = expect(200, await world.get('/openapi/v2'));
    const { apiVersion, kind, metadata, spec } = definitions[`${custom.group.split('.').reverse().join('.')}.v1.Foo`].properties;
    for (const inner of [spec.properties.one, spec.properties.many.items]) {
      assert.deepEqual({ ...inner.properties, spec: undefined }, { apiVersion, kind, metadata, spec: undefined });
    }
  });

  test('R4.1 what came in another version gets the defaults of the one it is stored in, and only those', async () => {
    const custom = new Custom(world);
    const shaped = (name: string, properties: object): object => ({ ...withSpec(properties), name, storage: name === 'v1' });
    const text = { type: 'string' };
    await custom.declare({ versions: [shaped('v1', { a: text, b: { ...text, default: 'stored' } }), shaped('v2', { a: text, c: { ...text, default: 'other' } })] });
    const namespace = await world.namespace();
    const made = expect(201, await world.post(custom.path(namespace, '', 'v2'), custom.object('a', { spec: { a: 'x' } }, 'v2')));
    assert.deepEqual(made.spec, { a: 'x' });
    assert.deepEqual(expect(200, await world.get(custom.path(namespace, 'a'))).spec, { a: 'x', b: 'stored' });
    assert.deepEqual(expect(200, await world.get(custom.path(namespace))).items[0].spec, { a: 'x', b: 'stored' });
    assert.deepEqual(expect(200, await world.get(custom.path(namespace, 'a', 'v2'))).spec, { a: 'x' });
  });

  test('R4.1 the names that a status reports have the form of names', async () => {
    const custom = new Custom(world);
    await custom.declare();
    const refused = expectFailure(422, 'Invalid', await world.patch('merge', `${custom.definition}/status`, { status: { acceptedNames: { plural: 'Bad_' } } }));
    assert.deepEqual(causesOf(refused), ['FieldValueInvalid status.acceptedNames.plural']);
  });

  test('an object inside another whose head is malformed says which value is', async () => {
    const custom = new Custom(world);
    await custom.declare({ versions: [withSpec({ t: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true } })] });
    const refused = async (t: object): Promise<string> => expectFailure(400, 'BadRequest', await world.post(custom.path('default'), custom.object('a', { spec: { t } }))).message;
    const begin = 'Foo in version "v1" cannot be handled as a Foo: spec.t';
    const why = 'json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string';
    assert.equal(await refused({ metadata: { labels: { a: 5 } } }), `${begin}.metadata: Invalid value: map[string]interface {}{"labels":map[string]interface {}{"a":5}}: ${why}`);
    assert.equal(await refused({ kind: 5 }), `${begin}.kind: Invalid value: 5: must be a string`);
  });

  test('what was stored before it was declared an object loses what is malformed in its head, and the object around it can be changed', async () => {
    const custom = new Custom(world);
    const inside = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    await custom.declare({ versions: [withSpec({ t: inside })] });
    const metadata = { unknown: 1, annotations: { a: 42 }, labels: { x: 'y' } };
    expect(201, await world.post(custom.path('default'), custom.object('a', { spec: { t: { apiVersion: 'v1', kind: 'Foo', metadata, more: 1 } } })));
    expect(201, await world.post(custom.path('default'), custom.object('b', { spec: { t: { apiVersion: 1, kind: 'Foo', metadata: 'none' } } })));
    await custom.change({ versions: [withSpec({ t: { ...inside, 'x-kubernetes-embedded-resource': true } })] });
    const shown = async (name: string): Promise<unknown> => expect(200, await world.get(custom.path('default', name))).spec.t;
    assert.deepEqual(await shown('a'), { apiVersion: 'v1', kind: 'Foo', metadata: { labels: { x: 'y' } }, more: 1 });
    assert.deepEqual(await shown('b'), { kind: 'Foo', metadata: 'none' });
    expect(200, await world.patch('merge', custom.path('default', 'a'), { metadata: { labels: { k: 'v' } } }));
  });

  test('replicas of an object with something else where an object of the API is to be now are refused, and it is told where', async () => {
    const custom = new Custom(world);
    const inside = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    const versions = (t: object): object[] => [{ ...withSpec({ t, replicas: { type: 'integer' } }), subresources: { scale } }];
    await custom.declare({ versions: versions(inside) });
    expect(201, await world.post(custom.path('default'), custom.object('a', { spec: { t: { metadata: 'none' }, replicas: 1 } })));
    await custom.change({ versions: versions({ ...inside, 'x-kubernetes-embedded-resource': true }) });
    const refused = expectFailure(422, 'Invalid', await world.patch('merge', `${custom.path('default', 'a')}/scale`, { spec: { replicas: 4 } }));
    const why = 'Invalid value: "none": json: cannot unmarshal string into Go value of type v1.ObjectMeta';
    assert.deepEqual([refused.message, refused.details.causes], [
      `Foo.${custom.group} "a" is invalid: spec.t.metadata: ${why}`,
      [{ reason: 'FieldValueInvalid', message: why, field: 'spec.t.metadata' }],
    ]);
  });

  test('R4.1 a name that a definition gives up goes to the one that waits for it', async () => {
    const first = new Custom(world);
    await first.declare();
    const names = { plural: 'bars', singular: 'bar', kind: 'Bar', shortNames: ['fo', 'ba'] };
    expect(201, await world.post(first.definitions, { ...first.body({ names }), metadata: { name: `bars.${first.group}` } }));
    const watch = await world.watch(`${first.definitions}?watch=1&fieldSelector=metadata.name%3Dbars.${first.group}`);
    const reasonOf = (one: TestJson): string | undefined => one.object.status.conditions?.[0]?.reason;
    let event: TestJson;
    do [event] = await watch.next(1);
    while (reasonOf(event) === undefined);
    assert.deepEqual([reasonOf(event), event.object.status.conditions[0].message], ['ShortNamesConflict', '"fo" is already in use']);
    await first.change({ names: { shortNames: null } });
    do [event] = await watch.next(1);
    while (reasonOf(event) === 'ShortNamesConflict');
    assert.deepEqual([reasonOf(event), event.object.status.acceptedNames.shortNames], ['NoConflicts', ['fo', 'ba']]);
    await watch.stop();
  });

  test('status and scale are parts of their own', async () => {
    const custom = new Custom(world);
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas', labelSelectorPath: '.status.sel' };
    await custom.declare({ versions: [{ ...VERSION, subresources: { status: {}, scale } }] });
    const namespace = await world.namespace();
    const path = custom.path(namespace, 'a');
    assert.equal((await custom.make(namespace, 'a', { spec: { s: 'x' }, status: { sel: 'no' } })).status, undefined);
    expectFailure(500, 'InternalError', await world.get(`${path}/scale`));
    const change = { metadata: { labels: { no: 'no' } }, spec: { s: 'no' }, status: { replicas: 2, sel: 'a=b' } };
    const shown = expect(200, await world.patch('merge', `${path}/status`, change));
    assert.deepEqual([shown.metadata.labels, shown.metadata.generation, shown.spec, shown.status], [undefined, 1, { s: 'x' }, { replicas: 2, sel: 'a=b' }]);
    expectFailure(422, 'Invalid', await world.patch('merge', `${path}/status`, { status: { sel: 5 } }));
    expect(200, await world.patch('merge', path, { spec: { replicas: 3 }, status: { sel: 'no' } }));
    const scaled = expect(200, await world.put(`${path}/scale`, { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'a' }, spec: { replicas: 5 } }));
    assert.deepEqual([scaled.spec, scaled.status], [{ replicas: 5 }, { replicas: 2, selector: 'a=b' }]);
    assert.equal(expect(200, await world.get(path)).metadata.generation, 3);
    assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await world.patch('merge', `${path}/scale`, { spec: { replicas: 11 } }))), ['FieldValueInvalid spec.replicas']);
  });

  test('who scales takes the replicas from each owner at the path of its version, and nothing from those of a version without a scale', async () => {
    const custom = new Custom(world);
    const namespace = await world.namespace();
    const members = { a: { type: 'string' }, replicas: { type: 'integer' }, size: { type: 'integer' } };
    const at = (specReplicasPath: string): object => ({ subresources: { scale: { specReplicasPath, statusReplicasPath: '.status.replicas' } } });
    const parts = { v1: at('.spec.replicas'), v2: at('.spec.size'), v3: {} };
    await custom.declare({ versions: Object.entries(parts).map(([name, part]) => ({ ...withSpec(members), name, storage: name === 'v2', ...part })) });
    const apply = (version: string, manager: string, spec: object): Promise<TestAnswer> =>
      world.patch('apply', `${custom.path(namespace, 'x', version)}?fieldManager=${manager}`, custom.object('x', { spec }, version));
    expect(201, await apply('v2', 'ann', { a: '1', size: 3 }));
    expect(200, await apply('v3', 'bob', { a: '1', replicas: 1, size: 3 }));
    expect(200, await world.patch('merge', `${custom.path(namespace, 'x')}/scale?fieldManager=hpa`, { spec: { replicas: 5 } }));
    const { spec, metadata } = expect(200, await world.get(custom.path(namespace, 'x', 'v2')));
    assert.deepEqual(spec, { a: '1', replicas: 5, size: 3 });
    const owned = metadata.managedFields.map(({ manager, fieldsV1 }: TestJson) => [manager, Object.keys(fieldsV1['f:spec']).sort().join(' ')]);
    assert.deepEqual(owned.sort(), [['ann', 'f:a'], ['bob', 'f:a f:replicas f:size']]);
  });

  test('who scales through a version stores no defaults that the stored version does not have', async () => {
    const custom = new Custom(world);
    const namespace = await world.namespace();
    const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
    const members = { replicas: { type: 'integer' }, mode: { type: 'string' } };
    const old = { ...withSpec({ ...members, mode: { type: 'string', default: 'old' } }), storage: false, subresources: { scale } };
    await custom.declare({ versions: [old, { ...withSpec(members), name: 'v2', subresources: { scale } }] });
    expect(201, await world.post(custom.path(namespace, '', 'v2'), custom.object('x', { spec: { replicas: 3 } }, 'v2')));
    expect(200, await world.patch('merge', `${custom.path(namespace, 'x')}/scale`, { spec: { replicas: 5 } }));
    assert.deepEqual(expect(200, await world.get(custom.path(namespace, 'x', 'v2'))).spec, { replicas: 5 });
  });

  test('whoever writes a scale, nobody owns the replicas any more, also where they stay as they were', async () => {
    const custom = new Custom(world);
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: { size: { type: 'object', properties: { now: { type: 'integer' }, max: { type: 'integer' } } } } } } } };
    const scale = { specReplicasPath: '.spec.size.now', statusReplicasPath: '.status.replicas' };
    await custom.declare({ versions: [{ ...VERSION, schema, subresources: { status: {}, scale } }] });
    const namespace = await world.namespace();
    const path = custom.path(namespace, 'a');
    const apply = (manager: string, size: object): ReturnType<World['patch']> =>
      world.patch('apply', `${path}?fieldManager=${manager}`, { apiVersion: `${custom.group}/v1`, kind: 'Foo', metadata: { name: 'a' }, spec: { size } });
    expect(201, await apply('ann', { now: 2, max: 3 }));
    expect(200, await apply('bob', { now: 2 }));
    expect(200, await world.patch('merge', `${path}/scale?fieldManager=eve`, { spec: { replicas: 2 } }));
    const { managedFields } = expect(200, await world.get(path)).metadata;
    assert.deepEqual(managedFields.map(({ manager, fieldsV1 }: TestJson) => [manager, fieldsV1]), [['ann', { 'f:spec': { 'f:size': { 'f:max': {} } } }]]);
  });

  test('a changed schema holds for what is stored, and ends watches', async () => {
    const custom = new Custom(world);
    await custom.declare();
    const namespace = await world.namespace();
    await custom.make(namespace, 'a', { spec: { s: 'x', replicas: 1 } });
    const watch = await world.watch(`${custom.path(namespace)}?watch=1`);
    assert.equal((await watch.next(1))[0].type, 'ADDED');
    await custom.change({ versions: [withSpec({ s: { type: 'string' }, d: { type: 'string', default: 'd' } })] });
    assert.deepEqual(await watch.rest(), [], 'the watch has ended');
    const shown = expect(200, await world.get(custom.path(namespace, 'a')));
    assert.deepEqual([shown.spec, shown.metadata.generation], [{ s: 'x', d: 'd' }, 1]);
    assert.deepEqual(expect(200, await world.get(custom.path(namespace))).items, [shown]);
    await custom.change({ versions: [{ ...withSpec({ d: { type: 'string' } }), schema: { openAPIV3Schema: { type: 'object', required: ['must'], properties: { must: { type: 'string' } } } } }] });
    expectFailure(422, 'Invalid', await world.patch('merge', custom.path(namespace, 'a'), { metadata: { labels: { x: 'y' } } }));
  });

  test('versions that differ in nothing but the name', async () => {
    const custom = new Custom(world);
    const v2 = { ...withSpec({ s: { type: 'string' } }), name: 'v2', storage: false };
    const old = { ...VERSION, name: 'v1beta1', storage: false, deprecated: true };
    await custom.declare({ versions: [VERSION, v2, old, { ...VERSION, name: 'v3', storage: false, served: false }] });
    const namespace = await world.namespace();
    await custom.make(namespace, 'a', { spec: { s: 'x', replicas: 1 } });
    const other = expect(200, await world.get(custom.path(namespace, 'a', 'v2')));
    assert.deepEqual([other.apiVersion, other.spec], [`${custom.group}/v2`, { s: 'x' }]);
    const made = expect(201, await world.post(custom.path(namespace, '', 'v2'), custom.object('b', { spec: { s: 'y' } }, 'v2')));
    assert.equal(made.apiVersion, `${custom.group}/v2`);
    assert.equal(expect(200, await world.get(custom.path(namespace, 'b'))).apiVersion, `${custom.group}/v1`);
    const answer = await world.get(custom.path(namespace, 'a', 'v1beta1'));
    assert.equal(answer.headers['warning'], `299 - "${custom.group}/v1beta1 Foo is deprecated; use ${custom.group}/v2 Foo"`);
    assert.equal((await world.get(custom.path(namespace, 'a', 'v3'))).status, 404);
    expectFailure(400, 'BadRequest', await world.post(custom.path(namespace, '', 'v2'), custom.object('c')));
    const watch = await world.watch(`${custom.path(namespace, '', 'v2')}?watch=1`);
    assert.deepEqual((await watch.next(2)).map(({ object }) => object.apiVersion), [`${custom.group}/v2`, `${custom.group}/v2`]);
    await watch.stop();
  });

  test('R4.9-31 an applier takes out through one version all it owned in another, where a webhook converts', async (t) => {
    const custom = new Custom(world);
    const server = await WebhookServer.start();
    t.after(() => server.close());
    const clientConfig = server.at('/convert', ({ review: { kind, apiVersion, request } }) => {
      const convertedObjects = request.objects.map((object: TestJson) => ({ ...object, apiVersion: request.desiredAPIVersion }));
      return { kind, apiVersion, response: { uid: request.uid, convertedObjects, result: { status: 'Success' } } };
    });
    const members = { a: { type: 'string' }, b: { type: 'string' } };
    const versions = ['v1', 'v2'].map((name) => ({ ...withSpec(members), name, storage: name === 'v1' }));
    await custom.declare({ versions, conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } });
    const namespace = await world.namespace();
    const apply = (version: string, labels: object, spec: object): Promise<TestAnswer> =>
      world.patch('apply', `${custom.path(namespace, 'x', version)}?fieldManager=ann`, { ...custom.object('x', { spec }, version), metadata: { name: 'x', labels } });
    expect(201, await apply('v2', { app: 'x' }, { a: '1', b: '2' }));
    const left = expect(200, await apply('v1', {}, { a: '1' }));
    assert.deepEqual([left.apiVersion, left.metadata.labels, left.spec], [`${custom.group}/v1`, undefined, { a: '1' }]);
  });

  test('R4.12 a webhook converts between versions, whoever reads or writes', async (t) => {
    const custom = new Custom(world);
    const server = await WebhookServer.start();
    t.after(() => server.close());
    const clientConfig = server.at('/convert', ({ review: { kind, apiVersion, request } }) => {
      const convertedObjects = request.objects.map(({ spec, ...object }: TestJson) => {
        const [first, last] = String(spec.name ?? '').split(' ');
        const isSplit = request.desiredAPIVersion.endsWith('/v2');
        const kept = spec.count === undefined ? {} : { count: spec.count };
        return { ...object, apiVersion: request.desiredAPIVersion, spec: isSplit ? { first, last, ...kept } : { name: `${spec.first} ${spec.last}`, ...kept } };
      });
      return { kind, apiVersion, response: { uid: request.uid, convertedObjects, result: { status: 'Success' } } };
    });
    const text = { type: 'string' };
    const count = { type: 'integer' };
    const versions = [{ ...withSpec({ name: text, count }), storage: true }, { ...withSpec({ first: text, last: text, count }), name: 'v2', storage: false }];
    await custom.declare({ versions, conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } });
    const namespace = await world.namespace();
    await custom.make(namespace, 'a', { spec: { name: 'Ada Lovelace' } });
    assert.deepEqual(server.reviewsAt('/convert'), [], 'what is stored as it is shown needs no conversion');
    assert.deepEqual(expect(200, await world.get(custom.path(namespace, 'a', 'v2'))).spec, { first: 'Ada', last: 'Lovelace' });
    const made = expect(201, await world.post(custom.path(namespace, '', 'v2'), custom.object('b', { spec: { first: 'Emmy', last: 'Noether' } }, 'v2')));
    assert.deepEqual([made.apiVersion, made.spec], [`${custom.group}/v2`, { first: 'Emmy', last: 'Noether' }]);
    assert.deepEqual(expect(200, await world.get(custom.path(namespace, 'b'))).spec, { name: 'Emmy Noether' });
    const list = expect(200, await world.get(custom.path(namespace, '', 'v2')));
    assert.deepEqual(list.items.map(({ spec }: TestJson) => spec.last), ['Lovelace', 'Noether']);
    expect(200, await world.patch('merge', custom.path(namespace, 'b', 'v2'), { spec: { first: 'Amalie' } }));
    const applied = await world.patch('apply', `${custom.path(namespace, 'b', 'v2')}?fieldManager=m&force=true`, custom.object('b', { spec: { last: 'N' } }, 'v2'));
    assert.deepEqual(expect(200, applied).spec, { first: 'Amalie', last: 'N' });
    assert.deepEqual(expect(200, await world.get(custom.path(namespace, 'b'))).spec, { name: 'Amalie N' });
    const watch = await world.watch(`${custom.path(namespace, '', 'v2')}?watch=1`);
    assert.deepEqual((await watch.next(2)).map(({ object }) => object.spec.first), ['Ada', 'Amalie']);
    expect(200, await world.patch('merge', custom.path(namespace, 'a'), { spec: { name: 'Augusta King' } }));
    assert.deepEqual((await watch.next(1))[0].object.spec, { first: 'Augusta', last: 'King' });
    await watch.stop();
    server.at('/convert', () => ({ kind: 'Pod' }));
    expect(200, await world.patch('merge', custom.path(namespace, 'a'), { spec: { name: 'Ada King' } }));
    expectFailure(500, undefined, await world.get(custom.path(namespace, 'a', 'v2')));
    expect(200, await world.get(custom.path(namespace, 'a')));
  });

  test('R4.3 a name is taken also by an object that its conversion webhook cannot convert', async (t) => {
    const custom = new Custom(world);
    const server = await WebhookServer.start();
    t.after(() => server.close());
    const clientConfig = server.at('/convert', () => ({ kind: 'Pod' }));
    const versions = (stored: string): object[] => ['v1', 'v2'].map((name) => ({ ...withSpec({}), name, storage: name === stored }));
    await custom.declare({ versions: versions('v1'), conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } });
    const namespace = await world.namespace();
    await custom.make(namespace, 'a');
    await custom.change({ versions: versions('v2') });
    await custom.until(({ status }) => status.storedVersions.includes('v2'));
    expectFailure(500, undefined, await world.get(custom.path(namespace, 'a', 'v2')));
    const { message } = expectFailure(409, 'AlreadyExists', await world.post(custom.path(namespace, '', 'v2'), custom.object('a', {}, 'v2')));
    assert.equal(message, `foos.${custom.group} "a" already exists`);
  });

  test('R4.12 a list of objects whose conversion makes them many times as large is answered', async (t) => {
    const custom = new Custom(world);
    const server = await WebhookServer.start();
    t.after(() => server.close());
    const clientConfig = server.at('/convert', ({ review: { kind, apiVersion, request } }) => {
      const convertedObjects = request.objects.map((object: TestJson) => ({ ...object, apiVersion: request.desiredAPIVersion, spec: { text: 'x'.repeat(700_000) } }));
      return { kind, apiVersion, response: { uid: request.uid, convertedObjects, result: { status: 'Success' } } };
    });
    const versions = [{ ...withSpec({ text: { type: 'string' } }), storage: true }, { ...withSpec({ text: { type: 'string' } }), name: 'v2', storage: false }];
    await custom.declare({ versions, conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } });
    const namespace = await world.namespace();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await custom.make(namespace, name, { spec: { text: name } });
    const { items } = expect(200, await world.get(custom.path(namespace, '', 'v2')));
    assert.deepEqual(items.map(({ spec }: TestJson) => spec.text.length), Array(5).fill(700_000));
  });

  test('R4.12 why a conversion webhook could not be called is said as of any other webhook', async () => {
    const places = {
      'https://127.0.0.1:1/convert': { url: 'https://127.0.0.1:1/convert', why: 'dial tcp 127.0.0.1:1: connect: connection refused' },
      'https://absent.default.svc:443/convert': { service: { namespace: 'default', name: 'absent', path: '/convert' }, why: 'service "absent" not found' },
    };
    const versions = ['v1', 'v2'].map((name) => ({ ...withSpec({}), name, storage: name === 'v1' }));
    const namespace = await world.namespace();
    for (const [url, { why, ...clientConfig }] of Object.entries(places)) {
      const custom = new Custom(world);
      await custom.declare({ versions, conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } });
      await custom.make(namespace, 'a', {});
      const { message } = expectFailure(500, undefined, await world.get(custom.path(namespace, 'a', 'v2')));
      assert.equal(message, `conversion webhook for ${custom.group}/v1, Kind=Foo failed: Post "${url}?timeout=30s": ${why}`);
    }
  });

  test('where a webhook converts, owners lose what changes and conflict over it in the words of their own version', async (t) => {
    const custom = new Custom(world);
    const server = await WebhookServer.start();
    t.after(() => server.close());
    const words: TestJson = { v1: 'size', v2: 'amount', v3: 'quantity' };
    const wordOf = (apiVersion: string): string => words[apiVersion.slice(apiVersion.indexOf('/') + 1)];
    const converting = ({ review: { kind, apiVersion, request } }: TestJson): TestJson => {
      const convertedObjects = request.objects.map((object: TestJson) => {
        const { [wordOf(object.apiVersion)]: amount, ...kept } = object.spec ?? {};
        return { ...object, apiVersion: request.desiredAPIVersion, spec: { ...kept, ...(amount === undefined ? {} : { [wordOf(request.desiredAPIVersion)]: amount }) } };
      });
      return { kind, apiVersion, response: { uid: request.uid, convertedObjects, result: { status: 'Success' } } };
    };
    const clientConfig = server.at('/convert', converting);
    const versions = Object.entries(words).map(([name, word]) => ({ ...withSpec({ [word as string]: { type: 'integer' }, s: { type: 'string', default: 'd' } }), name, storage: name === 'v1' }));
    await custom.declare({ versions, conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } });
    const namespace = await world.namespace();
    const at = (version: string): string => custom.path(namespace, 'a', version);
    const apply = (version: string, manager: string, spec: object, query = '') =>
      world.patch('apply', `${at(version)}?fieldManager=${manager}${query}`, custom.object('a', { spec }, version));
    const owners = ({ metadata: { managedFields = [] } }: TestJson): readonly string[] =>
      managedFields.map(({ manager, apiVersion, fieldsV1 }: TestJson) => `${manager} ${apiVersion.split('/')[1]} ${Object.keys(fieldsV1['f:spec']).join(' ')}`).toSorted();

    expect(201, await apply('v1', 'ann', { size: 1, s: 'x' }));
    const refused = expectFailure(409, 'Conflict', await apply('v2', 'bob', { amount: 2 }));
    assert.deepEqual(refused.details.causes.map((cause: TestJson) => cause.field), ['.spec.size']);
    assert.deepEqual(owners(expect(200, await apply('v2', 'bob', { amount: 1 }))), ['ann v1 f:s f:size', 'bob v2 f:amount'], 'who says the same shares it');
    assert.deepEqual(owners(expect(200, await apply('v2', 'bob', { amount: 3 }, '&force=true'))), ['ann v1 f:s', 'bob v2 f:amount']);
    const put = { ...expect(200, await world.get(at('v3'))) };
    const changed = expect(200, await world.put(`${at('v3')}?fieldManager=cat`, { ...put, spec: { ...put.spec, quantity: 4 } }));
    assert.deepEqual([changed.spec, owners(changed)], [{ s: 'x', quantity: 4 }, ['ann v1 f:s', 'cat v3 f:quantity']]);

    // What an applier no longer says goes, in whichever version it was said; what has a default is there again.
    expect(200, await apply('v1', 'ann', { size: 4, s: 'x' }));
    expect(200, await world.patch('merge', `${at('v2')}?fieldManager=cat`, { spec: { amount: null } }));
    expect(200, await apply('v1', 'ann', { size: 5, s: 'x' }));
    const left = expect(200, await apply('v2', 'ann', {}));
    assert.deepEqual([left.spec, owners(left)], [{ s: 'd' }, ['ann v2 ']]);

    // A version that is served no longer still says who owns what.
    expect(200, await apply('v3', 'dan', { quantity: 6 }));
    await custom.change({ versions: versions.map((version) => ({ ...version, served: version.name !== 'v3' })) });
    const unserved = expectFailure(409, 'Conflict', await apply('v1', 'ann', { size: 7 }));
    assert.deepEqual(unserved.details.causes.map((cause: TestJson) => cause.field), ['.spec.quantity']);

    // A write that needs no conversion is not refused because of what it would say of others; an apply has to know.
    server.at('/convert', () => ({ kind: 'Pod' }));
    expectFailure(500, undefined, await apply('v1', 'ann', { size: 7 }));
    const merged = expect(200, await world.patch('merge', `${at('v1')}?fieldManager=eve`, { spec: { size: 8 } }));
    assert.deepEqual([merged.spec, owners(merged)], [{ size: 8, s: 'd' }, []]);
  });

  test('R4.9-41 R4.9-42 where a schema says nothing, members have owners and lists are whole', async () => {
    const custom = new Custom(world);
    await custom.declare({ versions: [withSpec({ free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } })] });
    const namespace = await world.namespace();
    const apply = (manager: string, free: object) => world.patch('apply', `${custom.path(namespace, 'a')}?fieldManager=${manager}`, custom.object('a', { spec: { free } }));
    expect(201, await apply('one', { a: { x: 1 }, l: [{ k: 1 }] }));
    assert.deepEqual(expect(200, await apply('two', { a: { y: 2 } })).spec.free, { a: { x: 1, y: 2 }, l: [{ k: 1 }] });
    const refused = expectFailure(409, 'Conflict', await apply('two', { a: { y: 2 }, l: [{ k: 2 }] }));
    assert.deepEqual(refused.details.causes.map((cause: TestJson) => cause.field), ['.spec.free.l']);
    assert.deepEqual(expect(200, await apply('one', { l: [] })).spec.free, { a: { y: 2 }, l: [] });
  });

  test('apply owns lists as the schema says', async () => {
    const custom = new Custom(world);
    const items = { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'string' } } };
    const map = { type: 'array', items, 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['k'] };
    await custom.declare({ versions: [withSpec({ map, set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' } })] });
    const namespace = await world.namespace();
    const apply = (manager: string, spec: object) => world.patch('apply', `${custom.path(namespace, 'a')}?fieldManager=${manager}`, custom.object('a', { spec }));
    expect(201, await apply('one', { map: [{ k: 'a', v: '1' }], set: ['a'] }));
    assert.deepEqual(expect(200, await apply('two', { map: [{ k: 'b' }], set: ['b'] })).spec, { map: [{ k: 'a', v: '1' }, { k: 'b' }], set: ['a', 'b'] });
    const refused = expectFailure(409, 'Conflict', await apply('two', { map: [{ k: 'a', v: '2' }] }));
    assert.deepEqual(refused.details.causes.map((cause: TestJson) => cause.field), ['.spec.map[k="a"].v']);
    expect(500, await apply('two', { unknown: 1 }));
    expect(500, await apply('two', { set: 5 }));
    const twice = await world.post(custom.path(namespace), custom.object('b', { spec: { set: ['a', 'a'], map: [{ k: 'a' }, { k: 'a' }] } }));
    assert.deepEqual(causesOf(expectFailure(422, 'Invalid', twice)), ['FieldValueDuplicate spec.map[1]', 'FieldValueDuplicate spec.set[1]']);
  });

  test('R2.5-12 columns are those that are declared', async () => {
    const custom = new Custom(world);
    const additionalPrinterColumns = [
      { name: 'S', type: 'string', jsonPath: '.spec.s' },
      { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas', priority: 1 },
    ];
    await custom.declare({ versions: [{ ...VERSION, additionalPrinterColumns }] });
    const namespace = await world.namespace();
    await custom.make(namespace, 'a', { spec: { s: 'x' } });
    const table = expect(200, await world.get(custom.path(namespace), { accept: `application/json;as=Table;v=v1;g=${world.brand.group('meta')}` }));
    assert.deepEqual(table.columnDefinitions.map((one: TestJson) => [one.name, one.priority]), [['Name', 0], ['S', 0], ['Replicas', 1]]);
    assert.deepEqual(table.rows[0].cells, ['a', 'x', null]);
  });

  test('names that every object seems to have are names as any other', async () => {
    const custom = new Custom(world);
    const properties = JSON.parse('{"__proto__":{"type":"string","default":"d"},"constructor":{"type":"integer"}}') as object;
    await custom.declare({ versions: [withSpec(properties)] });
    const namespace = await world.namespace();
    const text = JSON.stringify(custom.object('a', { spec: JSON.parse('{"constructor":1,"toString":"x"}') as object }));
    const made = await world.post(custom.path(namespace), text);
    assert.equal(made.status, 201, made.text);
    assert.ok(made.text.includes('"spec":{"constructor":1,"__proto__":"d"}'), made.text);
    const patched = await world.patch('merge', custom.path(namespace, 'a'), '{"spec":{"__proto__":"x"}}');
    assert.ok(patched.text.includes('"__proto__":"x"'), patched.text);
  });

  test('who applies the status owns nothing of the spec, also where the schema does not tell what there is', async () => {
    const custom = new Custom(world);
    const anything = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await custom.declare({ versions: [{ ...VERSION, schema: anything, subresources: { status: {} } }] });
    const namespace = await world.namespace();
    const path = custom.path(namespace, 'a');
    expect(201, await world.patch('apply', `${path}?fieldManager=one`, custom.object('a', { spec: { s: 'x' } })));
    const shown = expect(200, await world.patch('apply', `${path}/status?fieldManager=two`, custom.object('a', { spec: { s: 'y' }, status: { sel: 'z' } })));
    assert.deepEqual([shown.spec, shown.status], [{ s: 'x' }, { sel: 'z' }]);
    const owned = Object.fromEntries(shown.metadata.managedFields.map((one: TestJson) => [one.manager, one.fieldsV1]));
    assert.deepEqual(owned, { one: { 'f:spec': { '.': {}, 'f:s': {} } }, two: { 'f:status': { '.': {}, 'f:sel': {} } } });
  });

  test('defaults inside metadata of objects inside say no more than metadata has', async () => {
    const custom = new Custom(world);
    const text = (value: string): object => ({ type: 'string', default: value });
    const head = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object', default: {}, properties: { name: text('n'), whatever: text('w') } } };
    const inner = { type: 'object', 'x-kubernetes-embedded-resource': true, properties: head };
    await custom.declare({ versions: [{ ...withSpec({ inner }), subresources: { status: {} } }] });
    const namespace = await world.namespace();
    const object = (name: string): object => custom.object(name, { spec: { inner: { apiVersion: 'v1', kind: 'Inner' } } });
    const expected = { apiVersion: 'v1', kind: 'Inner', metadata: { name: 'n' } };
    const made = expect(201, await world.post(custom.path(namespace), object('a')));
    assert.deepEqual(made.spec.inner, expected);
    const read = expect(200, await world.get(custom.path(namespace, 'a')));
    assert.deepEqual(read.spec.inner, expected);
  });

  test('no definition adds to the groups of the server itself', async () => {
    const group = world.brand.group('networking');
    const name = `bridges.${group}`;
    const spec = { group, scope: 'Namespaced', names: { plural: 'bridges', kind: 'Bridge' }, versions: [VERSION, { ...VERSION, name: 'v9', storage: false }] };
    const annotations = { [world.brand.names.apiApprovedAnnotation]: 'unapproved, a trial' };
    const custom = new Custom(world);
    expect(201, await world.post(custom.definitions, { kind: 'CustomResourceDefinition', metadata: { name, annotations }, spec }));
    const watch = await world.watch(`${custom.definitions}?watch=1&fieldSelector=metadata.name%3D${name}`);
    while (!hasCondition((await watch.next(1))[0].object, 'Established'));
    await watch.stop();
    expect(200, await world.patch('merge', `${custom.definitions}/${name}`, { metadata: { labels: { seen: 'yes' } } }));
    const { resources } = expect(200, await world.get(`/apis/${group}/v1`));
    assert.equal(resources.some((one: TestJson) => one.name === 'bridges'), false);
    for (const version of ['v1', 'v9']) assert.equal((await world.get(`/apis/${group}/${version}/namespaces/default/bridges`)).status, 404);
    expect(200, await world.get(`/apis/${group}/v1/namespaces/default/networkpolicies`));
    expect(200, await world.delete(`${custom.definitions}/${name}`));
  });

  test('a pattern that others take exponential time for is matched in no time', async () => {
    const custom = new Custom(world);
    await custom.declare({ versions: [withSpec({ s: { type: 'string', pattern: '^(a+)+$' } })] });
    const namespace = await world.namespace();
    expectFailure(422, 'Invalid', await world.post(custom.path(namespace), custom.object('a', { spec: { s: `${'a'.repeat(10_000)}!` } })));
    expectFailure(422, 'Invalid', await world.post(custom.definitions, custom.body({ versions: [withSpec({ s: { type: 'string', pattern: '(?<!a)b' } })] })));
  });

  test('a schema as deep as a body can be is refused or served, and harms nobody', async () => {
    const custom = new Custom(world);
    const deep = (depth: number): string => `${'{"type":"object","properties":{"a":'.repeat(depth)}{"type":"string"}${'}}'.repeat(depth)}`;
    const body = (depth: number): string => JSON.stringify(custom.body({ versions: [withSpec({ a: 'DEEP' })] })).replace('"DEEP"', deep(depth));
    expectFailure(400, 'BadRequest', await world.post(custom.definitions, body(5_000)));
    expect(201, await world.post(custom.definitions, body(60)));
    await established(world.server, custom.definition);
    expect(200, await world.get('/openapi/v2'));
    assert.equal((await world.get('/livez')).status, 200);
  });
});

test('a bookmark in a watch of custom resources says what it is and the version, and nothing else', async () => {
  const clock = new TurnedClock();
  const server = await startTestServer({ clock, controllers: 'none' });
  const definitions = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
  const spec = { group: 'example.com', scope: 'Cluster', names: { plural: 'foos', kind: 'Foo' }, versions: [VERSION] };
  const body = { apiVersion: 'apiextensions.orch.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'foos.example.com' }, spec };
  expect(201, await server.request('POST', definitions, body));
  await established(server, `${definitions}/foos.example.com`);
  const watch = await server.watch('/apis/example.com/v1/foos?watch=1&allowWatchBookmarks=true');
  clock.turn(61_000);
  const [{ object }] = await watch.next(1);
  assert.deepEqual(object, { kind: 'Foo', apiVersion: 'example.com/v1', metadata: { resourceVersion: object.metadata.resourceVersion } });
  await watch.stop();
  await server.close();
});

test('a definition goes when its objects are gone, and what holds them holds it', async () => {
  const server = await startTestServer({ controllers: 'none' });
  const definitions = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
  const body = {
    apiVersion: 'apiextensions.orch.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'foos.example.com' },
    spec: { group: 'example.com', scope: 'Cluster', names: { plural: 'foos', kind: 'Foo' }, versions: [VERSION] },
  };
  const watch = await server.watch(`${definitions}?watch=1`);
  const reasons = (event: TestJson): readonly string[] => (event.object.status.conditions ?? []).map(({ reason }: TestJson) => reason);
  const until = async (reason: string): Promise<void> => {
    let event: TestJson;
    do [event] = await watch.next(1);
    while (event.type !== reason && !reasons(event).includes(reason));
  };
  expect(201, await server.request('POST', definitions, body));
  await until('InitialNamesAccepted');
  expect(200, await server.patch('merge', `${definitions}/foos.example.com`, { metadata: { labels: { a: 'b' } } }));
  const foo = (name: string, metadata: object = {}): object => ({ apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name, ...metadata } });
  const objects = await server.watch('/apis/example.com/v1/foos?watch=1');
  expect(201, await server.request('POST', '/apis/example.com/v1/foos', foo('free')));
  expect(201, await server.request('POST', '/apis/example.com/v1/foos', foo('held', { finalizers: ['example.com/hold'] })));
  // Nobody else is asked to act first.
  const going = expect(200, await server.request('DELETE', `${definitions}/foos.example.com?propagationPolicy=Foreground`));
  assert.deepEqual(going.metadata.finalizers, ['customresourcecleanup.apiextensions.orch.io']);
  await until('InstanceDeletionInProgress');
  // Another deletion is as that of any object: it does not begin anew.
  const again = expect(200, await server.request('DELETE', `${definitions}/foos.example.com`));
  assert.deepEqual([again.metadata.deletionGracePeriodSeconds, reasons({ object: again }).at(-1)], [0, 'InstanceDeletionInProgress']);
  const late = expectFailure(405, 'MethodNotAllowed', await server.request('POST', '/apis/example.com/v1/foos', foo('late')));
  assert.equal(late.message, 'create not allowed while custom resource definition is terminating');
  const { resources } = expect(200, await server.request('GET', '/apis/example.com/v1'));
  assert.deepEqual(resources[0].verbs, ['delete', 'deletecollection', 'get', 'list', 'watch']);
  expect(200, await server.patch('merge', '/apis/example.com/v1/foos/held', { spec: { s: 'changed' } }));
  const left = await server.watch('/apis/example.com/v1/foos?watch=1&fieldSelector=metadata.name%3Dheld');
  let event: TestJson;
  do [event] = await left.next(1);
  while (!event.object.metadata.deletionTimestamp);
  await left.stop();
  server.clock.advance('1m');
  await until('InstanceDeletionCheck');
  expect(200, await server.patch('merge', '/apis/example.com/v1/foos/held', { metadata: { finalizers: null } }));
  await until('DELETED');
  await watch.stop();
  const seen = (await objects.rest()).map(({ type, object }) => `${type} ${object.metadata.name}`);
  assert.deepEqual(seen.sort(), ['ADDED free', 'ADDED held', 'DELETED free', 'DELETED held', 'MODIFIED held', 'MODIFIED held'], 'the watch goes on to the end of the last object');
  assert.equal((await server.request('GET', '/apis/example.com/v1/foos')).status, 404);
  await server.close();
});

for (const since of ['', '&resourceVersion=0', 'before']) {
  test(`a watch that has not told all it begins with when the definition goes tells that first, and then how the last objects went (${since})`, async () => {
    await using server = await startTestServer({ controllers: 'none' });
    const definitions = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
    const names = { plural: 'foos', kind: 'Foo' };
    const version = { ...VERSION, schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } } };
    const metadata = { name: 'foos.example.com' };
    const made = expect(201, await server.request('POST', definitions, { metadata, spec: { group: 'example.com', scope: 'Cluster', names, versions: [version] } }));
    await established(server, `${definitions}/foos.example.com`);
    const objects = Array.from({ length: 40 }, (_, at) => `n${String(at).padStart(2, '0')}`);
    for (const name of objects) expect(201, await server.request('POST', '/apis/example.com/v1/foos', { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name }, text: 'x'.repeat(100_000) }));
    const start = since === 'before' ? `&resourceVersion=${made.metadata.resourceVersion}` : since;
    const behind = await server.watch(`/apis/example.com/v1/foos?watch=1${start}`);
    const definition = await server.watch(`${definitions}?watch=1&resourceVersion=${made.metadata.resourceVersion}`);
    expect(200, await server.request('DELETE', `${definitions}/foos.example.com`));
    let event: TestJson;
    do [event] = await definition.next(1);
    while (event.type !== 'DELETED');
    const seen = (await behind.rest()).map(({ type, object }) => `${type} ${object.metadata.name}`);
    assert.deepEqual(seen, ['ADDED', 'DELETED'].flatMap((type) => objects.map((name) => `${type} ${name}`)));
    await definition.stop();
  });
}

test('what a definition left behind because somebody took its finalizers is the next one\'s of that name, and nothing of that is deleted with it', async () => {
  const server = await startTestServer({ controllers: 'none' });
  const definitions = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
  const [definition, objects] = [`${definitions}/foos.example.com`, '/apis/example.com/v1/foos'];
  const spec = { group: 'example.com', scope: 'Cluster', names: { plural: 'foos', kind: 'Foo' }, versions: [VERSION] };
  const declare = async (): Promise<void> => {
    expect(201, await server.request('POST', definitions, { apiVersion: 'apiextensions.orch.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'foos.example.com' }, spec }));
    await established(server, definition);
  };
  const make = async (name: string, metadata: object = {}): Promise<void> => {
    expect(201, await server.request('POST', objects, { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name, ...metadata } }));
  };
  const names = async (): Promise<readonly string[]> => expect(200, await server.request('GET', objects)).items.map(({ metadata }: TestJson) => metadata.name);
  await declare();
  await make('held', { finalizers: ['example.com/hold'] });
  const held = await server.watch(`${objects}?watch=1`);
  expect(200, await server.request('DELETE', definition));
  let event: TestJson;
  do [event] = await held.next(1);
  while (!event.object.metadata.deletionTimestamp);
  await held.stop();
  expect(200, await server.patch('merge', definition, { metadata: { finalizers: null } }));
  await declare();
  for (const name of ['a', 'b']) await make(name);
  const watch = await server.watch(`${objects}?watch=1&resourceVersion=${expect(200, await server.request('GET', objects)).metadata.resourceVersion}`);
  expect(200, await server.request('DELETE', `${objects}/a`));
  await watch.next(1);
  await make('c');
  assert.deepEqual(await names(), ['b', 'c', 'held']);
  // Its own removal begins anew, and waits for what the former one waited for.
  expect(200, await server.request('DELETE', definition));
  const gone = await server.watch(`${definitions}?watch=1`);
  do [event] = await watch.next(1);
  while (event.type !== 'DELETED');
  expect(200, await server.patch('merge', `${objects}/held`, { metadata: { finalizers: null } }));
  do [event] = await gone.next(1);
  while (event.type !== 'DELETED');
  assert.equal((await server.request('GET', objects)).status, 404);
  await Promise.all([watch.stop(), gone.stop()]);
  await server.close();
});

test('what is declared is served again after a restart, by whatever server', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orch-custom-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const open = () => startTestServer({ store: `lmdb://${folder}`, controllers: 'none' });
  const first = await open();
  const definitions = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
  const spec = { group: 'example.com', scope: 'Cluster', names: { plural: 'foos', kind: 'Foo' }, versions: [VERSION] };
  expect(201, await first.request('POST', definitions, { apiVersion: 'apiextensions.orch.io/v1', kind: 'CustomResourceDefinition', metadata: { name: 'foos.example.com' }, spec }));
  await established(first, `${definitions}/foos.example.com`);
  expect(201, await first.request('POST', '/apis/example.com/v1/foos', { apiVersion: 'example.com/v1', kind: 'Foo', metadata: { name: 'a' }, spec: { s: 'x' } }));
  await first.close();
  const second = await open();
  assert.deepEqual(expect(200, await second.request('GET', '/apis/example.com/v1/foos/a')).spec, { s: 'x' });
  await second.close();
});

