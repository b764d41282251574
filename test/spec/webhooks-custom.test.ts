// Webhooks about custom resources: every version, converted to the one a rule names.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { deferred } from '#base';
import type { TestAnswer, TestJson } from '#testing';
import { expect, expectFailure } from './world.ts';
import { established } from '../support/definitions.ts';
import { allowing, denying, patching, type Behaviour } from '../support/webhook-server.ts';
import { inBothDialects, WebhookWorld } from '../support/webhook-world.ts';

const text = { type: 'string' };
const WRITES = ['CREATE', 'UPDATE'];
const version = (name: string, properties: object, more: object = {}): object => ({
  name,
  served: true,
  storage: name === 'v1',
  schema: { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties }, status: { type: 'object', properties: { said: text } } } } },
  subresources: { status: {} },
  ...more,
});

/** A definition in a group of its own. */
class Custom {
  readonly #world: WebhookWorld;
  readonly group: string;

  constructor(world: WebhookWorld) {
    this.#world = world;
    this.group = `${world.fresh('g')}.example.com`;
  }

  async declare(spec: object): Promise<void> {
    const group = this.#world.brand.group('apiextensions');
    const definitions = `/apis/${group}/v1/customresourcedefinitions`;
    const name = `foos.${this.group}`;
    const names = { plural: 'foos', kind: 'Foo' };
    const body = { apiVersion: `${group}/v1`, kind: 'CustomResourceDefinition', metadata: { name }, spec: { group: this.group, scope: 'Namespaced', names, ...spec } };
    expect(201, await this.#world.request('POST', definitions, body));
    await established(this.#world.server, `${definitions}/${name}`);
  }

  /** Deletes the definition; resolves when it is gone, and its objects with it. */
  async withdraw(): Promise<void> {
    const path = `/apis/${this.#world.brand.group('apiextensions')}/v1/customresourcedefinitions`;
    const watch = await this.#world.server.watch(`${path}?watch=1&fieldSelector=metadata.name%3Dfoos.${this.group}`);
    expect(200, await this.#world.request('DELETE', `${path}/foos.${this.group}`));
    let type: string;
    do [{ type }] = await watch.next(1);
    while (type !== 'DELETED');
    await watch.stop();
  }

  path(namespace: string, served: string, name = ''): string {
    return `/apis/${this.group}/${served}/namespaces/${namespace}/foos${name === '' ? '' : `/${name}`}`;
  }

  make(namespace: string, served: string, name: string, spec: object): Promise<TestAnswer> {
    return this.#world.request('POST', this.path(namespace, served), { apiVersion: `${this.group}/${served}`, kind: 'Foo', metadata: { name }, spec });
  }

  rules(apiVersions: readonly string[], resources: readonly string[] = ['foos'], operations: readonly string[] = ['*']): object {
    return { rules: [{ apiGroups: [this.group], apiVersions, operations, resources }] };
  }
}

/** `v1` has one name, `v2` two. */
const converting: Behaviour = ({ review: { kind, apiVersion, request } }) => {
  const convertedObjects = request.objects.map(({ spec, ...object }: TestJson) => {
    const { name, first, last, ...rest } = spec;
    if (object.apiVersion === request.desiredAPIVersion) return { ...object, spec };
    const [one, two] = String(name ?? '').split(' ');
    const names = request.desiredAPIVersion.endsWith('/v2') ? { first: one, last: two } : { name: `${first} ${last}` };
    return { ...object, apiVersion: request.desiredAPIVersion, spec: { ...rest, ...names } };
  });
  return { kind, apiVersion, response: { uid: request.uid, convertedObjects, result: { status: 'Success' } } };
};

const SPLIT = [
  version('v1', { name: text, greeting: { ...text, default: 'hello' } }),
  version('v2', { first: text, last: text, greeting: { ...text, default: 'hello' } }),
];

inBothDialects((world) => {
  afterEach(() => world.forget());

  const withConversion = async (custom: Custom, at = `/${world.fresh('convert')}`): Promise<string> => {
    const clientConfig = world.hooks.at(at, converting);
    await custom.declare({ versions: SPLIT, conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } });
    return at;
  };

  test('R4.11-47 R4.11-48 a webhook about one custom resource is not asked about another of the same name', async () => {
    const [one, other] = [new Custom(world), new Custom(world)];
    for (const custom of [one, other]) await custom.declare({ versions: [version('v1', { name: text })] });
    const namespace = await world.namespace();
    const hook = world.webhook(namespace, allowing(), one.rules(['*']));
    await world.register('Validating', [hook]);
    expect(201, await other.make(namespace, 'v1', 'b', { name: 'b' }));
    assert.deepEqual(world.asked(hook), []);
    expect(201, await one.make(namespace, 'v1', 'a', { name: 'a' }));
    assert.deepEqual(world.asked(hook).map(({ name }) => name), ['a']);
  });

  test('what a webhook lets through once the definition is gone is not made, and is not there when the definition comes back', async () => {
    const custom = new Custom(world);
    const spec = { versions: [version('v1', { name: text })] };
    await custom.declare(spec);
    const namespace = await world.namespace();
    const withdrawing: Behaviour = async (...heard) => {
      await custom.withdraw();
      return allowing()(...heard);
    };
    await world.register('Validating', [world.webhook(namespace, withdrawing, custom.rules(['*']))]);
    expectFailure(404, 'NotFound', await custom.make(namespace, 'v1', 'late', { name: 'a' }));
    await custom.declare(spec);
    assert.deepEqual(expect(200, await world.request('GET', custom.path(namespace, 'v1'))).items, []);
  });

  test('a watch in a version that a webhook converts reports every object that goes with its definition, however long the webhook takes', async () => {
    const custom = new Custom(world);
    const isGone = deferred<void>();
    let isGoing = false;
    const late: Behaviour = async (...heard) => {
      if (isGoing) await isGone.promise;
      return converting(...heard);
    };
    const clientConfig = world.hooks.at(`/${world.fresh('convert')}`, late);
    await custom.declare({ versions: SPLIT, conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } });
    const namespace = await world.namespace();
    for (const name of ['a', 'b']) expect(201, await custom.make(namespace, 'v1', name, { name: 'Ann Lee' }));
    const watch = await world.server.watch(`${custom.path(namespace, 'v2')}?watch=1`);
    await watch.next(2);
    isGoing = true;
    await custom.withdraw();
    isGone.resolve();
    const told = (await watch.rest()).map(({ type, object }) => `${type} ${object.metadata.name} ${object.spec?.last}`);
    assert.deepEqual(told, ['DELETED a Lee', 'DELETED b Lee']);
  });

  test('a watch in a version that a webhook converts tells its client to list again where the webhook fails', async () => {
    const custom = new Custom(world);
    let isBroken = false;
    const refusing: Behaviour = ({ review: { kind, apiVersion, request } }) => ({ kind, apiVersion, response: { uid: request.uid, result: { status: 'Failure', message: 'no' } } });
    const failing: Behaviour = (...heard) => (isBroken ? refusing : converting)(...heard);
    const clientConfig = world.hooks.at(`/${world.fresh('convert')}`, failing);
    await custom.declare({ versions: SPLIT, conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } });
    const namespace = await world.namespace();
    const watch = await world.server.watch(`${custom.path(namespace, 'v2')}?watch=1`);
    isBroken = true;
    expect(201, await custom.make(namespace, 'v1', 'a', { name: 'Ann Lee' }));
    const [{ type, object }] = await watch.next(1);
    assert.deepEqual([type, object.kind, object.status, object.code, object.reason], ['ERROR', 'Status', 'Failure', 410, 'Expired']);
    assert.match(object.message, /^too old resource version: .*conversion webhook for /);
  });

  test('R4.11-69 webhooks registered before the definition see every write of its objects, and what they change is fitted to its schema', async () => {
    const custom = new Custom(world);
    const namespace = await world.namespace();
    const patch = [{ op: 'add', path: '/spec/b', value: 'patched' }, { op: 'add', path: '/spec/unknown', value: 1 }, { op: 'remove', path: '/spec/c' }];
    const change = world.webhook(namespace, patching(patch), { ...custom.rules(['v1'], ['foos'], WRITES), name: 'change.example.com' });
    const check = world.webhook(namespace, allowing(), custom.rules(['*'], ['foos', 'foos/status']));
    await world.register('Mutating', [change]);
    await world.register('Validating', [check]);
    await custom.declare({ versions: [version('v1', { a: text, b: text, c: { ...text, default: 'c' } })] });
    const made = expect(201, await custom.make(namespace, 'v1', 'x', { a: '1' }));
    assert.deepEqual(made.spec, { a: '1', b: 'patched', c: 'c' });
    const item = custom.path(namespace, 'v1', 'x');
    expect(200, await world.patch('merge', item, { spec: { a: '2' } }));
    expect(200, await world.patch('merge', `${item}/status`, { status: { said: 'so' } }));
    expect(200, await world.request('DELETE', item));
    const rows = world.asked(check).map(({ operation, subResource, object, oldObject }) => [operation, subResource, object?.spec.a, object?.status?.said, oldObject?.spec.a]);
    assert.deepEqual(rows, [
      ['CREATE', undefined, '1', undefined, undefined],
      ['UPDATE', undefined, '2', undefined, '1'],
      ['UPDATE', 'status', '2', 'so', '2'],
      ['DELETE', undefined, undefined, undefined, '2'],
    ]);
    assert.deepEqual(world.asked(check)[0]?.object.spec, made.spec, 'what is checked is what is stored');
    assert.deepEqual(world.asked(change).map(({ operation }) => operation), ['CREATE', 'UPDATE']);
  });

  test('R4.11-69 what a webhook writes is stored as it stands there: large numbers, and members of any name', async () => {
    const custom = new Custom(world);
    const namespace = await world.namespace();
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    await custom.declare({ versions: [version('v1', {}, { schema })] });
    const patch = '[{"op":"add","path":"/count","value":9007199254740993},{"op":"add","path":"/__proto__","value":{"said":"own"}}]';
    const change = allowing({ patchType: 'JSONPatch', patch: Buffer.from(patch).toString('base64') });
    await world.register('Mutating', [world.webhook(namespace, change, custom.rules(['v1'], ['foos'], ['CREATE']))]);
    const { status, text: made } = await custom.make(namespace, 'v1', 'x', {});
    assert.equal(status, 201, made);
    assert.match(made, /"count":9007199254740993[,}]/);
    assert.match(made, /"__proto__":\{"said":"own"\}/);
  });

