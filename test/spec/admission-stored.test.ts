import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import type { AdmissionPlugin, AdmissionRequest } from '#admission';
import { brandOf, createCatalog, objectTypeOf, type Resource } from '#api';
import { createJsonCodec } from '#codec';
import { allKinds } from '#kinds';
import { startTestServer, type TestAnswer, type TestJson, type TestServer } from '#testing';

const codec = createJsonCodec();
const catalog = createCatalog(allKinds, brandOf('kubernetes'));

/** What validating admission was shown, encoded the moment it was shown. */
interface Seen {
  readonly operation: string;
  readonly subresource: string;
  readonly object: TestJson;
  readonly live: TestJson;
}

const seen: Seen[] = [];

/** What a plugin changes about bindings and evictions. */
const moved: { node?: string | undefined; uid?: string | undefined; graceSeconds?: number | undefined } = {};

const mover: AdmissionPlugin = {
  name: 'Mover',
  enabled: true,
  band: 'builtin',
  create: () => ({
    on: ['CREATE'],
    kinds: ['/bindings', '/pods/binding', '/pods/eviction'],
    mutate(request) {
      const object = request.object as TestJson;
      if (object.kind === 'Binding') {
        if (moved.node !== undefined) object.target.name = moved.node;
        object.metadata.annotations = { ...object.metadata.annotations, moved: 'yes' };
        return;
      }
      if (moved.graceSeconds !== undefined) object.deleteOptions.gracePeriodSeconds = moved.graceSeconds;
      if (moved.uid !== undefined) object.deleteOptions.preconditions = { uid: moved.uid };
    },
  }),
};

/** Puts another object in the place of the one that it is asked about. */
const replacer: AdmissionPlugin = {
  name: 'Replacer',
  enabled: true,
  band: 'builtin',
  create: () => ({
    on: ['UPDATE'],
    kinds: ['apps/deployments/scale'],
    mutate(request) {
      const object = request.object as TestJson;
      request.object = { ...object, spec: { ...object.spec, paused: true } };
    },
  }),
};

/** Runs last, and writes down what it sees. */
const recorder: AdmissionPlugin = {
  name: 'Recorder',
  enabled: true,
  band: 'final',
  after: ['AlwaysDeny'],
  create: () => ({
    on: ['CREATE', 'UPDATE', 'DELETE'],
    validate({ operation, subresource, resource, object, live, user }: Readonly<AdmissionRequest>) {
      // It writes statuses at any moment, and is not what is tested here.
      if (user.name === 'system:apiserver') return;
      const encoded = (one: AdmissionRequest['object']): TestJson =>
        one === undefined ? undefined : JSON.parse(new TextDecoder().decode(codec.encode(objectTypeOf(resource.storage.schema), one)));
      seen.push({ operation, subresource, object: encoded(object), live: encoded(live) });
    },
  }),
};

