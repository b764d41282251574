import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import type { AuthorizationMode, AuthorizationOptions } from '#server';
import { startTestServer, type TestServer, type TestServerOptions } from '#testing';
import { expect } from './world.ts';

const servers: TestServer[] = [];
after(() => Promise.all(servers.map((server) => server.close())));

async function start(authorization: AuthorizationOptions, more: TestServerOptions = {}): Promise<TestServer> {
  const server = await startTestServer({ controllers: 'none', authorization, ...more });
  servers.push(server);
  return server;
}

const ALICE = { authorization: 'Bearer alicetoken' };
const NOBODY = { authorization: '' };
const statusOf = async (server: TestServer, headers: Readonly<Record<string, string>>, path = '/api/v1/nodes'): Promise<number> =>
  (await server.request('GET', path, undefined, headers)).status;

test('R5.1-12 R5.2-05 AlwaysAllow lets everybody do everything who says who they are', async () => {
  const server = await start({ modes: ['AlwaysAllow'] });
  assert.equal(await statusOf(server, ALICE), 200);
  assert.equal(await statusOf(server, NOBODY), 401);
  assert.equal(await statusOf(server, NOBODY, '/healthz'), 401);
});

test('R5.2-04 with other modes anonymous requests come in, and are refused by authorization', async () => {
  const server = await start({ modes: ['AlwaysDeny'] });
  assert.equal(await statusOf(server, NOBODY), 403);
});

test('R5.2-06 without anonymous requests who says nothing is refused as unknown, also where everybody could look', async () => {
  const server = await start({ modes: ['RBAC'] }, { anonymous: false });
  for (const path of ['/api/v1/nodes', '/version', '/healthz']) assert.equal(await statusOf(server, NOBODY, path), 401, path);
  assert.equal(await statusOf(server, ALICE, '/version'), 200);
});

test('R5.1-11 AlwaysDeny lets only the group in that may everything, whatever the modes are', async () => {
  const server = await start({ modes: ['AlwaysDeny'] });
  assert.equal(await statusOf(server, {}), 200);
  const refused = expect(403, await server.request('GET', '/api/v1/nodes', undefined, ALICE));
  assert.equal(refused.message, 'nodes is forbidden: User "alice" cannot list resource "nodes" in API group "" at the cluster scope: Everything is forbidden.');
});

for (const dialect of DIALECTS) {
  test(`R5.1-04 R5.1-07 R5.1-13 ABAC and RBAC are asked in the order given, and reasons are collected: ${dialect}`, async () => {
    const { names } = brandOf(dialect);
    const policy = JSON.stringify({ apiVersion: `abac.authorization.${names.domain}/v1beta1`, kind: 'Policy', spec: { user: 'alice', resource: 'nodes', readonly: true } });
    const server = await start({ modes: ['ABAC', 'RBAC'], policy }, { dialect });
    assert.equal(await statusOf(server, ALICE), 200);
    assert.equal(await statusOf(server, ALICE, '/version'), 200);
    const refused = expect(403, await server.request('DELETE', '/api/v1/nodes/a', undefined, ALICE));
    assert.equal(refused.message, 'nodes "a" is forbidden: User "alice" cannot delete resource "nodes" in API group "" at the cluster scope: No policy matched.');
  });
}