  test('R2.7-21 R4.11-69 Equivalent shows an object in the version of the rule, whichever version the request came through, and Exact only that version', async () => {
    const custom = new Custom(world);
    await withConversion(custom);
    const namespace = await world.namespace();
    const patch = [{ op: 'replace', path: '/spec/name', value: 'Emmy Noether' }, { op: 'remove', path: '/spec/greeting' }];
    const change = world.webhook(namespace, patching(patch), { ...custom.rules(['v1'], ['foos'], WRITES), matchPolicy: 'Equivalent', name: 'change.example.com' });
    const exact = world.webhook(namespace, allowing(), { ...custom.rules(['v1']), matchPolicy: 'Exact', name: 'exact.example.com' });
    const second = world.webhook(namespace, allowing(), { ...custom.rules(['v2']), matchPolicy: 'Equivalent', name: 'second.example.com' });
    const check = world.webhook(namespace, allowing(), { ...custom.rules(['v1']), matchPolicy: 'Equivalent' });
    await world.register('Mutating', [change, exact, second]);
    await world.register('Validating', [check]);
    const made = expect(201, await custom.make(namespace, 'v2', 'x', { first: 'Ada', last: 'Lovelace' }));
    assert.deepEqual([made.apiVersion, made.spec], [`${custom.group}/v2`, { first: 'Emmy', last: 'Noether', greeting: 'hello' }]);
    const [asked] = world.asked(change);
    const kindOf = (served: string): object => ({ group: custom.group, version: served, kind: 'Foo' });
    const resourceOf = (served: string): object => ({ group: custom.group, version: served, resource: 'foos' });
    assert.deepEqual(
      [asked.kind, asked.resource, asked.requestKind, asked.requestResource, asked.object.apiVersion, asked.object.spec],
      [kindOf('v1'), resourceOf('v1'), kindOf('v2'), resourceOf('v2'), `${custom.group}/v1`, { name: 'Ada Lovelace', greeting: 'hello' }],
    );
    assert.deepEqual(world.asked(second)[0].object.spec, { first: 'Emmy', last: 'Noether', greeting: 'hello' });
    assert.deepEqual(world.asked(check)[0].object.spec, { name: 'Emmy Noether', greeting: 'hello' });
    assert.equal(world.asked(exact).length, 0);
    expect(200, await world.patch('merge', custom.path(namespace, 'v2', 'x'), { spec: { greeting: 'hi' } }));
    const { object, oldObject } = world.asked(check)[1];
    const inRule = { apiVersion: `${custom.group}/v1`, spec: { name: 'Emmy Noether', greeting: 'hello' } };
    assert.deepEqual([object, oldObject].map(({ apiVersion, spec }) => ({ apiVersion, spec })), [inRule, inRule]);
    expect(200, await world.patch('merge', custom.path(namespace, 'v1', 'x'), { spec: { greeting: 'hey' } }));
    assert.equal(world.asked(exact).length, 1);
    expect(200, await world.request('DELETE', custom.path(namespace, 'v2', 'x')));
    assert.deepEqual(world.asked(check).at(-1).oldObject.apiVersion, `${custom.group}/v1`);
  });

