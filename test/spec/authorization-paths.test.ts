import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestServer, type TestServer } from '#testing';
import { expect } from './world.ts';

let server: TestServer;
const RBAC = '/apis/rbac.authorization.orch.io/v1';
const BOB = { authorization: 'Bearer bobtoken' };

/** bob may read the config map `mine` in `a`, and the path `/healthz`. */
before(async () => {
  server = await startTestServer({ controllers: 'none' });
  const make = async (path: string, body: object): Promise<void> => void expect(201, await server.request('POST', path, body));
  for (const name of ['a', 'b']) await make('/api/v1/namespaces', { metadata: { name } });
  for (const namespace of ['a', 'b']) for (const name of ['mine', 'other']) await make(`/api/v1/namespaces/${namespace}/configmaps`, { metadata: { name } });
  const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['mine'] }];
  await make(`${RBAC}/namespaces/a/roles`, { metadata: { name: 'r' }, rules });
  const subjects = [{ kind: 'User', name: 'bob', apiGroup: 'rbac.authorization.orch.io' }];
  await make(`${RBAC}/namespaces/a/rolebindings`, { metadata: { name: 'r' }, subjects, roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'Role', name: 'r' } });
});
after(() => server.close());

const ask = async (path: string, method = 'GET'): Promise<number> => (await server.request(method, path, undefined, BOB)).status;

/** Other ways to write what bob may not read. */
const FORBIDDEN = [
  '/api/v1/namespaces/a/configmaps/other',
  '/api/v1/namespaces/a/configmaps/mine/../other',
  '/api/v1/namespaces/a/configmaps/mine%2f..%2fother',
  '/api/v1/namespaces/a/configmaps/mine%2F..%2Fother',
  '/api/v1//namespaces/a/configmaps/other',
  '//api/v1/namespaces/a/configmaps/other',
  '/api/v1/namespaces/a/configmaps/other/',
  '/api/v1/namespaces/a/configmaps//other',
  // Something empty stands at its own place: these ask for other things than what bob may read.
  '/api/v1/namespaces/a/configmaps//mine',
  '/api/v1/namespaces/a/configmaps/%2Fmine',
  '/api/v1/namespaces/a//configmaps/mine',
  '/api/v1/namespaces//configmaps/mine',
  '/api/v1//namespaces/a/configmaps/mine',
  '/api//v1/namespaces/a/configmaps/mine',
  '//api/v1/namespaces/a/configmaps/mine',
  '/api/v1/namespaces//configmaps',
  '/api/v1/watch//configmaps',
  '/api/v1/configmaps//',
  '/api/v1/namespaces/a/../b/configmaps/mine',
  '/api/v1/namespaces/a/%2e%2e/b/configmaps/mine',
  '/api/v1/namespaces/a%2f..%2fb/configmaps/mine',
  '/api/v1/namespaces/b/configmaps/mine',
  '/api/v1/namespaces/a/configmaps',
  '/api/v1/namespaces/a/configmaps/',
  '/api/v1/namespaces/a/configmaps?fieldSelector=metadata.name%3Dother',
  '/api/v1/configmaps',
  '/api/v1/configmaps/mine',
  '/api/v1/watch/namespaces/a/configmaps/other',
  '/api/v1/namespaces/a/secrets/mine',
  '/api/v1/namespaces/a/configmaps/mine/status',
  '/api/v1/namespaces/a/configmaps/other%00mine',
  '/api/v1/./namespaces/a/configmaps/other',
  '/healthz/../api/v1/namespaces/a/configmaps/other',
  '/healthz/..%2fapi/v1/namespaces/a/configmaps/other',
  // A kind of the cluster inside a namespace, and the reverse.
  '/api/v1/namespaces/a/nodes',
  '/api/v1/namespaces/a/nodes/n',
  `${RBAC}/namespaces/a/clusterroles/cluster-admin`,
  `${RBAC}/roles/r`,
];

test('what may be read is read, also with a slash too many', async () => {
  for (const path of ['configmaps/mine', 'configmaps/mine/', 'configmaps/mine//', 'configmaps%2fmine', 'configmaps/%6dine']) {
    const { metadata } = expect(200, await server.request('GET', `/api/v1/namespaces/a/${path}`, undefined, BOB));
    assert.deepEqual([metadata.namespace, metadata.name], ['a', 'mine'], path);
  }
});

for (const path of FORBIDDEN) {
  test(`no other spelling opens ${path}`, async () => {
    const { status, text } = await server.request('GET', path, undefined, BOB);
    assert.ok([301, 403, 404].includes(status), `${status}`);
    assert.doesNotMatch(text, /"kind":\s*"(?:ConfigMap|ConfigMapList|NodeList|ClusterRole|Role)"/);
  });
}