test('what a policy file allows outside of namespaces is not granted by roles, which would count inside of them', async () => {
  const { names } = brandOf('orch');
  const group = brandOf('orch').group('rbac');
  const lines = [{ resource: 'nodes' }, { resource: 'pods' }, { resource: 'clusterrolebindings', apiGroup: group }].map((spec) =>
    JSON.stringify({ apiVersion: `abac.authorization.${names.domain}/v1beta1`, kind: 'Policy', spec: { user: 'alice', ...spec } }),
  );
  const server = await start({ modes: ['ABAC', 'RBAC'], policy: lines.join('\n') });
  const write = (plural: string, object: object, headers: Readonly<Record<string, string>>) => server.request('POST', `/apis/${group}/v1/${plural}`, object, headers);
  const bind = (role: string) =>
    write('clusterrolebindings', { metadata: { name: `alice:${role}` }, roleRef: { apiGroup: group, kind: 'ClusterRole', name: role }, subjects: [{ apiGroup: group, kind: 'User', name: 'alice' }] }, ALICE);
  expect(201, await write('clusterroles', { metadata: { name: 'pods' }, rules: [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['pods'] }] }, {}));
  assert.equal(await statusOf(server, ALICE, '/api/v1/pods'), 200);
  assert.match(expect(403, await bind('pods')).message, /is attempting to grant RBAC permissions not currently held/);
  assert.equal(await statusOf(server, ALICE, '/api/v1/namespaces/default/pods'), 403);
  // What she has by a role she may pass on.
  expect(201, await bind('system:discovery'));
});

const WRONG: readonly (readonly [options: AuthorizationOptions, why: RegExp])[] = [
  [{ modes: ['Rbac' as AuthorizationMode] }, /^authorization-mode: "Rbac" is not known; there are AlwaysAllow, AlwaysDeny, ABAC, Webhook, RBAC, Node$/],
  [{ modes: [] }, /^authorization-mode: at least one of /],
  [{ modes: ['RBAC', 'RBAC'] }, /^authorization-mode: RBAC is given twice$/],
  [{ modes: ['ABAC'] }, /^authorization-mode: ABAC needs --authorization-policy-file$/],
  [{ modes: ['Webhook'] }, /^authorization-mode: Webhook needs --authorization-webhook-config-file$/],
  [{ policy: '' }, /^authorization-policy-file: is of use with --authorization-mode=ABAC only$/],
  [{ modes: ['ABAC'], policy: '{}\nnonsense' }, /^authorization-policy-file: line 2: /],
];

for (const [options, why] of WRONG) {
  test(`the start fails with ${String(why)}`, () =>
    assert.rejects(startTestServer({ authorization: options }), (failure) => failure instanceof Error && why.test(failure.message)));
}

for (const dialect of DIALECTS) {
  test(`R5.1-10 a node reads the secrets of its pods, and no others: ${dialect}`, async () => {
    const { names } = brandOf(dialect);
    const tokens = 'admintoken,admin,,"system:masters"\nnodetoken,system:node:a,,"system:nodes"\n';
    const server = await start({ modes: ['Node', 'RBAC'] }, { dialect, tokens, admission: { disable: ['ServiceAccount'] } });
    const node = { authorization: 'Bearer nodetoken' };
    const path = '/api/v1/namespaces/default/secrets';
    for (const name of ['mine', 'other']) expect(201, await server.request('POST', path, { metadata: { name } }));
    const refused = expect(403, await server.request('GET', `${path}/mine`, undefined, node));
    assert.match(refused.message, /: no relationship found between node 'a' and this object$/);
    const pod = { metadata: { name: 'p' }, spec: { nodeName: 'a', containers: [{ name: 'c', image: 'i', envFrom: [{ secretRef: { name: 'mine' } }] }] } };
    expect(201, await server.request('POST', '/api/v1/namespaces/default/pods', pod));
    expect(200, await server.request('GET', `${path}/mine`, undefined, node));
    expect(403, await server.request('GET', `${path}/other`, undefined, node));
    expect(403, await server.request('GET', path, undefined, node));
    expect(200, await server.request('GET', '/api/v1/nodes', undefined, node));
    expect(200, await server.request('DELETE', '/api/v1/namespaces/default/pods/p?gracePeriodSeconds=0', undefined));
    expect(403, await server.request('GET', `${path}/mine`, undefined, node));
    const lease = `/apis/${brandOf(dialect).group('coordination')}/v1/namespaces/${names.leaseNamespace}/leases`;
    expect(201, await server.request('POST', lease, { metadata: { name: 'a' } }, node));
    expect(403, await server.request('GET', `${lease}/b`, undefined, node));
  });
}