  test('R4.11-69 an object is converted once for all webhooks that want the same version of it, and again where one of them changed it', async () => {
    const custom = new Custom(world);
    const at = await withConversion(custom);
    const namespace = await world.namespace();
    expect(201, await custom.make(namespace, 'v1', 'x', { name: 'Ada Lovelace' }));
    const more = (name: string): object => ({ ...custom.rules(['v2'], ['foos'], ['UPDATE']), name: `${name}.example.com` });
    const hooks = [
      world.webhook(namespace, allowing(), more('first')),
      world.webhook(namespace, patching([{ op: 'replace', path: '/spec/last', value: 'King' }]), more('second')),
      world.webhook(namespace, allowing(), more('third')),
      world.webhook(namespace, allowing(), more('fourth')),
    ];
    await world.register('Mutating', hooks);
    const changed = expect(200, await world.patch('merge', custom.path(namespace, 'v1', 'x'), { spec: { greeting: 'hi' } }));
    assert.deepEqual(changed.spec, { name: 'Ada King', greeting: 'hi' });
    assert.deepEqual(hooks.map((hook) => world.asked(hook).map(({ object, oldObject }) => [object.spec.last, oldObject.spec.last])), [
      [['Lovelace', 'Lovelace']],
      [['Lovelace', 'Lovelace']],
      [['King', 'Lovelace']],
      [['King', 'Lovelace']],
    ]);
    const converted = world.hooks.reviewsAt(at).map(({ request }) => `${request.objects[0].spec.name ?? request.objects[0].spec.last} to ${request.desiredAPIVersion.split('/')[1]}`);
    assert.deepEqual(converted, ['Ada Lovelace to v2', 'Ada Lovelace to v2', 'King to v1', 'Ada King to v2']);
  });

