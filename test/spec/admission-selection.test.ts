import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTestServer, type TestServer } from '#testing';

const NOWHERE = '/api/v1/namespaces/nowhere/configmaps';

async function withServer(admission: object, use: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startTestServer({ admission, controllers: 'none' });
  await use(server);
  await server.close();
}

test('R4.11-03 R4.11-04 plugins can be switched on and off', async () => {
  const map = { metadata: { name: 'a' } };
  await withServer({ enable: ['NamespaceAutoProvision'] }, async (server) => {
    assert.equal((await server.request('POST', `${NOWHERE}?dryRun=All`, map)).status, 404);
    assert.equal((await server.request('GET', '/api/v1/namespaces/nowhere')).status, 404);
    assert.equal((await server.request('POST', NOWHERE, map)).status, 201);
    assert.equal((await server.request('GET', '/api/v1/namespaces/nowhere')).body.status.phase, 'Active');
  });
  await withServer({ disable: ['NamespaceLifecycle'] }, async (server) => {
    assert.equal((await server.request('POST', NOWHERE, map)).status, 201);
  });
  await withServer({ enable: ['AlwaysDeny', 'AlwaysAdmit'] }, async (server) => {
    const { status, body } = await server.request('POST', '/api/v1/namespaces/default/configmaps', map);
    assert.deepEqual([status, body.message], [403, 'configmaps "a" is forbidden: admission control is denying all modifications']);
  });
});

test('NamespaceAutoProvision: what cannot be created in a namespace of a bad name is forbidden', async () => {
  await withServer({ enable: ['NamespaceAutoProvision'] }, async (server) => {
    const made = await server.request('POST', '/api/v1/namespaces/Bad_Name/configmaps', { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } });
    assert.equal(made.status, 403);
    assert.match(made.body.message, /^configmaps "a" is forbidden: Namespace "Bad_Name" is invalid: metadata.name: Invalid value: "Bad_Name": a lowercase RFC 1123 label/);
  });
});

test('R4.11-06 a plugin that is not known, or on and off at once, fails the start', async () => {
  for (const admission of [{ enable: ['Nothing'] }, { disable: ['Nothing'] }, { config: { Nothing: {} } }]) {
    await assert.rejects(startTestServer({ admission }), /admission plugin "Nothing" is not known; there are AlwaysAdmit, .*ValidatingAdmissionWebhook/);
  }
  await assert.rejects(startTestServer({ admission: { enable: ['Priority'], disable: ['Priority'] } }), /Priority is switched on and off at once/);
  const PodSecurity = { apiVersion: 'pod-security.admission.config.orch.io/v1beta1', kind: 'PodSecurityConfiguration', defaults: { enforce: 'x' } };
  await assert.rejects(startTestServer({ admission: { config: { PodSecurity } } }), /PodSecurity: defaults.enforce must be/);
});
