import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestAnswer, TestJson } from '#testing';
import { everywhere, expect, expectFailure, PLACES, type World } from './world.ts';

const PODS = (namespace: string): string => `/api/v1/namespaces/${namespace}/pods`;

/** A namespace where pods can be. */
async function place(world: World): Promise<string> {
  const namespace = await world.namespace();
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };
  expect(201, await world.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, account));
  return namespace;
}

async function pod(world: World, namespace: string, name: string, spec: object = {}, labels: object = {}): Promise<TestJson> {
  const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name, labels }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
  return expect(201, await world.post(PODS(namespace), body));
}

/** A pod that disruption budgets count on. */
async function readyPod(world: World, namespace: string, name: string, labels: object = {}): Promise<void> {
  await pod(world, namespace, name, { nodeName: 'n' }, labels);
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  expect(200, await world.patch('merge', `${PODS(namespace)}/${name}/status`, { status }));
}

const bind = (world: World, namespace: string, name: string, target: object, metadata: object = {}): Promise<TestAnswer> =>
  world.post(`${PODS(namespace)}/${name}/binding`, { apiVersion: 'v1', kind: 'Binding', metadata: { name, ...metadata }, target });
const evict = (world: World, namespace: string, name: string, more: object = {}, query = ''): Promise<TestAnswer> =>
  world.post(`${PODS(namespace)}/${name}/eviction${query}`, { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name }, ...more });

