// Later releases of kubectl explain kinds out of OpenAPI version 3, where a server has it.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startServerProcess, type ServerProcess } from '../support/server-process.ts';
import { kubectl } from './kubectl-command.ts';

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties: { size: { type: 'integer', description: 'How large it is.' } } } } }],
  },
};

describe('OpenAPI version 3', () => {
  let server: ServerProcess;
  before(async () => {
    server = await startServerProcess({ flags: ['--dialect', 'kubernetes', '--store', 'memory://', '--controllers', 'none', '--feature-gates', 'OpenAPIV3=true'] });
  });
  after(() => server.stop());

  for (const release of ['1.28', '1.35']) {
    test(`kubectl ${release} finds the documents, explains out of them, and writes`, async () => {
      const client = kubectl(release, server.kubeconfig);
      try {
        await client.run(['apply', '-f', '-'], JSON.stringify(WIDGETS));
        const { paths } = JSON.parse(await client.run(['get', '--raw', '/openapi/v3'])) as { paths: Record<string, { serverRelativeURL: string }> };
        const widgets = JSON.parse(await client.run(['get', '--raw', paths['apis/example.com/v1']?.serverRelativeURL ?? ''])) as { paths: object };
        assert.ok(Object.hasOwn(widgets.paths, '/apis/example.com/v1/namespaces/{namespace}/widgets'));
        const explained = await client.attempt(['explain', 'deployments.spec.strategy.rollingUpdate', '-v=6']);
        assert.match(explained.out, /maxSurge\s+<IntOrString>/);
        assert.match(explained.err, /\/openapi\/v3\/apis\/apps\/v1\?hash=/);
        assert.match(await client.run(['explain', 'widgets.size']), /How large it is\./);
        assert.match(await client.run(['create', 'configmap', `by-${release}`, '--dry-run=server']), /created/);
        await client.run(['apply', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `by-${release}` } }));
      } finally {
        client.close();
      }
    });
  }
});
