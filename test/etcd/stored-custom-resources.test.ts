// Custom resources as the servers of an existing cluster have stored them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import { createKeySpace } from '#storage';
import type { TestJson, TestServer } from '#testing';
import { established } from '../support/definitions.ts';
import { NO_ETCD } from './etcd-process.ts';
import { putEntry } from './raw-entries.ts';
import { serverOnEtcd } from './server-on-etcd.ts';

const PATH = '/apis/light.example/v1/namespaces/default/lamps';
const TEXT = { type: 'string' };
const STATUS = { type: 'object', properties: { phase: TEXT }, default: { phase: 'new' } };
const SCHEMA = { type: 'object', properties: { spec: { type: 'object', properties: { watts: { type: 'integer' } } }, status: STATUS } };
const VERSION = { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: SCHEMA } };
const SPEC = { group: 'light.example', scope: 'Namespaced', names: { plural: 'lamps', kind: 'Lamp' }, versions: [VERSION] };

for (const dialect of DIALECTS) {
  const brand = brandOf(dialect);
  const keys = createKeySpace(brand);
  const definitions = `/apis/${brand.group('apiextensions')}/v1/customresourcedefinitions`;

  describe(`custom resources that others have stored (${dialect})`, { skip: NO_ETCD }, () => {
    const place = serverOnEtcd();

    /** A server with a definition that never changed, beside which another program writes. */
    async function start(): Promise<TestServer> {
      const running = await place.restart({ dialect, controllers: 'none' });
      const made = await running.request('POST', definitions, { metadata: { name: 'lamps.light.example' }, spec: SPEC });
      assert.equal(made.status, 201, made.text);
      await established(running, `${definitions}/lamps.light.example`);
      return running;
    }

    /** A server with a definition that an older one has stored. */
    async function startOn(openAPIV3Schema: object): Promise<TestServer> {
      const metadata = { creationTimestamp: '2020-01-02T03:04:05Z', generation: 1, name: 'lamps.light.example', uid: 'uid-lamps' };
      const spec = { ...SPEC, preserveUnknownFields: false, versions: [{ ...VERSION, schema: { openAPIV3Schema } }] };
      const definition = { kind: 'CustomResourceDefinition', apiVersion: `${brand.group('apiextensions')}/v1beta1`, metadata, spec, status: {} };
      await put('apiextensions', 'customresourcedefinitions', '', metadata.name, definition);
      const running = await place.restart({ dialect, controllers: 'none' });
      await established(running, `${definitions}/${metadata.name}`);
      return running;
    }

    const put = (group: string, resource: string, namespace: string, name: string, object: object): Promise<void> =>
      putEntry(place.etcd, keys.keyOf({ group: brand.group(group), resource, namespace, name }), Buffer.from(`${JSON.stringify(object)}\n`));

    /** Members stand in the order of their names there, and a line feed behind them. */
    async function store(name: string, metadata: object, more: object): Promise<void> {
      const object = { apiVersion: 'light.example/v1', kind: 'Lamp', metadata: { creationTimestamp: '2100-01-02T03:04:05Z', name, namespace: 'default', uid: `uid-${name}`, ...metadata }, ...more };
      await put('light.example', 'lamps', 'default', name, object);
    }

    it('they are shown as their definition says, also where it has never changed', async () => {
      const running = await start();
      await store('a', { generation: 1 }, { spec: { color: 'red', watts: 5 } });
      const expected = { spec: { watts: 5 }, status: { phase: 'new' } };
      const shown = ({ spec, status }: TestJson): object => ({ spec, status });
      const watch = await running.watch(`${PATH}?watch=1`);
      const [added] = await watch.next(1);
      await watch.stop();
      assert.deepEqual(shown(added.object), expected);
      assert.deepEqual(shown((await running.request('GET', `${PATH}/a`)).body), expected);
      assert.deepEqual((await running.request('GET', PATH)).body.items.map(shown), [expected]);
      const patched = await running.patch('merge', `${PATH}/a`, { metadata: { labels: { seen: 'yes' } } });
      assert.deepEqual([patched.status, shown(patched.body)], [200, expected], patched.text);
    });

    it('new ones get nothing by default that a definition from before that rule does not know', async () => {
      const color = { type: 'object', properties: { name: TEXT }, default: { hue: 7, name: 'red' } };
      const running = await startOn({ type: 'object', properties: { color } });
      const made = await running.request('POST', PATH, { apiVersion: 'light.example/v1', kind: 'Lamp', metadata: { name: 'a' } });
      assert.deepEqual([made.status, made.body.color], [201, { name: 'red' }], made.text);
    });

    it('they are published without a schema that has types which there are not', async () => {
      const running = await startOn({ type: 'object', properties: { spec: { type: 'object', properties: { watts: { type: 'int' } } } } });
      const { definitions: published } = (await running.request('GET', '/openapi/v2')).body;
      const { 'x-kubernetes-group-version-kind': _, ...said } = published['example.light.v1.Lamp'];
      assert.deepEqual(said, { type: 'object' });
    });

    it('they lose what is malformed or unknown in their metadata, count their changes from one, and can be changed', async () => {
      const running = await start();
      await store('old', { annotations: { a: 1, b: 'x' }, clusterUid: 'c', finalizers: null, generation: null, labels: { spaced: 'x y' }, ownerReferences: 'none' }, { spec: { watts: 5 } });
      const { body } = await running.request('GET', `${PATH}/old`);
      const { resourceVersion: _, ...metadata } = body.metadata;
      assert.deepEqual(metadata, { creationTimestamp: '2100-01-02T03:04:05Z', generation: 1, labels: { spaced: 'x y' }, name: 'old', namespace: 'default', uid: 'uid-old' });
      assert.equal((await running.request('PUT', `${PATH}/old`, body)).status, 422, 'the label is as bad as before');
      const changed = await running.patch('merge', `${PATH}/old`, { metadata: { labels: { spaced: 'x-y' } }, spec: { watts: 6 } });
      assert.deepEqual([changed.status, changed.body.metadata.generation], [200, 2], changed.text);
      assert.equal((await running.request('DELETE', `${PATH}/old`)).status, 200);
    });
  });
}