everywhere(PLACES.both, (world) => {
  test('R4.2-26 bind and escalate lift the checks of roles, use opens a pod security policy, proxy is allowed by its subresource', async () => {
    const rbac = world.brand.group('rbac');
    const roles = `/apis/${rbac}/v1`;
    const user = world.fresh('granter');
    const as = { 'impersonate-user': user };
    /** What the user may do from now on, and nothing else. */
    const mayOnly = async (rules: readonly object[]): Promise<void> => {
      const name = world.fresh('role');
      await world.delete(`${roles}/clusterrolebindings?labelSelector=of%3D${user}`);
      expect(201, await world.post(`${roles}/clusterroles`, { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules }));
      const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name };
      const subjects = [{ apiGroup: rbac, kind: 'User', name: user }];
      expect(201, await world.post(`${roles}/clusterrolebindings`, { apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name, labels: { of: user } }, roleRef, subjects }));
    };
    const grant = (verbs: readonly string[], resources: readonly string[], apiGroups: readonly string[] = [rbac]): object => ({ verbs, apiGroups, resources });
    const role = () => world.post(`${roles}/namespaces/default/roles`, { apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: world.fresh('any') }, rules: [grant(['*'], ['*'], ['*'])] }, as);
    const binding = () => {
      const body = { apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { name: world.fresh('any') }, roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' } };
      return world.post(`${roles}/namespaces/default/rolebindings`, body, as);
    };
    await mayOnly([grant(['create'], ['roles', 'rolebindings'])]);
    expectFailure(403, 'Forbidden', await role());
    expectFailure(403, 'Forbidden', await binding());
    await mayOnly([grant(['create', 'escalate'], ['roles']), grant(['create'], ['rolebindings'])]);
    expect(201, await role());
    expectFailure(403, 'Forbidden', await binding());
    await mayOnly([grant(['create'], ['roles', 'rolebindings']), grant(['bind'], ['clusterroles'])]);
    expectFailure(403, 'Forbidden', await role());
    expect(201, await binding());
    // The others are verbs of rules like any other: what they mean is up to who asks for them.
    const allowed = async (resourceAttributes: object): Promise<boolean> => {
      const body = { apiVersion: `${world.brand.group('authorization')}/v1`, kind: 'SelfSubjectAccessReview', spec: { resourceAttributes } };
      return expect(201, await world.post(`/apis/${world.brand.group('authorization')}/v1/selfsubjectaccessreviews`, body, as)).status.allowed;
    };
    const use = { verb: 'use', group: 'policy', resource: 'podsecuritypolicies', name: 'p' };
    await mayOnly([grant(['get'], ['nodes', 'podsecuritypolicies'], ['', 'policy'])]);
    assert.deepEqual([await allowed(use), await allowed({ verb: 'redirect', resource: 'nodes' })], [false, false]);
    expectFailure(403, 'Forbidden', await world.get('/api/v1/nodes/none/proxy/', as));
    await mayOnly([grant(['use'], ['podsecuritypolicies'], ['policy']), grant(['redirect'], ['nodes'], ['']), grant(['get'], ['nodes/proxy'], [''])]);
    assert.deepEqual([await allowed(use), await allowed({ verb: 'redirect', resource: 'nodes' })], [true, true]);
    expectFailure(404, 'NotFound', await world.get('/api/v1/nodes/none/proxy/', as));
  });

  test('a binding assigns a pod once', async () => {
    const namespace = await place(world);
    const { metadata } = await pod(world, namespace, 'p');
    const path = `${PODS(namespace)}/p`;
    assert.equal((await bind(world, namespace, 'p', { kind: 'Pod', name: 'n' })).status, 500);
    assert.equal((await bind(world, namespace, 'p', {})).status, 500);
    const blamed = async (expected: object, node = 'n'): Promise<string> => expectFailure(409, 'Conflict', await bind(world, namespace, 'p', { name: node }, expected)).details.kind;
    assert.deepEqual([await blamed({ uid: 'another' }), await blamed({ resourceVersion: '1' })], ['pods', 'pods']);
    const told = async (answer: Promise<TestAnswer>): Promise<unknown> => (await answer).body.message;
    const other = { metadata: { ...metadata, uid: 'another' }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    assert.equal(await told(bind(world, namespace, 'p', { name: 'n' }, { uid: 'another' })), await told(world.put(path, other)), 'a binding says it as an update does');
    assert.match(String(await told(bind(world, namespace, 'p', { kind: 'Pod' }))), /^\[target\.kind: .*, target\.name: Required value\]$/);
    expectFailure(400, 'BadRequest', await bind(world, namespace, 'p', { name: 'n' }, { name: 'q' }));
    expectFailure(404, 'NotFound', await bind(world, namespace, 'none', { name: 'n' }));
    expect(201, await world.post(`${path}/binding?dryRun=All`, { metadata: { name: 'p' }, target: { name: 'n' } }));
    assert.equal(expect(200, await world.get(path)).spec.nodeName, undefined);
    expect(200, await world.patch('merge', path, { metadata: { annotations: { a: 'a', kept: 'yes' } } }));
    const done = expect(201, await bind(world, namespace, 'p', { kind: 'Node', name: 'n' }, { uid: metadata.uid, annotations: { a: 'b' } }));
    assert.deepEqual([done.kind, done.status, done.code], ['Status', 'Success', 201]);
    const bound = expect(200, await world.get(path));
    assert.deepEqual([bound.spec.nodeName, bound.metadata.annotations], ['n', { a: 'b', kept: 'yes' }]);
    const [condition] = bound.status.conditions;
    assert.deepEqual([condition.type, condition.status, condition.lastProbeTime], ['PodScheduled', 'True', null]);
    assert.equal(await blamed({}, 'm'), 'pods/binding');
    assert.equal(expect(200, await world.get(`${PODS(namespace)}?fieldSelector=spec.nodeName%3Dn`)).items.length, 1);
  });

  test('a pod that found no node before has its condition replaced where it stands', async () => {
    const namespace = await place(world);
    await pod(world, namespace, 'p');
    const unscheduled = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: 'no node' };
    const conditions = [unscheduled, { type: 'example.com/gate', status: 'True' }];
    expect(200, await world.patch('merge', `${PODS(namespace)}/p/status`, { status: { conditions } }));
    expect(201, await bind(world, namespace, 'p', { name: 'n' }));
    const bound = expect(200, await world.get(`${PODS(namespace)}/p`)).status.conditions as readonly TestJson[];
    assert.deepEqual(bound.map(({ type, status, reason }) => [type, status, reason]), [['PodScheduled', 'True', undefined], ['example.com/gate', 'True', undefined]]);
  });

  test('bindings can be made by themselves, and are nowhere', async () => {
    const namespace = await place(world);
    await pod(world, namespace, 'p');
    const path = `/api/v1/namespaces/${namespace}/bindings`;
    expect(201, await world.post(path, { apiVersion: 'v1', kind: 'Binding', metadata: { name: 'p' }, target: { name: 'n' } }));
    assert.equal(expect(200, await world.get(`${PODS(namespace)}/p`)).spec.nodeName, 'n');
    expectFailure(405, 'MethodNotAllowed', await world.get(path));
  });

  test('a pod that is being deleted gets no node', async () => {
    const namespace = await place(world);
    await pod(world, namespace, 'p');
    expect(200, await world.patch('merge', `${PODS(namespace)}/p`, { metadata: { finalizers: ['example.com/f'] } }));
    expect(200, await world.delete(`${PODS(namespace)}/p`));
    expectFailure(409, 'Conflict', await bind(world, namespace, 'p', { name: 'n' }));
  });

  test('racing bindings: exactly one wins', async () => {
    const namespace = await place(world);
    await pod(world, namespace, 'p');
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => bind(world, namespace, 'p', { name })));
    assert.deepEqual(answers.map(({ status }) => status).sort((one, other) => one - other), [201, 409, 409, 409, 409]);
  });

  test('an eviction deletes as a deletion would', async () => {
    const namespace = await place(world);
    await pod(world, namespace, 'p', { nodeName: 'n' });
    const uid = { deleteOptions: { preconditions: { uid: '1' } } };
    expectFailure(409, 'Conflict', await evict(world, namespace, 'p', uid));
    expect(201, await evict(world, namespace, 'p', {}, '?dryRun=All'));
    expect(201, await evict(world, namespace, 'p', { deleteOptions: { dryRun: ['All'] } }));
    assert.equal(expect(200, await world.get(`${PODS(namespace)}/p`)).metadata.deletionTimestamp, undefined);
    expect(201, await evict(world, namespace, 'p', { deleteOptions: { gracePeriodSeconds: 3 } }));
    assert.equal(expect(200, await world.get(`${PODS(namespace)}/p`)).metadata.deletionGracePeriodSeconds, 3);
    expect(201, await evict(world, namespace, 'p', { apiVersion: 'policy/v1beta1', deleteOptions: { gracePeriodSeconds: 0 } }));
    expectFailure(404, 'NotFound', await evict(world, namespace, 'p'));
  });

  test('R4.8-17 an eviction whose dryRun has no value evicts', async () => {
    const namespace = await place(world);
    for (const [name, query, dryRun] of [['p', '', ['']], ['q', '?dryRun=', []], ['r', '?dryRun=', ['']]] as const) {
      await pod(world, namespace, name);
      expect(201, await evict(world, namespace, name, { deleteOptions: { dryRun: ['All'] } }, query));
      expect(200, await world.get(`${PODS(namespace)}/${name}`));
      expect(201, await evict(world, namespace, name, { deleteOptions: { dryRun, gracePeriodSeconds: 0 } }, query));
      expectFailure(404, 'NotFound', await world.get(`${PODS(namespace)}/${name}`));
    }
  });

  test('an eviction is of a version that there is, asks for one dry-run, and is told of its options last', async () => {
    const namespace = await place(world);
    await readyPod(world, namespace, 'p', { app: 'a' });
    for (const apiVersion of ['v1', 'policy/v2', 'apps/v1']) expectFailure(400, 'BadRequest', await evict(world, namespace, 'p', { apiVersion }));
    const wrong = { deleteOptions: { propagationPolicy: 'Sideways' } };
    expectFailure(404, 'NotFound', await evict(world, namespace, 'gone', wrong));
    expectFailure(422, 'Invalid', await evict(world, namespace, 'p', wrong));
    const dry = { deleteOptions: { dryRun: ['All'] } };
    assert.equal((await evict(world, namespace, 'p', dry, '?dryRun=All&dryRun=All')).status, 500);
    expect(201, await evict(world, namespace, 'p', dry, '?dryRun=All'));
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'b' }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } } } };
    expect(201, await world.post(`/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`, budget));
    expectFailure(429, 'TooManyRequests', await evict(world, namespace, 'p', wrong));
  });

  test('an eviction that cannot delete its pod is told why, and charges no disruption budget', async () => {
    const namespace = await place(world);
    await readyPod(world, namespace, 'p', { app: 'a' });
    const path = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'b' }, spec: { minAvailable: 1, selector: { matchLabels: { app: 'a' } } } };
    expect(201, await world.post(path, budget));
    const status = { observedGeneration: 1, disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 };
    expect(200, await world.patch('merge', `${path}/b/status`, { status }));
    expectFailure(422, 'Invalid', await evict(world, namespace, 'p', { deleteOptions: { propagationPolicy: 'Sideways' } }));
    for (const preconditions of [{ uid: '1' }, { resourceVersion: '1' }]) {
      expectFailure(409, 'Conflict', await evict(world, namespace, 'p', { deleteOptions: { preconditions } }));
    }
    assert.deepEqual(expect(200, await world.get(`${path}/b`)).status, status);
    expect(201, await evict(world, namespace, 'p'));
    assert.equal(expect(200, await world.get(`${path}/b`)).status.disruptionsAllowed, 0);
  });

  test('a disruption budget lets go as many as it allows, however many ask at once', async () => {
    const namespace = await place(world);
    const names = ['p', 'q', 'r', 's'];
    for (const name of names) await readyPod(world, namespace, name, { app: 'a' });
    const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
    const spec = { minAvailable: 2, selector: { matchLabels: { app: 'a' } } };
    expect(201, await world.post(budgets, { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'b' }, spec }));
    const early = await evict(world, namespace, 'p');
    expectFailure(429, 'TooManyRequests', early);
    assert.equal(early.headers['retry-after'], '10');
    const counted = { status: { observedGeneration: 1, disruptionsAllowed: 2, currentHealthy: 4, desiredHealthy: 2, expectedPods: 4 } };
    expect(200, await world.patch('merge', `${budgets}/b/status`, counted));
    const answers = await Promise.all(names.map((name) => evict(world, namespace, name)));
    assert.deepEqual(answers.map(({ status }) => status).sort((one, other) => one - other), [201, 201, 429, 429]);
    const budget = expect(200, await world.get(`${budgets}/b`));
    assert.equal(budget.status.disruptionsAllowed, 0);
    assert.equal(Object.keys(budget.status.disruptedPods).length, 2);
    assert.deepEqual(budget.status.conditions.map((one: TestJson) => [one.type, one.status, one.reason]), [['DisruptionAllowed', 'False', 'InsufficientPods']]);
  });

  test('a disruption budget that is used up holds pods that serve, and one that would be missed; a trial takes nothing from one that is not', async () => {
    const namespace = await place(world);
    const budgets = `/apis/policy/v1/namespaces/${namespace}/poddisruptionbudgets`;
    const budget = (name: string) => ({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name }, spec: { minAvailable: 2, selector: { matchLabels: { app: 'a' } } } });
    expect(201, await world.post(budgets, budget('b')));
    const counted = (disruptionsAllowed: number, currentHealthy: number, desiredHealthy: number, disruptedPods: object = {}) =>
      world.patch('merge', `${budgets}/b/status`, { status: { observedGeneration: 1, disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods: 4, disruptedPods } });
    const show = (name: string, status: object) => world.patch('merge', `${PODS(namespace)}/${name}/status`, { status });
    const isUnready = { phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] };

    const before = expect(200, await counted(1, 3, 2));
    await readyPod(world, namespace, 'ready', { app: 'a' });
    expect(201, await evict(world, namespace, 'ready', {}, '?dryRun=All'));
    expect(201, await evict(world, namespace, 'ready', { deleteOptions: { dryRun: ['All'] } }));
    assert.deepEqual(expect(200, await world.get(`${budgets}/b`)), before);

    const usedUp = expect(200, await counted(0, 2, 2));
    await readyPod(world, namespace, 'unready', { app: 'a' });
    expect(200, await show('unready', isUnready));
    expect(201, await evict(world, namespace, 'unready'));
    expectFailure(429, 'TooManyRequests', await evict(world, namespace, 'ready'));
    assert.deepEqual(expect(200, await world.get(`${budgets}/b`)), usedUp);

    await pod(world, namespace, 'pending', {}, { app: 'a' });
    for (const phase of ['Succeeded', 'Failed']) {
      await pod(world, namespace, phase.toLowerCase(), { nodeName: 'n' }, { app: 'a' });
      expect(200, await show(phase.toLowerCase(), { phase }));
    }
    await readyPod(world, namespace, 'going', { app: 'a' });
    expect(200, await world.delete(`${PODS(namespace)}/going`));
    await readyPod(world, namespace, 'missed', { app: 'a' });
    expect(200, await show('missed', isUnready));
    for (const [current, desired] of [[0, 0], [1, 2]] as const) {
      expect(200, await counted(0, current, desired));
      expectFailure(429, 'TooManyRequests', await evict(world, namespace, 'missed'));
    }
    for (const name of ['pending', 'succeeded', 'failed', 'going']) expect(201, await evict(world, namespace, name));
    const unconfirmed = Object.fromEntries(Array.from({ length: 2001 }, (_, number) => [`p${number}`, '2022-01-01T00:00:00Z']));
    expect(200, await counted(1, 3, 2, unconfirmed));
    expectFailure(403, 'Forbidden', await evict(world, namespace, 'ready'));
    expect(201, await world.post(budgets, budget('c')));
    assert.match((await evict(world, namespace, 'ready')).body.message, /more than one PodDisruptionBudget/);
  });

  test('R9-35 an empty selector of policy/v1 counts on every pod of its namespace, but where Kubernetes passes it over; in the version before, and where there is no selector, on none', async () => {
    const isHeeded = world.brand.deviations.emptyBudgetSelectsAll;
    const cases = [['v1', { selector: {} }, isHeeded ? 429 : 201], ['v1beta1', { selector: {} }, 201], ['v1', {}, 201]] as const;
    for (const [version, selection, status] of cases) {
      const [namespace, other] = [await place(world), await place(world)];
      for (const where of [namespace, other]) await readyPod(world, where, 'p', { app: 'a' });
      await readyPod(world, namespace, 'bare');
      const budget = { metadata: { name: 'b' }, spec: { minAvailable: 2, ...selection } };
      expect(201, await world.post(`/apis/policy/${version}/namespaces/${namespace}/poddisruptionbudgets`, budget));
      for (const name of ['p', 'bare']) assert.equal((await evict(world, namespace, name)).status, status, `${version} ${JSON.stringify(selection)} ${name}`);
      expect(201, await evict(world, other, 'p'));
    }
  });
});