  test('versions that differ in nothing but their names are equivalent without a conversion webhook, and keep what only one of them knows out of the other', async () => {
    const custom = new Custom(world);
    await custom.declare({ versions: [version('v1', { a: text, b: text }), version('v2', { a: text }), version('v3', { a: text, d: { ...text, default: 'd' } })] });
    const namespace = await world.namespace();
    const change = world.webhook(namespace, patching([{ op: 'add', path: '/spec/a', value: 'new' }]), { ...custom.rules(['v3']), matchPolicy: 'Equivalent' });
    await world.register('Mutating', [change]);
    const made = expect(201, await custom.make(namespace, 'v2', 'x', { a: 'old' }));
    assert.deepEqual([made.apiVersion, made.spec], [`${custom.group}/v2`, { a: 'new' }]);
    const [asked] = world.asked(change);
    assert.deepEqual([asked.object.apiVersion, asked.object.spec.a], [`${custom.group}/v3`, 'old']);
  });

  test('an object that cannot be converted is not stored, whatever the policy of the webhook says', async () => {
    const custom = new Custom(world);
    const at = await withConversion(custom);
    const namespace = await world.namespace();
    const more = { ...custom.rules(['v1']), matchPolicy: 'Equivalent', failurePolicy: 'Ignore' };
    for (const kind of ['Mutating', 'Validating'] as const) {
      const hook = world.webhook(namespace, allowing(), more);
      await world.register(kind, [hook]);
      world.hooks.at(at, ({ review }) => ({ kind: review.kind, apiVersion: review.apiVersion, response: { uid: review.request.uid, result: { status: 'Failure', message: 'not today' } } }));
      const refused = expectFailure(500, 'InternalError', await custom.make(namespace, 'v2', 'x', { first: 'Ada', last: 'Lovelace' }));
      assert.equal(refused.message, `Internal error occurred: conversion webhook for ${custom.group}/v2, Kind=Foo failed: not today`);
      assert.equal(world.asked(hook).length, 0);
      await world.forget();
      world.hooks.at(at, converting);
    }
    assert.deepEqual(expect(200, await world.request('GET', custom.path(namespace, 'v1'))).items, []);
  });