test('what is asked about is what is served, however it is spelled', async () => {
  const rules = [{ verbs: ['get'], nonResourceURLs: ['/livez/ping', '/version//'] }];
  expect(201, await server.request('POST', `${RBAC}/clusterroles`, { metadata: { name: 'served' }, rules }));
  const subjects = [{ kind: 'User', name: 'bob', apiGroup: 'rbac.authorization.orch.io' }];
  expect(201, await server.request('POST', `${RBAC}/clusterrolebindings`, { metadata: { name: 'served' }, subjects, roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'served' } }));
  for (const path of ['/livez/ping', '/livez%2Fping', '/%6civez/ping', '/version//', '/version%2F', '/%76ersion']) assert.equal(await ask(path), 200, path);
  for (const path of ['/readyz/ping', '/readyz%2fping', '//livez/ping', '/livez//ping', '/%2Flivez/ping', '/version///']) assert.equal(await ask(path), 403, path);
});

test('discovery is found with slashes at its end, and nothing with two at its beginning', async () => {
  for (const path of ['/api//', '/api/v1//', '/apis/', '/apis/apps//', '/apis/apps/v1///', '/version//', '/api%2F']) assert.equal((await server.request('GET', path)).status, 200, path);
  for (const path of ['//', '///', '//api', '/apis//', '//version', '//api/v1/namespaces/a/configmaps/mine', '/apis//v1/x', '/apis//v1/namespaces', '/apis//v1/namespaces/a/configmaps/mine']) {
    const { status, text } = await server.request('GET', path);
    assert.deepEqual([status, text], [404, '404 page not found\n'], path);
  }
});

test('a part of an object without a name is told that it needs one', async () => {
  for (const [method, path] of [['GET', 'pods//status'], ['PUT', 'pods//status'], ['POST', 'pods//eviction'], ['GET', 'pods//proxy/x'], ['GET', 'services//proxy']] as const) {
    const { status, body } = await server.request(method, `/api/v1/namespaces/a/${path}`, method === 'GET' ? undefined : {});
    assert.deepEqual([status, body.message], [400, 'name must be provided'], path);
  }
});

test('a rule for a path opens that path alone', async () => {
  const rules = [{ verbs: ['get'], nonResourceURLs: ['/only', '/below/*'] }];
  expect(201, await server.request('POST', `${RBAC}/clusterroles`, { metadata: { name: 'paths' }, rules }));
  const subjects = [{ kind: 'User', name: 'bob', apiGroup: 'rbac.authorization.orch.io' }];
  expect(201, await server.request('POST', `${RBAC}/clusterrolebindings`, { metadata: { name: 'paths' }, subjects, roleRef: { apiGroup: 'rbac.authorization.orch.io', kind: 'ClusterRole', name: 'paths' } }));
  for (const path of ['/only', '/below/a', '/below/a/b', '/%6fnly']) assert.equal(await ask(path), 404, path);
  for (const path of ['/only/', '//only', '/below', '/Only', '/only/../logs', '/metrics']) assert.equal(await ask(path), 403, path);
  assert.equal(await ask('/only', 'POST'), 403);
});

test('who may everything in one namespace has no other one, and no list of them, below its path', async () => {
  const everything = { metadata: { name: 'all' }, rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] };
  expect(201, await server.request('POST', `${RBAC}/namespaces/a/roles`, everything));
  const apiGroup = 'rbac.authorization.orch.io';
  const binding = { metadata: { name: 'all' }, subjects: [{ kind: 'User', name: 'alice', apiGroup }], roleRef: { apiGroup, kind: 'Role', name: 'all' } };
  expect(201, await server.request('POST', `${RBAC}/namespaces/a/rolebindings`, binding));
  const alice = { authorization: 'Bearer alicetoken' };
  const code = async (method: string, path: string, body?: object): Promise<number> => (await server.request(method, path, body, alice)).status;
  const [one, other] = ['a', 'b'].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { by: 'alice' } } }));
  const requests = [
    ['GET', ''], ['POST', '', { metadata: { name: 'c' } }], ['GET', '/b'], ['PUT', '/b', other], ['DELETE', '/b'],
    ['GET', '/b/status'], ['PUT', '/b/status', other], ['PUT', '/b/finalize', other],
  ] as const;
  for (const [method, rest, body] of requests) assert.equal(await code(method, `/api/v1/namespaces/a/namespaces${rest}`, body), 404, `${method} ${rest}`);
  for (const path of ['/api/v1/watch/namespaces/a/namespaces', '/api/v1/watch/namespaces/a/namespaces/b']) assert.equal(await code('GET', `${path}?timeoutSeconds=1`), 404, path);
  assert.equal(expect(200, await server.request('GET', '/api/v1/namespaces/b')).metadata.labels?.by, undefined);
  // The one that is hers is hers.
  assert.deepEqual([await code('GET', '/api/v1/namespaces/a'), await code('PUT', '/api/v1/namespaces/a', one), await code('GET', '/api/v1/namespaces/b')], [200, 200, 403]);
});