/** The revision is given by the store, with the write. */
function withoutRevision(object: TestJson): TestJson {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

interface Example {
  readonly resource: Resource;
  readonly path: string;
  readonly body: TestJson;
}

/** Their status is also written by the server, at any moment. */
const WRITTEN_BY_THE_SERVER: readonly string[] = ['CustomResourceDefinition', 'APIService', 'FlowSchema'];

/** An object of every kind that can be created, from the recorded conversations; each in the version it is stored in. */
function examples(): readonly Example[] {
  const files = JSON.parse(brotliDecompressSync(readFileSync('test/conformance/data.json.br')).toString('utf8')) as Record<string, string>;
  const bodies = new Map<string, TestJson>();
  for (const [name, text] of Object.entries(files)) {
    if (!name.startsWith('scenarios/types-')) continue;
    for (const { steps } of (JSON.parse(text) as TestJson).scenarios) {
      for (const { method, path, body } of steps) if (method === 'POST' && !bodies.has(path) && body?.metadata?.name !== undefined) bodies.set(path, body);
    }
  }
  return catalog.resources.flatMap((resource, position) => {
    const { kind, group, plural, storage } = resource;
    if (kind.action !== undefined || kind.storedAs !== undefined || !(kind.verbs ?? ['create']).includes('create')) return [];
    const prefix = group === '' ? '/api' : `/apis/${group}`;
    const collection = `${prefix}/${storage.version}${kind.scope === 'Namespaced' ? '/namespaces/${ns}' : ''}/${plural}`;
    const body = bodies.get(collection);
    if (body === undefined) return [];
    const filled = JSON.parse(JSON.stringify(body).replaceAll('${ns}', 'n').replaceAll('${u}', `u${position}`)) as TestJson;
    return [{ resource, path: collection.replace('${ns}', 'n'), body: { ...filled, metadata: { ...filled.metadata, name: filled.metadata.name ?? 'obj' } } }];
  });
}

describe('R4.11-01 R4.11-55 what is stored is what validating admission saw last', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ dialect: 'kubernetes', controllers: 'none', admission: { plugins: [mover, replacer, recorder] } });
    await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
    await server.request('POST', '/api/v1/namespaces/n/serviceaccounts', { metadata: { name: 'default' } });
  });
  after(() => server.close());

  const write = async (what: string, sent: Promise<TestAnswer>): Promise<TestAnswer> => {
    seen.length = 0;
    const answer = await sent;
    assert.ok(answer.status < 300, `${what}: ${answer.status} ${answer.text}`);
    return answer;
  };
  /** What is stored now, and that it was seen as it is. */
  const agree = async (what: string, item: string, operation: string, subresource = ''): Promise<TestJson> => {
    const stored = (await server.request('GET', item)).body;
    const last = seen.at(-1);
    assert.deepEqual([last?.operation, last?.subresource], [operation, subresource], what);
    const group: string = last?.object.apiVersion.split('/').at(-2) ?? '';
    const { storedForms } = catalog.findKind(group, last?.object.kind)?.kind ?? {};
    // A volume is kept without the phase that everybody reads.
    const [shown] = (await storedForms?.load([last?.object])) ?? [last?.object];
    assert.deepEqual(withoutRevision(shown), withoutRevision(stored), what);
    return stored;
  };

  const found = examples();
  const isWrittenByTheServer = ({ resource }: Example): boolean => WRITTEN_BY_THE_SERVER.includes(resource.kind.kind);
  const all = found.filter((one) => !isWrittenByTheServer(one));
  test('every kind has an example', () => {
    const kinds = catalog.resources.filter(({ kind }) => kind.action === undefined && kind.storedAs === undefined && (kind.verbs ?? ['create']).includes('create'));
    assert.deepEqual(kinds.map(({ kind }) => kind.kind).filter((kind) => !found.some(({ resource }) => resource.kind.kind === kind)), []);
  });

  for (const { resource, path, body } of all) {
    const { kind } = resource;
    test(`${resource.storage.apiVersion} ${kind.kind}`, async () => {
      const { name } = body.metadata;
      const item = `${path}/${name}`;
      await write('POST', server.request('POST', path, body));
      const made = await agree('POST', item, 'CREATE');
      await write('PUT', server.request('PUT', item, { ...made, metadata: { ...made.metadata, labels: { put: 'yes' } } }));
      await agree('PUT', item, 'UPDATE');
      const annotations = { metadata: { annotations: { patched: 'yes' } } };
      await write('merge patch', server.patch('merge', item, annotations));
      await agree('merge patch', item, 'UPDATE');
      await write('strategic patch', server.patch('strategic', item, { metadata: { annotations: { strategic: 'yes' } } }));
      await agree('strategic patch', item, 'UPDATE');
      await write('json patch', server.patch('json', item, [{ op: 'add', path: '/metadata/annotations/json', value: 'yes' }]));
      await agree('json patch', item, 'UPDATE');
      const config = { apiVersion: made.apiVersion, kind: made.kind, metadata: { name, annotations: { applied: 'yes' } } };
      await write('apply', server.patch('apply', `${item}?fieldManager=m`, config));
      await agree('apply', item, 'UPDATE');
      for (const [subresource, { writes, verbs, action, keepsMetadata }] of Object.entries(kind.subresources ?? {})) {
        if (writes === undefined || action !== undefined || !verbs.includes('update') || subresource === 'ephemeralcontainers') continue;
        const live = (await server.request('GET', `${item}/${subresource}`)).body;
        const change = keepsMetadata?.includes('annotations') === true ? {} : { annotations: { ...live.metadata.annotations, [subresource]: 'yes' } };
        await write(subresource, server.request('PUT', `${item}/${subresource}`, { ...live, metadata: { ...live.metadata, ...change } }));
        await agree(subresource, item, 'UPDATE', subresource);
      }
      const stored = (await server.request('GET', item)).body;
      await write('dry run', server.patch('merge', `${item}?dryRun=All`, { metadata: { annotations: { dry: 'yes' } } }));
      assert.equal(seen.at(-1)?.object.metadata.annotations.dry, 'yes');
      assert.deepEqual((await server.request('GET', item)).body, stored);
      await write('DELETE', server.request('DELETE', item));
      assert.deepEqual([seen.at(-1)?.operation, seen.at(-1)?.object, seen.at(-1)?.live], ['DELETE', undefined, stored]);
    });
  }

  for (const { resource, path, body } of found.filter(isWrittenByTheServer)) {
    const { kind } = resource;
    test(`${resource.storage.apiVersion} ${kind.kind}, whose status the server writes at any moment: the answer is what was seen`, async () => {
      const item = `${path}/${body.metadata.name}`;
      const agrees = async (what: string, operation: string, sent: Promise<TestAnswer>): Promise<void> => {
        const answer = (await write(what, sent)).body;
        const own = seen.findLast((one) => one.operation === operation && one.subresource === '' && one.object.kind === body.kind);
        assert.deepEqual(withoutRevision(own?.object), withoutRevision(answer), what);
      };
      await agrees('POST', 'CREATE', server.request('POST', path, body));
      await agrees('merge patch', 'UPDATE', server.patch('merge', item, { metadata: { annotations: { patched: 'yes' } } }));
      await agrees('json patch', 'UPDATE', server.patch('json', item, [{ op: 'add', path: '/metadata/annotations/json', value: 'yes' }]));
      await agrees('apply', 'UPDATE', server.patch('apply', `${item}?fieldManager=m`, { apiVersion: body.apiVersion, kind: body.kind, metadata: { name: body.metadata.name, annotations: { applied: 'yes' } } }));
      await write('DELETE', server.request('DELETE', item));
      assert.ok(seen.some(({ operation, object }) => operation === 'DELETE' && object === undefined));
    });
  }

  test('what an apply or an update creates is seen as created', async () => {
    const leases = '/apis/coordination.k8s.io/v1/namespaces/n/leases';
    const lease = (name: string): object => ({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec: { holderIdentity: 'me' } });
    await write('apply', server.patch('apply', `${leases}/applied?fieldManager=m`, lease('applied')));
    await agree('apply', `${leases}/applied`, 'CREATE');
    await write('PUT', server.request('PUT', `${leases}/put`, lease('put')));
    await agree('PUT', `${leases}/put`, 'CREATE');
  });

  test('what is written through a path of its own is seen as the whole object', async () => {
    const pods = '/api/v1/namespaces/n/pods';
    await write('a pod', server.request('POST', pods, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }));
    const ephemeral = { spec: { ephemeralContainers: [{ name: 'd', image: 'i', terminationMessagePolicy: 'File', imagePullPolicy: 'Always' }] } };
    await write('a debugger', server.patch('strategic', `${pods}/p/ephemeralcontainers`, ephemeral));
    assert.equal((await agree('a debugger', `${pods}/p`, 'UPDATE', 'ephemeralcontainers')).spec.ephemeralContainers.length, 1);
    for (const plural of ['deployments', 'replicasets', 'statefulsets']) {
      const { body, path } = all.find(({ resource }) => resource.plural === plural) as Example;
      await write(plural, server.request('POST', path, { ...body, metadata: { ...body.metadata, name: 'scaled' } }));
      await write(`${plural}/scale`, server.patch('merge', `${path}/scaled/scale`, { spec: { replicas: 7 } }));
      const { replicas, paused } = (await agree(`${plural}/scale`, `${path}/scaled`, 'UPDATE', 'scale')).spec;
      assert.deepEqual([replicas, paused], [7, plural === 'deployments' ? true : undefined]);
    }
  });

  test('a binding: the pod gets what admission made of it', async () => {
    const pods = '/api/v1/namespaces/n/pods';
    const bind = (name: string, path: string): Promise<TestAnswer> =>
      server.request('POST', path, { apiVersion: 'v1', kind: 'Binding', metadata: { name, annotations: { sent: 'yes' } }, target: { kind: 'Node', name: 'asked' } });
    for (const [name, path, kind] of [['part', `${pods}/part/binding`, 'binding'], ['whole', '/api/v1/namespaces/n/bindings', '']] as const) {
      await write('a pod', server.request('POST', pods, { metadata: { name }, spec: { containers: [{ name: 'c', image: 'i' }] } }));
      moved.node = 'changed';
      await write('binding', bind(name, path));
      const { spec, metadata } = (await server.request('GET', `${pods}/${name}`)).body;
      const last = seen.at(-1);
      assert.deepEqual([last?.operation, last?.subresource, last?.object.target.name], ['CREATE', kind, 'changed']);
      assert.deepEqual([spec.nodeName, metadata.annotations], [last?.object.target.name, last?.object.metadata.annotations]);
    }
    await write('a pod', server.request('POST', pods, { metadata: { name: 'nowhere' }, spec: { containers: [{ name: 'c', image: 'i' }] } }));
    moved.node = '';
    seen.length = 0;
    assert.equal((await bind('nowhere', `${pods}/nowhere/binding`)).status, 500, 'what admission made is checked as what is sent');
    moved.node = undefined;
    assert.deepEqual([seen.length, (await server.request('GET', `${pods}/nowhere`)).body.spec.nodeName], [0, undefined]);
  });

  test('an eviction: the pod goes as admission made of it', async () => {
    const pods = '/api/v1/namespaces/n/pods';
    await write('a pod', server.request('POST', pods, { metadata: { name: 'e' }, spec: { containers: [{ name: 'c', image: 'i' }] } }));
    await write('a node', server.patch('merge', `${pods}/e/status`, { status: { phase: 'Running' } }));
    await write('binding', server.request('POST', `${pods}/e/binding`, { metadata: { name: 'e' }, target: { name: 'node' } }));
    const evict = (): Promise<TestAnswer> =>
      server.request('POST', `${pods}/e/eviction`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'e' }, deleteOptions: { gracePeriodSeconds: 5 } });
    moved.uid = 'another';
    assert.equal((await evict()).status, 409, 'a precondition that admission added holds');
    moved.uid = undefined;
    moved.graceSeconds = 17;
    await write('eviction', evict());
    moved.graceSeconds = undefined;
    const last = seen.at(-1);
    assert.deepEqual([last?.operation, last?.subresource, last?.object.deleteOptions.gracePeriodSeconds], ['CREATE', 'eviction', 17]);
    assert.equal((await server.request('GET', `${pods}/e`)).body.metadata.deletionGracePeriodSeconds, 17);
  });

  test('collections are removed one by one, each seen as it was', async () => {
    const path = '/api/v1/namespaces/n/configmaps';
    for (const name of ['a', 'b']) await server.request('POST', path, { metadata: { name, labels: { gone: 'yes' } } });
    const { items } = (await server.request('GET', `${path}?labelSelector=gone`)).body;
    await write('DELETE', server.request('DELETE', `${path}?labelSelector=gone`));
    assert.deepEqual(seen.map(({ live }) => live.metadata), items.map(({ metadata }: TestJson) => metadata));
  });
});