  test('a write whose time was over while it was converted stores nothing afterwards', async () => {
    const custom = new Custom(world);
    const at = await withConversion(custom);
    const namespace = await world.namespace();
    for (const name of ['late', 'next']) expect(201, await custom.make(namespace, 'v1', name, { name: 'Ada Lovelace' }));
    const before = expect(200, await world.request('GET', custom.path(namespace, 'v1', 'late')));
    const [isAnswered, isSaved] = [deferred<void>(), deferred<void>()];
    world.hooks.at(at, async (heard, response) => {
      const { objects: [object], desiredAPIVersion } = heard.review.request;
      if (object.metadata.name === 'late' && desiredAPIVersion.endsWith('/v2')) await isAnswered.promise;
      else if (object.metadata.name === 'late') isSaved.resolve();
      return converting(heard, response);
    });
    const patch = (name: string, query = ''): Promise<TestAnswer> => world.patch('merge', `${custom.path(namespace, 'v2', name)}${query}`, { spec: { last: 'King' } });
    expectFailure(504, 'Timeout', await patch('late', '?timeout=10ms'));
    isAnswered.resolve();
    await isSaved.promise;
    // Whatever the first was about to store is stored before a later one has been converted back and forth.
    expect(200, await patch('next'));
    assert.deepEqual(expect(200, await world.request('GET', custom.path(namespace, 'v1', 'late'))), before);
  });

  test('owners of large numbers are told in versions that a webhook converts', async () => {
    const custom = new Custom(world);
    const at = `/${world.fresh('convert')}`;
    const versions = ['v1', 'v2'].map((name) => version(name, { count: { type: 'integer', format: 'int64' }, a: text }));
    await custom.declare({ versions, conversion: { strategy: 'Webhook', webhook: { clientConfig: world.hooks.at(at, converting), conversionReviewVersions: ['v1'] } } });
    const namespace = await world.namespace();
    const body = `{"apiVersion":"${custom.group}/v1","kind":"Foo","metadata":{"name":"x"},"spec":{"count":9007199254740993}}`;
    expect(201, await world.request('POST', custom.path(namespace, 'v1'), body));
    expect(200, await world.patch('merge', `${custom.path(namespace, 'v2', 'x')}?fieldManager=other`, { spec: { a: 'b' } }));
    expect(200, await world.patch('apply', `${custom.path(namespace, 'v2', 'x')}?fieldManager=third`, { apiVersion: `${custom.group}/v2`, kind: 'Foo', metadata: { name: 'x' }, spec: { a: 'b' } }));
  });

