import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startTestServer, type TestServer } from '#testing';
import { established } from '../support/definitions.ts';

const GROUP = 'deep.example.com';
const DEFINITIONS = '/apis/apiextensions.orch.io/v1/customresourcedefinitions';
/** How deep a body may be nested. */
const MOST = 512;

const nested = (name: string, levels: number): object => JSON.parse(`${`{"${name}":`.repeat(levels)}{}${'}'.repeat(levels)}`) as object;

/** Objects that are as deep as bodies may be: one by what it says, one by what it says of its owners. */
const OBJECTS = [
  { at: `/apis/${GROUP}/v1/namespaces/deep/foos`, object: { apiVersion: `${GROUP}/v1`, kind: 'Foo', metadata: { name: 'a' }, data: nested('d', MOST - 1) } },
  {
    at: '/api/v1/namespaces/deep/configmaps',
    object: { metadata: { name: 'a', managedFields: [{ manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: nested('f:d', MOST - 4) }] } },
  },
] as const;

async function declareFoos(server: TestServer): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const spec = { group: GROUP, scope: 'Namespaced', names: { plural: 'foos', kind: 'Foo' }, versions: [{ name: 'v1', served: true, storage: true, schema }] };
  const body = { apiVersion: 'apiextensions.orch.io/v1', kind: 'CustomResourceDefinition', metadata: { name: `foos.${GROUP}` }, spec };
  assert.equal((await server.request('POST', DEFINITIONS, body)).status, 201);
  await established(server, `${DEFINITIONS}/foos.${GROUP}`);
}

/** Whoever reads, lists or changes them gets an answer. */
async function useAll(server: TestServer, round: string): Promise<void> {
  for (const { at } of OBJECTS) {
    const metadata = 'application/json;as=PartialObjectMetadataList;g=meta.orch.io;v=v1';
    const table = 'application/json;as=Table;g=meta.orch.io;v=v1';
    for (const accept of ['application/json', 'application/yaml', metadata, table]) {
      for (const query of ['', '?labelSelector=!none', '?fieldSelector=metadata.name%3Da']) {
        const { status, text } = await server.request('GET', at + query, undefined, { accept });
        assert.equal(status, 200, `${at}${query} ${accept}: ${text.slice(0, 300)}`);
      }
    }
    const merged = await server.patch('merge', `${at}/a`, { metadata: { labels: { merged: round } } });
    const patched = await server.patch('json', `${at}/a`, [{ op: 'add', path: '/metadata/labels/patched', value: round }]);
    for (const { status, text } of [merged, patched]) assert.equal(status, 200, text.slice(0, 300));
  }
  const deeper = [{ op: 'add', path: '/top', value: {} }, { op: 'move', from: '/data', path: '/top/d' }, { op: 'move', from: '/top', path: '/data' }];
  const { status, text } = await server.patch('json', `${OBJECTS[0].at}/a`, deeper);
  assert.equal(status, 422, text.slice(0, 300));
}

test('objects that are nested as deep as bodies may be are read, changed and deleted, by whoever finds them in its store and by controllers', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'orch-deep-'));
  const options = { store: `lmdb://${folder}` };
  try {
    await using first = await startTestServer(options);
    assert.equal((await first.request('POST', '/api/v1/namespaces', { metadata: { name: 'deep' } })).status, 201);
    await declareFoos(first);
    for (const { at, object } of OBJECTS) {
      const made = await first.request('POST', at, object);
      assert.equal(made.status, 201, made.text.slice(0, 300));
    }
    await useAll(first, 'one');
    await first.close();

    await using second = await startTestServer(options);
    await established(second, `${DEFINITIONS}/foos.${GROUP}`);
    await useAll(second, 'two');
    const watch = await second.watch('/api/v1/namespaces?watch=1&fieldSelector=metadata.name%3Ddeep');
    assert.equal((await second.request('DELETE', '/api/v1/namespaces/deep')).status, 200);
    while ((await watch.next(1))[0].type !== 'DELETED');
    await watch.stop();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
