import 'reflect-metadata';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import { startTestServer, TEST_TOKENS, type TestJson } from '#testing';
import { newRequester, person } from '../support/certificate-requests.ts';
import { make, rbacPath, review, User, type Rule } from './access.ts';
import { everywhere, expect, expectFailure, PLACES } from './world.ts';

const REQUEST = (await (await newRequester()).make({ subject: person('a') })).base64;

const core = (verbs: readonly string[], resources: readonly string[], ...resourceNames: readonly string[]): Rule => ({
  verbs,
  apiGroups: [''],
  resources,
  ...(resourceNames.length === 0 ? {} : { resourceNames }),
});

everywhere(PLACES.both, (world) => {
  const at = '/api/v1/namespaces/default';

  test('R5.1-01 RX-05 a request with several faults is told the first: who, then whether, then what', async () => {
    const path = `${at}/configmaps`;
    const bad = { metadata: { name: 'UPPER' } };
    expectFailure(401, 'Unauthorized', await world.post(path, bad, { authorization: 'Bearer nobody' }));
    const user = new User(world);
    expectFailure(403, 'Forbidden', await user.request('POST', path, bad));
    await user.grant(core(['create'], ['configmaps']));
    expectFailure(422, 'Invalid', await user.request('POST', path, bad));
    // Admission comes before validation.
    expectFailure(404, 'NotFound', await user.request('POST', '/api/v1/namespaces/nowhere/configmaps', bad));
  });

  test('R5.1-02 R5.1-03 R5.1-06 R5.1-08 R2.15-04 what no rule allows is denied with 403, and rules only add', async () => {
    const user = new User(world);
    expectFailure(403, 'Forbidden', await user.request('GET', `${at}/configmaps`));
    await user.grant(core(['list'], ['configmaps']));
    expect(200, await user.request('GET', `${at}/configmaps`));
    // A role without verbs takes nothing away.
    await user.grant(core(['get'], ['configmaps']));
    expect(200, await user.request('GET', `${at}/configmaps`));
    for (const [method, path] of [['GET', `${at}/secrets`], ['DELETE', `${at}/configmaps`], ['GET', '/apis/apps/v1/deployments'], ['GET', '/metrics']] as const) {
      expectFailure(403, 'Forbidden', await user.request(method, path));
    }
    assert.equal(await user.codeOfWatch(`${at}/configmaps?watch=1`), 403);
  });

  test('R5.1-02 who makes an object by an update or an apply needs the permission to create it, too', async () => {
    const path = `${at}/endpoints/${world.fresh('made')}`;
    const sent = (): object => ({ apiVersion: 'v1', kind: 'Endpoints', metadata: { name: path.slice(path.lastIndexOf('/') + 1) } });
    const user = new User(world);
    const put = (query = ''): ReturnType<typeof user.request> => user.request('PUT', path + query, sent());
    const apply = (query = ''): ReturnType<typeof user.request> => world.patch('apply', `${path}?fieldManager=m${query}`, sent(), user.headers);
    await user.grant(core(['get', 'update', 'patch'], ['endpoints']));
    for (const answer of [await put(), await put('?dryRun=All'), await apply(), await apply('&dryRun=All')]) {
      expectFailure(403, 'Forbidden', answer);
      assert.match(answer.text, /User \\".*\\" cannot create resource \\"endpoints\\" in API group \\"\\" in the namespace \\"default/);
    }
    expectFailure(404, 'NotFound', await world.get(path));
    expect(201, await world.put(path, sent()));
    expect(200, await put());
    expect(200, await apply());
    expect(200, await world.delete(path));
    await user.grant(core(['create'], ['endpoints']));
    expect(201, await apply('&dryRun=All'));
    expect(201, await put());
  });

  test('R5.1-14 R5.1-15 R5.1-16 user name, groups and extra are what is decided by', async () => {
    const path = `${at}/configmaps`;
    const as = (headers: Readonly<Record<string, string>>) => world.get(path, headers);
    const name = world.fresh('reader');
    await make(world, 'ClusterRole', name, { rules: [core(['list'], ['configmaps'])] });
    const subjects = [
      { apiGroup: world.brand.group('rbac'), kind: 'User', name: `${name}-user` },
      { apiGroup: world.brand.group('rbac'), kind: 'Group', name: `${name}-group` },
    ];
    await make(world, 'ClusterRoleBinding', name, { roleRef: { apiGroup: world.brand.group('rbac'), kind: 'ClusterRole', name }, subjects });
    expect(200, await as({ 'impersonate-user': `${name}-user` }));
    expect(200, await as({ 'impersonate-user': 'other', 'impersonate-group': `${name}-group` }));
    expectFailure(403, 'Forbidden', await as({ 'impersonate-user': `${name}-group` }));
    expectFailure(403, 'Forbidden', await as({ 'impersonate-user': 'other', 'impersonate-group': `${name}-user` }));
    // Extra is taken along: no role asks for it, a review takes it.
    const asked = { resourceAttributes: { verb: 'list', resource: 'configmaps' }, extra: { 'example.com/a': ['1', '2'] } };
    assert.equal((await review(world, { ...asked, user: `${name}-user` })).allowed, true);
    assert.equal((await review(world, { ...asked, user: 'other' })).allowed, false);
    const wrong = { apiVersion: `${world.brand.group('authorization')}/v1`, kind: 'SubjectAccessReview', spec: { ...asked, user: 'other', extra: { a: 'no list' } } };
    expectFailure(400, 'BadRequest', await world.post(`/apis/${wrong.apiVersion}/subjectaccessreviews`, wrong));
  });

  test('R5.1-17 R5.1-18 R5.1-20 a path that is no resource is decided by itself and the HTTP verb in small letters', async () => {
    const user = await new User(world).grant({ verbs: ['get'], nonResourceURLs: ['/metrics', '/logs/*'] }, { verbs: ['*'], apiGroups: ['*'], resources: ['metrics'] });
    expect(200, await user.request('GET', '/metrics'));
    expectFailure(403, 'Forbidden', await user.request('POST', '/metrics'));
    expectFailure(403, 'Forbidden', await user.request('GET', '/metrics/slis'));
    assert.notEqual(await user.codeOf('GET', '/logs/a/b'), 403);
    assert.equal(await user.may({ verb: 'get', resource: 'metrics' }), true);
    const asked = async (path: string, verb: string): Promise<boolean> => (await review(world, { user: user.name, nonResourceAttributes: { path, verb } })).allowed;
    assert.deepEqual([await asked('/metrics', 'get'), await asked('/metrics', 'GET'), await asked('/metrics', 'post'), await asked('/logs/x', 'get')], [true, false, false, true]);
    // A role for every resource opens no path.
    const resources = await new User(world).grant({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] });
    expectFailure(403, 'Forbidden', await resources.request('GET', '/metrics'));
  });

  test('R5.1-19 R5.1-21 R5.1-22 R5.1-23 R5.1-24 R5.1-25 R2.15-03 verb, resource, name, subresource, namespace and group each count', async () => {
    const namespace = await world.namespace();
    const collection = world.path('DaemonSet', namespace);
    for (const name of ['a', 'b']) await world.make('DaemonSet', namespace, { name });
    const verbs: readonly (readonly [verb: string, method: string, path: string, body?: object])[] = [
      ['get', 'GET', `${collection}/a`],
      ['list', 'GET', collection],
      ['watch', 'WATCH', `${collection}?watch=1`],
      ['create', 'POST', `${collection}?dryRun=All`, world.object('DaemonSet', { name: 'new' })],
      ['update', 'PUT', `${collection}/a?dryRun=All`, world.object('DaemonSet', { name: 'a' })],
      ['patch', 'PATCH', `${collection}/a?dryRun=All`, {}],
      ['delete', 'DELETE', `${collection}/a?dryRun=All`],
      ['deletecollection', 'DELETE', `${collection}?dryRun=All`],
    ];
    const code = async (user: User, [, method, path, body]: (typeof verbs)[number]): Promise<number> => {
      if (method === 'WATCH') return user.codeOfWatch(path);
      if (method === 'PATCH') return (await world.patch('merge', path, body, user.headers)).status;
      return user.codeOf(method, path, body);
    };
    for (const [granted] of verbs) {
      const user = await new User(world).grant({ verbs: [granted], apiGroups: ['apps'], resources: ['daemonsets'] });
      for (const one of verbs) assert.equal((await code(user, one)) !== 403, one[0] === granted, `${one[0]} with ${granted}`);
    }
    const get = { verbs: ['get'], apiGroups: ['apps'], resources: ['daemonsets'] };
    const reads = async (rule: Rule, path: string): Promise<boolean> => (await (await new User(world).grant(rule)).codeOf('GET', path)) === 200;
    assert.deepEqual([await reads(get, `${collection}/a`), await reads(get, `${collection}/a/status`)], [true, false]);
    assert.deepEqual([await reads({ ...get, resources: ['daemonsets/status'] }, `${collection}/a`), await reads({ ...get, resources: ['daemonsets/status'] }, `${collection}/a/status`)], [false, true]);
    assert.deepEqual([await reads({ ...get, resourceNames: ['a'] }, `${collection}/a`), await reads({ ...get, resourceNames: ['a'] }, `${collection}/b`)], [true, false]);
    assert.equal(await reads({ ...get, apiGroups: [''] }, `${collection}/a`), false);
    assert.equal(await reads({ ...get, apiGroups: [''], resources: ['configmaps'] }, '/api/v1/namespaces/default/configmaps/none'), false);
    assert.equal((await (await new User(world).grant({ ...get, apiGroups: [''], resources: ['configmaps'] })).codeOf('GET', `${at}/configmaps/none`)), 404);
    assert.equal((await (await new User(world).grant({ ...get, apiGroups: ['core'], resources: ['configmaps'] })).codeOf('GET', `${at}/configmaps/none`)), 403);
    // A name is needed: a rule for names opens no collection, and no create.
    const named = await new User(world).grant(core(['get', 'list', 'create', 'deletecollection'], ['configmaps'], 'a'));
    for (const method of ['GET', 'DELETE']) assert.equal(await named.codeOf(method, `${at}/configmaps`), 403);
    assert.equal(await named.codeOf('POST', `${at}/configmaps`, { metadata: { name: 'a' } }), 403);
    assert.equal(await named.codeOf('GET', `${at}/configmaps?fieldSelector=metadata.name%3Da`), 200);
    const local = new User(world);
    await make(world, 'Role', local.name, { rules: [get] }, namespace);
    await make(world, 'RoleBinding', local.name, { roleRef: local.roleRef('Role', local.name), subjects: [local.subject] }, namespace);
    assert.deepEqual([await local.may({ ...get, verb: 'get', group: 'apps', resource: 'daemonsets', namespace }), await local.may({ verb: 'get', group: 'apps', resource: 'daemonsets', namespace: 'default' })], [true, false]);
  });

  test('R5.1-29 R5.1-30 R2.14-02 R2.14-03 R2.14-04 R2.14-06 R2.14-07 R2.14-10 reviews answer for the caller, for anybody, and for one namespace', async () => {
    const user = await new User(world).grant(core(['get'], ['pods', 'pods/log'], 'p'), { verbs: ['get'], nonResourceURLs: ['/metrics'] });
    const authorization = world.brand.group('authorization');
    const ask = async (plural: string, kind: string, spec: object, as: Readonly<Record<string, string>> = {}, namespace = ''): Promise<TestJson> => {
      const where = namespace === '' ? '' : `namespaces/${namespace}/`;
      const metadata = namespace === '' ? {} : { namespace };
      return expect(201, await world.post(`/apis/${authorization}/v1/${where}${plural}`, { apiVersion: `${authorization}/v1`, kind, metadata, spec }, as)).status;
    };
    const questions: readonly (readonly [spec: object, allowed: boolean])[] = [
      [{ resourceAttributes: { verb: 'get', resource: 'pods', name: 'p', namespace: 'default' } }, true],
      [{ resourceAttributes: { verb: 'get', resource: 'pods', name: 'q', namespace: 'default' } }, false],
      [{ resourceAttributes: { verb: 'list', resource: 'pods', name: 'p', namespace: 'default' } }, false],
      [{ resourceAttributes: { verb: 'get', resource: 'pods', subresource: 'log', version: 'v1', name: 'p' } }, true],
      [{ resourceAttributes: { verb: 'get', resource: 'pods', subresource: 'exec', name: 'p' } }, false],
      [{ resourceAttributes: { verb: 'get', group: 'apps', resource: 'pods', name: 'p' } }, false],
      [{ nonResourceAttributes: { verb: 'get', path: '/metrics' } }, true],
      [{ nonResourceAttributes: { verb: 'get', path: '/debug' } }, false],
    ];
    for (const [spec, allowed] of questions) {
      const own = await ask('selfsubjectaccessreviews', 'SelfSubjectAccessReview', spec, user.headers);
      const other = await ask('subjectaccessreviews', 'SubjectAccessReview', { ...spec, user: user.name });
      assert.deepEqual([own.allowed, other.allowed, other.denied ?? false], [allowed, allowed, false], JSON.stringify(spec));
      if (allowed) assert.match(other.reason, /granted/i);
    }
    const inside = { user: user.name, resourceAttributes: { verb: 'get', resource: 'pods', name: 'p', namespace: 'default' } };
    assert.equal((await ask('localsubjectaccessreviews', 'LocalSubjectAccessReview', inside, {}, 'default')).allowed, true);
    const elsewhere = { apiVersion: `${authorization}/v1`, kind: 'LocalSubjectAccessReview', metadata: { namespace: 'default' }, spec: { ...inside, resourceAttributes: { ...inside.resourceAttributes, namespace: 'other' } } };
    const local = `/apis/${authorization}/v1/namespaces/default/localsubjectaccessreviews`;
    assert.ok((await world.post(local, elsewhere)).status >= 400);
    const nowhere = { ...elsewhere, metadata: {}, spec: { user: user.name, resourceAttributes: { verb: 'get', resource: 'pods' } } };
    expectFailure(400, 'BadRequest', await world.post(local, nowhere));
    const rules = { apiVersion: `${authorization}/v1`, kind: 'SelfSubjectRulesReview', spec: { namespace: 'default' } };
    const told = expect(201, await world.post(`/apis/${authorization}/v1/selfsubjectrulesreviews`, rules));
    assert.deepEqual([told.metadata, told.spec], [{ creationTimestamp: null }, {}]);
  });

  test('R5.1-32 who may make pods in a namespace gets at its secrets: nothing stops the pod from naming them', async () => {
    const namespace = await world.namespace();
    expect(201, await world.post(`/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: 'default' } }));
    await world.make('Secret', namespace, { name: 's' });
    const user = await new User(world).grant(core(['create'], ['pods']));
    expectFailure(403, 'Forbidden', await user.request('GET', world.path('Secret', namespace, 's')));
    const spec = { containers: [{ name: 'c', image: 'i', envFrom: [{ secretRef: { name: 's' } }] }], volumes: [{ name: 'v', secret: { secretName: 's' } }] };
    expect(201, await user.request('POST', `/api/v1/namespaces/${namespace}/pods`, { metadata: { name: 'p' }, spec }));
  });

  test('R5.2-01 R5.2-02 R5.2-03 who says nothing is system:anonymous, in the group of those nobody knows', async () => {
    const path = `${at}/configmaps`;
    const nobody = { authorization: '' };
    assert.match(expectFailure(403, 'Forbidden', await world.get(path, nobody)).message, /User "system:anonymous" cannot list/);
    for (const [kind, name] of [['User', 'system:anonymous'], ['Group', 'system:unauthenticated']] as const) {
      const role = world.fresh('open');
      await make(world, 'Role', role, { rules: [core(['list'], ['configmaps'])] }, 'default');
      const binding = { roleRef: { apiGroup: world.brand.group('rbac'), kind: 'Role', name: role }, subjects: [{ apiGroup: world.brand.group('rbac'), kind, name }] };
      await make(world, 'RoleBinding', role, binding, 'default');
      expect(200, await world.get(path, nobody));
      expectFailure(401, 'Unauthorized', await world.get(path, { authorization: 'Bearer nobody' }));
      expectFailure(403, 'Forbidden', await world.get(path, { authorization: `Bearer ${TEST_TOKENS.bob}` }));
      expect(200, await world.delete(`${rbacPath(world, 'rolebindings', 'default')}/${role}`));
      expectFailure(403, 'Forbidden', await world.get(path, nobody));
    }
  });

  test('R5.3-01 a token is what stands behind the word Bearer, however that is spelled, and nowhere else', async () => {
    for (const authorization of [`Bearer ${TEST_TOKENS.admin}`, `bearer ${TEST_TOKENS.admin}`]) expect(200, await world.get(`${at}/configmaps`, { authorization }));
    const others = [TEST_TOKENS.admin, `Basic ${TEST_TOKENS.admin}`, `Token ${TEST_TOKENS.admin}`];
    for (const authorization of others) assert.notEqual((await world.get(`${at}/configmaps`, { authorization })).status, 200, authorization);
    assert.notEqual((await world.get(`${at}/configmaps?access_token=${TEST_TOKENS.admin}`, { authorization: '' })).status, 200);
  });
});

everywhere(PLACES.both, (world) => {
  test('R5.7-01 who impersonates is known first, and what it acts as needs a permission of its own', async () => {
    const as = { 'impersonate-user': 'target' };
    expectFailure(401, 'Unauthorized', await world.get('/api/v1/nodes', { ...as, authorization: 'Bearer nobody' }));
    const refused = expectFailure(403, 'Forbidden', await world.get('/api/v1/nodes', { ...as, authorization: `Bearer ${TEST_TOKENS.bob}` }));
    assert.match(refused.message, /User "bob" cannot impersonate resource "users"/);
  });

  interface Shown {
    readonly username: string;
    readonly uid?: string;
    readonly groups?: readonly string[];
    readonly extra?: Readonly<Record<string, readonly string[]>>;
  }

  /** Who a request is made as: a certificate request says it. */
  async function whoAmI(headers: Readonly<Record<string, string>>): Promise<Shown> {
    const path = `/apis/${world.brand.group('certificates')}/v1/certificatesigningrequests`;
    const name = world.fresh('whoami');
    const { spec } = expect(201, await world.post(`${path}?dryRun=All`, { metadata: { name }, spec: { request: REQUEST, signerName: 'example.com/s', usages: ['client auth'] } }, headers));
    return { username: spec.username, uid: spec.uid, groups: spec.groups, extra: spec.extra };
  }

  test('R5.7-04 R5.7-05 R5.7-06 R5.7-07 R5.7-08 R5.7-09 the headers say user, groups, extra and uid', async () => {
    const role = world.fresh('asker');
    await make(world, 'ClusterRole', role, { rules: [{ verbs: ['create'], apiGroups: [world.brand.group('certificates')], resources: ['certificatesigningrequests'] }] });
    const account = 'system:serviceaccount:default:a';
    const subjects = ['target', account, 'system:anonymous'].map((name) => ({ apiGroup: world.brand.group('rbac'), kind: 'User', name }));
    await make(world, 'ClusterRoleBinding', role, { roleRef: { apiGroup: world.brand.group('rbac'), kind: 'ClusterRole', name: role }, subjects });
    assert.deepEqual(await whoAmI({ 'impersonate-user': 'target' }), { username: 'target', uid: undefined, groups: ['system:authenticated'], extra: undefined });
    const all = { 'impersonate-user': 'target', 'impersonate-group': 'g1', 'impersonate-extra-scopes': 'view', 'impersonate-extra-Example.com%2FMixed': 'x', 'impersonate-uid': ' any form: 1/2 ' };
    const shown = await whoAmI(all);
    assert.deepEqual(shown.groups, ['g1', 'system:authenticated']);
    assert.deepEqual(shown.extra, { scopes: ['view'], 'example.com/mixed': ['x'] });
    assert.equal(shown.uid?.trim(), 'any form: 1/2');
    // An account is in its own groups unless the headers name others, and who is unknown does not become known.
    const groups: readonly (readonly [user: string, group: string, groups: readonly string[]])[] = [
      [account, '', ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated']],
      [account, 'g1', ['g1', 'system:authenticated']],
      ['target', 'system:authenticated', ['system:authenticated']],
      ['target', 'system:unauthenticated', ['system:unauthenticated']],
      ['system:anonymous', '', ['system:unauthenticated']],
      ['system:anonymous', 'system:unauthenticated', ['system:unauthenticated']],
      ['system:anonymous', 'system:authenticated', ['system:authenticated', 'system:unauthenticated']],
    ];
    for (const [user, group, expected] of groups) {
      assert.deepEqual((await whoAmI({ 'impersonate-user': user, ...(group === '' ? {} : { 'impersonate-group': group }) })).groups, expected, `${user} ${group}`);
    }
    for (const part of ['impersonate-group', 'impersonate-uid', 'impersonate-extra-a']) {
      assert.equal((await world.get('/api/v1/nodes', { [part]: 'x' })).status, 500, part);
    }
  });

  test('R5.7-13 R5.7-14 R5.7-15 R5.7-16 RX-21 each part needs impersonate on its own resource, and rules may name the values', async () => {
    const authentication = world.brand.group('authentication');
    const reads = async (rules: readonly Rule[], headers: Readonly<Record<string, string>>): Promise<string> => {
      const name = world.fresh('imp');
      await make(world, 'ClusterRole', name, { rules });
      const roleRef = { apiGroup: world.brand.group('rbac'), kind: 'ClusterRole', name };
      await make(world, 'ClusterRoleBinding', name, { roleRef, subjects: [{ apiGroup: world.brand.group('rbac'), kind: 'User', name: 'bob' }] });
      const refused = expectFailure(403, 'Forbidden', await world.get('/api/v1/nodes', { authorization: `Bearer ${TEST_TOKENS.bob}`, ...headers }));
      expect(200, await world.delete(`${rbacPath(world, 'clusterrolebindings')}/${name}`));
      return refused.message as string;
    };
    const impersonate = (resources: readonly string[], group = '', ...resourceNames: readonly string[]): Rule => ({
      verbs: ['impersonate'], apiGroups: [group], resources, ...(resourceNames.length === 0 ? {} : { resourceNames }),
    });
    const user = { 'impersonate-user': 'target' };
    const passed = (name: string): RegExp => new RegExp(`User "${name}" cannot list resource "nodes"`);
    const users = impersonate(['users']);
    assert.match(await reads([users], user), passed('target'));
    assert.match(await reads([impersonate(['users'], '', 'target')], user), passed('target'));
    assert.match(await reads([impersonate(['users'], '', 'other')], user), /cannot impersonate resource "users"/);
    const account = { 'impersonate-user': 'system:serviceaccount:default:a' };
    assert.match(await reads([users], account), /cannot impersonate resource "serviceaccounts" in API group "" in the namespace "default"/);
    assert.match(await reads([impersonate(['serviceaccounts'])], account), passed('system:serviceaccount:default:a'));
    const extra = { ...user, 'impersonate-extra-scopes': 'view' };
    assert.match(await reads([users], extra), /cannot impersonate resource "userextras\/scopes"/);
    assert.match(await reads([users, impersonate(['userextras/scopes'])], extra), /cannot impersonate/);
    assert.match(await reads([users, impersonate(['userextras/scopes'], authentication, 'edit')], extra), /cannot impersonate/);
    assert.match(await reads([users, impersonate(['userextras/scopes'], authentication, 'view')], extra), passed('target'));
    const uid = { ...user, 'impersonate-uid': 'u-1' };
    assert.match(await reads([users], uid), /cannot impersonate resource "uids"/);
    assert.match(await reads([users, impersonate(['uids'], authentication, 'u-2')], uid), /cannot impersonate/);
    assert.match(await reads([users, impersonate(['uids'], authentication, 'u-1')], uid), passed('target'));
    const group = { ...user, 'impersonate-group': 'dev' };
    assert.match(await reads([users, impersonate(['groups'], '', 'ops')], group), /cannot impersonate resource "groups"/);
    assert.match(await reads([users, impersonate(['groups'], '', 'dev')], group), passed('target'));
    // Reviews and streams are of the one who is acted as.
    assert.equal(await new User(world, 'target').codeOfWatch('/api/v1/nodes?watch=1'), 403);
  });
});

for (const dialect of DIALECTS) {
  test(`R5.1-26 R5.1-28 R5.1-10 a node agent may what it needs for its own node and the pods on it, and nothing for others (${dialect})`, async () => {
    const server = await startTestServer({ dialect, controllers: 'none', authorization: { modes: ['Node', 'RBAC'] }, admission: { enable: ['NodeRestriction'] } });
    const agent = { 'impersonate-user': 'system:node:mine', 'impersonate-group': 'system:nodes' };
    const code = async (method: string, path: string, body?: unknown): Promise<number> => (await server.request(method, path, body, agent)).status;
    const leases = `/apis/${brandOf(dialect).group('coordination')}/v1/namespaces/${brandOf(dialect).names.leaseNamespace}/leases`;
    const ns = '/api/v1/namespaces/default';
    const adminMakes = async (path: string, body: object): Promise<TestJson> => expect(201, await server.request('POST', path, body));
    assert.equal(await code('POST', '/api/v1/nodes', { metadata: { name: 'mine' } }), 201);
    assert.equal(await code('POST', '/api/v1/nodes', { metadata: { name: 'other' } }), 403);
    await adminMakes('/api/v1/nodes', { metadata: { name: 'other' } });
    for (const name of ['named', 'unnamed']) await adminMakes(`${ns}/secrets`, { metadata: { name } });
    await adminMakes(`${ns}/serviceaccounts`, { metadata: { name: 'default' } });
    for (const [name, nodeName] of [['p', 'mine'], ['q', 'other']] as const) {
      const containers = [{ name: 'c', image: 'i', envFrom: [{ secretRef: { name: name === 'p' ? 'named' : 'unnamed' } }] }];
      await adminMakes(`${ns}/pods`, { metadata: { name }, spec: { nodeName, containers } });
    }
    const status = { metadata: {}, status: { conditions: [] } };
    const { spec } = (await server.request('GET', '/api/v1/nodes/mine')).body as { readonly spec: object };
    const asked: readonly (readonly [code: number, method: string, path: string, body?: object])[] = [
      [200, 'GET', '/api/v1/nodes/mine'],
      [200, 'PUT', '/api/v1/nodes/mine/status', { ...status, metadata: { name: 'mine' }, spec }],
      [403, 'PUT', '/api/v1/nodes/mine/status', { ...status, metadata: { name: 'mine' } }],
      [403, 'PUT', '/api/v1/nodes/other/status', { ...status, metadata: { name: 'other' } }],
      [200, 'GET', `${ns}/secrets/named`],
      [403, 'GET', `${ns}/secrets/unnamed`],
      [403, 'GET', `${ns}/secrets`],
      [200, 'PUT', `${ns}/pods/p/status`, { metadata: { name: 'p' }, status: { phase: 'Running' } }],
      [403, 'PUT', `${ns}/pods/q/status`, { metadata: { name: 'q' }, status: { phase: 'Running' } }],
      [201, 'POST', leases, { metadata: { name: 'mine' }, spec: {} }],
      [403, 'POST', leases, { metadata: { name: 'other' }, spec: {} }],
      [403, 'DELETE', `${ns}/secrets/named`],
    ];
    for (const [expected, method, path, body] of asked) assert.equal(await code(method, path, body), expected, `${method} ${path}`);
    await server.close();
  });
}
