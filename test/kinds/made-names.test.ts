// Names that the server makes, with every kind: a kind is prepared before its objects have one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIALECTS } from '#api';
import { startTestServer } from '#testing';
import { examplesOf } from './examples.ts';

/** Kinds whose name follows from their content. */
const NAMED_BY_CONTENT = new Set(['APIService', 'CustomResourceDefinition']);

for (const dialect of DIALECTS) {
  test(`R2.2-02 R2.2-03 an object of every kind gets a name from generateName (${dialect})`, async (t) => {
    const server = await startTestServer({ dialect, controllers: 'none' });
    t.after(() => server.close());
    await server.request('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
    await server.request('POST', '/api/v1/namespaces/n/serviceaccounts', { metadata: { name: 'default' } });
    const examples = examplesOf(dialect).filter(({ resource }) => !NAMED_BY_CONTENT.has(resource.kind.kind));
    assert.ok(examples.length > 40);
    for (const { path, body } of examples) {
      const { name: _given, ...metadata } = body.metadata;
      const { status, body: made } = await server.request('POST', path, { ...body, metadata: { ...metadata, generateName: 'made-' } });
      assert.equal(status, 201, `${path}: ${made.message}`);
      // As in 1.23 a LimitRange takes its uid for want of a name.
      assert.match(made.metadata.name, body.kind === 'LimitRange' ? /^[0-9a-f-]{36}$/ : /^made-[a-z0-9]{5}$/, path);
    }
    const labelled = async (path: string, body: object): Promise<unknown[]> => {
      const { body: { metadata, spec } } = await server.request('POST', path, { ...body, metadata: { generateName: 'made-' } });
      return [metadata.name, metadata.labels, spec.template?.metadata.labels];
    };
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const [name, own, ofPods] = (await labelled('/apis/batch/v1/namespaces/n/jobs', { spec: { template } })) as [string, Record<string, string>, Record<string, string>];
    assert.deepEqual([own['job-name'], ofPods['job-name']], [name, name]);
    assert.deepEqual(Object.keys(own), Object.keys(ofPods));
  });
}
