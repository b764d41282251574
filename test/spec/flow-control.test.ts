import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIALECTS, brandOf, type Dialect } from '#api';
import { startTestServer, TEST_TOKENS, type TestAnswer, type TestServer } from '#testing';
import { createGate } from './gate.ts';

const ALICE = { authorization: `Bearer ${TEST_TOKENS.alice}` };
const BOB = { authorization: `Bearer ${TEST_TOKENS.bob}` };

const flowGroup = (dialect: Dialect): string => `${brandOf(dialect).group('flowcontrol')}/v1beta2`;

/** A level of its own for alice, who may also write ConfigMaps. */
async function makeLevel(server: TestServer, dialect: Dialect, limitResponse: object): Promise<void> {
  const apiVersion = flowGroup(dialect);
  const level = { apiVersion, kind: 'PriorityLevelConfiguration', metadata: { name: 'small' }, spec: { type: 'Limited', limited: { assuredConcurrencyShares: 1, limitResponse } } };
  const resourceRules = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'] }];
  const rules = [{ subjects: [{ kind: 'User', user: { name: 'alice' } }], resourceRules }];
  const schema = { apiVersion, kind: 'FlowSchema', metadata: { name: 'small' }, spec: { priorityLevelConfiguration: { name: 'small' }, matchingPrecedence: 50, rules } };
  const rbac = brandOf(dialect).group('rbac');
  const binding = {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'alice' },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'User', apiGroup: rbac, name: 'alice' }],
  };
  assert.equal((await server.request('POST', `/apis/${apiVersion}/prioritylevelconfigurations`, level)).status, 201);
  assert.equal((await server.request('POST', `/apis/${apiVersion}/flowschemas`, schema)).status, 201);
  assert.equal((await server.request('POST', `/apis/${rbac}/v1/clusterrolebindings`, binding)).status, 201);
}

const MAPS = '/api/v1/namespaces/default/configmaps';
const write = (server: TestServer, name: string, headers: Readonly<Record<string, string>>): Promise<TestAnswer> =>
  server.request('POST', MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } }, headers);
const waitingOf = async (server: TestServer): Promise<string> =>
  /^small, .*$/m.exec((await server.request('GET', '/debug/api_priority_and_fairness/dump_priority_levels')).text)?.[0].replaceAll(/ +/g, ' ') ?? '';

const isRefused = ({ status, headers, text }: TestAnswer): void => {
  assert.deepEqual([status, headers['retry-after'], text], [429, '1', 'Too many requests, please try again later.\n']);
};

