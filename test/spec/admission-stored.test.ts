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

/** Runs last, and writes down what it sees. */
const recorder: AdmissionPlugin = {
  name: 'Recorder',
  enabled: true,
  band: 'final',
  after: ['AlwaysDeny'],
  create: () => ({
    on: ['CREATE', 'UPDATE', 'DELETE'],
    validate({ operation, subresource, resource, object, live }: Readonly<AdmissionRequest>) {
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
  return catalog.resources.flatMap((resource) => {
    const { kind, group, plural, storage } = resource;
    if (kind.action !== undefined || kind.storedAs !== undefined || !(kind.verbs ?? ['create']).includes('create')) return [];
    const prefix = group === '' ? '/api' : `/apis/${group}`;
    const collection = `${prefix}/${storage.version}${kind.scope === 'Namespaced' ? '/namespaces/${ns}' : ''}/${plural}`;
    const body = bodies.get(collection);
    if (body === undefined || WRITTEN_BY_THE_SERVER.includes(kind.kind)) return [];
    const filled = JSON.parse(JSON.stringify(body).replaceAll('${ns}', 'n').replaceAll('${u}', 'u')) as TestJson;
    return [{ resource, path: collection.replace('${ns}', 'n'), body: { ...filled, metadata: { ...filled.metadata, name: filled.metadata.name ?? 'obj' } } }];
  });
}

describe('R4.11-01 R4.11-55 what is stored is what validating admission saw last', () => {
  let server: TestServer;
  before(async () => {
    server = await startTestServer({ dialect: 'kubernetes', controllers: 'none', admission: { plugins: [recorder] } });
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
    assert.deepEqual(withoutRevision(last?.object), withoutRevision(stored), what);
    return stored;
  };

  const all = examples();
  test('every other kind has an example', () => {
    const without = catalog.resources.filter(({ kind }) => kind.action === undefined && kind.storedAs === undefined && (kind.verbs ?? ['create']).includes('create'));
    assert.deepEqual(without.map(({ kind }) => kind.kind).filter((kind) => !all.some(({ resource }) => resource.kind.kind === kind)), WRITTEN_BY_THE_SERVER);
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
        const change = keepsMetadata === true ? {} : { annotations: { ...live.metadata.annotations, [subresource]: 'yes' } };
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
      assert.equal((await agree(`${plural}/scale`, `${path}/scaled`, 'UPDATE', 'scale')).spec.replicas, 7);
    }
  });

  test('collections are removed one by one, each seen as it was', async () => {
    const path = '/api/v1/namespaces/n/configmaps';
    for (const name of ['a', 'b']) await server.request('POST', path, { metadata: { name, labels: { gone: 'yes' } } });
    const { items } = (await server.request('GET', `${path}?labelSelector=gone`)).body;
    await write('DELETE', server.request('DELETE', `${path}?labelSelector=gone`));
    assert.deepEqual(seen.map(({ live }) => live.metadata), items.map(({ metadata }: TestJson) => metadata));
  });
});
