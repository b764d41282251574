import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer } from '#testing';
import { established } from '../support/definitions.ts';

const GROUP = 'namesakes.example.com';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const SCHEMA = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

test('custom resources with the plural of a built-in kind are in the namespace of their path for admission, too', async () => {
  await using server = await startTestServer({ dialect: 'kubernetes' });
  for (const [plural, kind] of [['namespaces', 'Namespace'], ['localsubjectaccessreviews', 'LocalSubjectAccessReview'], ['pods', 'Pod']] as const) {
    const definition = {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${plural}.${GROUP}` },
      spec: { group: GROUP, scope: 'Namespaced', names: { plural, kind }, versions: [{ name: 'v1', served: true, storage: true, schema: SCHEMA }] },
    };
    assert.equal((await server.request('POST', DEFINITIONS, definition)).status, 201);
    await established(server, `${DEFINITIONS}/${plural}.${GROUP}`);
    // The name is that of a namespace, which the namespace of the path is not.
    const create = async (namespace: string, name: string): Promise<number> =>
      (await server.request('POST', `/apis/${GROUP}/v1/namespaces/${namespace}/${plural}`, { apiVersion: `${GROUP}/v1`, kind, metadata: { name } })).status;
    assert.equal(await create('none', 'default'), 404, plural);
    assert.equal(await create('default', 'none'), 201, plural);
  }
});