for (const dialect of DIALECTS) {
  test(`R8-26 ${dialect}: a level without queues refuses beyond its seats, and says which level that was`, async () => {
    const gate = createGate();
    const server = await startTestServer({ dialect, controllers: 'none', admission: { plugins: [gate.plugin] }, flowControl: { maxReading: 1, maxChanging: 1 } });
    await makeLevel(server, dialect, { type: 'Reject' });
    const level = await server.request('GET', `/apis/${flowGroup(dialect)}/prioritylevelconfigurations/small`);
    const held = write(server, 'a', ALICE);
    await gate.arrived;
    const refused = await server.request('GET', MAPS, undefined, ALICE);
    isRefused(refused);
    assert.equal(refused.headers['x-kubernetes-pf-prioritylevel-uid'], level.body.metadata.uid);
    // No level holds up administrators, however many of their requests run.
    const ofAdmin = write(server, 'of-admin', {});
    const { text } = await server.request('GET', '/metrics');
    assert.deepEqual(text.match(/^apiserver_request_terminations_total.*$/gm), ['apiserver_request_terminations_total{code="429",component="apiserver",group="",resource="configmaps",scope="namespace",subresource="",verb="LIST",version="v1"} 1']);
    assert.equal((await server.request('GET', '/api', undefined, BOB)).status, 200);
    assert.equal((await server.request('GET', MAPS)).status, 200);
    gate.open();
    assert.deepEqual([(await held).status, (await ofAdmin).status], [201, 201]);
    assert.equal((await server.request('GET', MAPS, undefined, ALICE)).status, 200);
    await server.close();
  });

  test(`R8-26 ${dialect}: a level with queues lets requests wait a quarter of the time they have, as many as a queue holds`, async () => {
    for (const [serving, quarter] of [[{}, '15s'], [{ requestTimeoutMs: 8_000 }, '2s']] as const) {
      const gate = createGate();
      const server = await startTestServer({ dialect, controllers: 'none', admission: { plugins: [gate.plugin] }, serving, flowControl: { maxReading: 1, maxChanging: 1 } });
      await makeLevel(server, dialect, { type: 'Queue', queuing: { queues: 1, handSize: 1, queueLengthLimit: 1 } });
      const held = write(server, 'a', ALICE);
      await gate.arrived;
      const waits = server.request('GET', MAPS, undefined, ALICE);
      isRefused(await server.request('GET', MAPS, undefined, ALICE));
      assert.equal(await waitingOf(server), 'small, 1, false, false, 1, 1');
      server.clock.advance(quarter);
      isRefused(await waits);
      const next = server.request('GET', MAPS, undefined, ALICE);
      gate.open();
      assert.deepEqual([(await held).status, (await next).status], [201, 200]);
      assert.equal(await waitingOf(server), 'small, 0, true, false, 0, 0');
      await server.close();
    }
  });

  test(`${dialect}: schemas say whether the level they lead to exists`, async () => {
    const server = await startTestServer({ dialect, controllers: 'none' });
    const path = `/apis/${flowGroup(dialect)}/flowschemas`;
    const stored = await server.request('GET', path);
    assert.equal(stored.body.items.length, 12);
    for (const { status } of stored.body.items) assert.deepEqual([status.conditions[0].type, status.conditions[0].status], ['Dangling', 'False']);
    const watch = await server.watch(`${path}?watch=1&resourceVersion=${stored.body.metadata.resourceVersion}`);
    await server.request('DELETE', `/apis/${flowGroup(dialect)}/prioritylevelconfigurations/workload-low`);
    const [{ object }] = await watch.next(1);
    assert.equal(object.metadata.name, 'service-accounts');
    assert.deepEqual([object.status.conditions[0].status, object.status.conditions[0].reason], ['True', 'NotFound']);
    await server.close();
  });

  test(`${dialect}: a schema in which a client in Go writes null for lists that are empty keeps nobody out`, async () => {
    const server = await startTestServer({ dialect, controllers: 'none' });
    const rules = [{ subjects: [{ kind: 'Group', group: { name: '*' } }], resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: null }], nonResourceRules: null }];
    const schema = { metadata: { name: 'null' }, spec: { priorityLevelConfiguration: { name: 'workload-low' }, matchingPrecedence: 2, rules } };
    const { uid } = (await server.request('POST', `/apis/${flowGroup(dialect)}/flowschemas`, schema)).body.metadata;
    const asked = async (path: string): Promise<readonly unknown[]> => {
      const { status, headers } = await server.request('GET', path, undefined, BOB);
      return [status, headers['x-kubernetes-pf-flowschema-uid'] === uid];
    };
    assert.deepEqual([await asked(MAPS), await asked('/api/v1/nodes'), await asked('/healthz')], [[403, false], [403, true], [200, false]]);
    await server.close();
  });

  test(`${dialect}: what was changed by nobody's leave is put right, what belongs to somebody stays`, async () => {
    const server = await startTestServer({ dialect, controllers: 'none' });
    const path = `/apis/${flowGroup(dialect)}/prioritylevelconfigurations`;
    const annotation = brandOf(dialect).names.autoUpdateAnnotation;
    const shares = { spec: { limited: { assuredConcurrencyShares: 7 } } };
    await server.patch('merge', `${path}/workload-low`, shares);
    await server.patch('merge', `${path}/workload-high`, { ...shares, metadata: { annotations: { [annotation]: 'false' } } });
    await server.request('DELETE', `${path}/node-high`);
    const listed = await server.request('GET', path);
    const watch = await server.watch(`${path}?watch=1&resourceVersion=${listed.body.metadata.resourceVersion}`);
    server.clock.advance('60s');
    const changed = (await watch.next(2)).map(({ object }) => `${object.metadata.name} ${object.spec.limited.assuredConcurrencyShares}`);
    assert.deepEqual(new Set(changed), new Set(['node-high 40', 'workload-low 100']));
    assert.equal((await server.request('GET', `${path}/workload-high`)).body.spec.limited.assuredConcurrencyShares, 7);
    await server.close();
  });
}

test('without priority levels the older limits count, readers and writers apart, and administrators always get an answer', async () => {
  const gate = createGate();
  const server = await startTestServer({ controllers: 'none', admission: { plugins: [gate.plugin] }, flowControl: { isFair: false, maxReading: 1, maxChanging: 1 } });
  // Ready, though nobody follows levels.
  assert.equal((await server.request('GET', '/readyz')).status, 200);
  await makeLevel(server, 'orch', { type: 'Reject' });
  const held = write(server, 'a', ALICE);
  await gate.arrived;
  const refused = await write(server, 'b', BOB);
  isRefused(refused);
  assert.equal(refused.headers['x-kubernetes-pf-prioritylevel-uid'], undefined);
  assert.equal((await server.request('GET', '/api', undefined, BOB)).status, 200);
  // What lasts does not count.
  const watch = await server.watch(`${MAPS}?watch=1`, ALICE);
  await watch.stop();
  const asAdmin = server.request('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } });
  assert.equal((await asAdmin).status, 201);
  gate.open();
  assert.equal((await held).status, 201);
  assert.equal((await server.request('GET', '/debug/api_priority_and_fairness/dump_queues')).status, 404);
  await server.close();
});

test('without priority levels an older limit of 0 is none', async () => {
  const server = await startTestServer({ controllers: 'none', flowControl: { isFair: false, maxReading: 0, maxChanging: 0 } });
  assert.equal((await server.request('GET', '/api', undefined, BOB)).status, 200);
  assert.equal((await write(server, 'a', BOB)).status, 403);
  await server.close();
});

test('priority levels need something to share', async () => {
  await assert.rejects(startTestServer({ flowControl: { maxReading: 0, maxChanging: 0 } }), /--max-requests-inflight and --max-mutating-requests-inflight are both 0/);
});
