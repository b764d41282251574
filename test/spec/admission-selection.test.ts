import assert from 'node:assert/strict';
import { test } from 'node:test';
import { definePlugin, refuse, type AdmissionHooks, type AdmissionRequest } from '#server';
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

/** In a class, as programs may write their hooks. */
class Teams implements AdmissionHooks {
  readonly on = ['CREATE'] as const;
  readonly kinds = ['/configmaps'];
  readonly #label = 'team';
  validate(request: AdmissionRequest): void {
    if (request.object?.metadata.labels?.[this.#label] === undefined) throw refuse(request, 'it belongs to no team');
  }
}

test('hooks of a program may be an object of a class', async () => {
  const teams = definePlugin({ name: 'Teams', enabled: true, band: 'builtin', create: () => new Teams() });
  await withServer({ plugins: [teams] }, async (server) => {
    const { status, body } = await server.request('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a' } });
    assert.deepEqual([status, body.message], [403, 'configmaps "a" is forbidden: it belongs to no team']);
    assert.equal((await server.request('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'a', labels: { team: 'b' } } })).status, 201);
  });
});

test('a plugin of a program whose hooks would never run, or with the name of another one, fails the start', async () => {
  const plugin = definePlugin({ name: 'Teams', enabled: true, band: 'builtin', create: () => ({ on: ['CREATE'], kinds: ['configmaps'], validate() {} }) });
  await assert.rejects(startTestServer({ admission: { plugins: [plugin] } }), /^Error: admission plugin "Teams": its hooks are about "configmaps", which is never there: .*; did you mean "\/configmaps"\?$/);
  const twin = definePlugin({ ...plugin, name: 'NamespaceLifecycle' });
  await assert.rejects(startTestServer({ admission: { plugins: [twin] } }), { message: 'admission plugin "NamespaceLifecycle" is there twice: give one of your own another name' });
});

test('R4.11-06 a plugin that is not known, or on and off at once, fails the start', async () => {
  for (const admission of [{ enable: ['Nothing'] }, { disable: ['Nothing'] }, { config: { Nothing: {} } }]) {
    await assert.rejects(startTestServer({ admission }), /admission plugin "Nothing" is not known; there are AlwaysAdmit, .*ValidatingAdmissionWebhook/);
  }
  await assert.rejects(startTestServer({ admission: { enable: ['Priority'], disable: ['Priority'] } }), /Priority is switched on and off at once/);
  const PodSecurity = { apiVersion: 'pod-security.admission.config.orch.io/v1beta1', kind: 'PodSecurityConfiguration', defaults: { enforce: 'x' } };
  await assert.rejects(startTestServer({ admission: { config: { PodSecurity } } }), /PodSecurity: defaults.enforce must be/);
});