  test('an object is not made that was admitted under a definition in whose place another of that name stands now', async () => {
    const custom = new Custom(world);
    await custom.declare({ versions: [version('v1', { a: text, old: text })] });
    const namespace = await world.namespace();
    const replacing: Behaviour = async (heard, response) => {
      await custom.withdraw();
      await custom.declare({ versions: [version('v1', { a: text })] });
      return allowing()(heard, response);
    };
    await world.register('Validating', [world.webhook(namespace, replacing, custom.rules(['v1']))]);
    expectFailure(404, 'NotFound', await custom.make(namespace, 'v1', 'x', { a: '1', old: 'x' }));
    assert.deepEqual(expect(200, await world.request('GET', custom.path(namespace, 'v1'))).items, []);
  });

  test('a webhook sees the scale of a custom resource where its definition says that it stands, and may change it', async () => {
    const custom = new Custom(world);
    const subresources = { status: {}, scale: { specReplicasPath: '.spec.size.wanted', statusReplicasPath: '.status.said' } };
    const properties = { size: { type: 'object', properties: { wanted: { type: 'integer' } } } };
    await custom.declare({ versions: [version('v1', properties, { subresources }), version('v2', properties, { subresources })] });
    const namespace = await world.namespace();
    const patch = [{ op: 'replace', path: '/spec/replicas', value: 5 }];
    const rules = custom.rules(['v1'], ['foos/scale']);
    const change = world.webhook(namespace, patching(patch), { ...rules, name: 'change.example.com' });
    const check = world.webhook(namespace, allowing(), rules);
    await world.register('Mutating', [change]);
    await world.register('Validating', [check]);
    for (const served of ['v1', 'v2']) {
      expect(201, await custom.make(namespace, served, served, { size: { wanted: 2 } }));
      const scale = `${custom.path(namespace, served, served)}/scale`;
      assert.equal(expect(200, await world.patch('merge', scale, { spec: { replicas: 9 } })).spec.replicas, 5);
      assert.equal(expect(200, await world.request('GET', custom.path(namespace, 'v1', served))).spec.size.wanted, 5);
    }
    const shown = [...world.asked(change), ...world.asked(check)].map(({ kind, object, oldObject }) => [kind.kind, object.kind, object.spec.replicas, oldObject.spec.replicas]);
    assert.deepEqual(shown, [9, 9, 5, 5].map((replicas) => ['Scale', 'Scale', replicas, 2]));
  });

  test('a refusal of a custom resource names the webhook and ends with its words', async () => {
    const custom = new Custom(world);
    await custom.declare({ versions: SPLIT.slice(0, 1) });
    const namespace = await world.namespace();
    await world.register('Validating', [world.webhook(namespace, denying({ code: 403, reason: 'Forbidden', message: 'no' }), custom.rules(['v1']))]);
    const refused = expectFailure(403, 'Forbidden', await custom.make(namespace, 'v1', 'x', {}));
    assert.equal(refused.message, 'admission webhook "hook.example.com" denied the request: no');
  });
});

test('a server that is closed lets go of conversion webhooks, also of a call without an answer', { timeout: 20_000 }, async () => {
  const world = new WebhookWorld('orch');
  await world.start({ shutdownGraceMs: 0 });
  try {
    const custom = new Custom(world);
    const isWaiting = deferred<void>();
    const behaviours: Behaviour[] = [converting, () => isWaiting.resolve()];
    const clientConfig = world.hooks.at('/convert', (...heard) => behaviours.shift()?.(...heard));
    await custom.declare({ versions: SPLIT, conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } } });
    const namespace = await world.namespace();
    expect(201, await custom.make(namespace, 'v1', 'a', { name: 'Ann Lee' }));
    const read = (): Promise<TestAnswer> => world.request('GET', custom.path(namespace, 'v2', 'a'));
    expect(200, await read());
    const unanswered = read();
    await isWaiting.promise;
    await world.server.close();
    expectFailure(503, 'ServiceUnavailable', await unanswered);
    await Promise.all(world.hooks.callsAt('/convert').map(({ disconnected }) => disconnected));
  } finally {
    await world.end();
  }
});
