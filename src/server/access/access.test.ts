import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { startServer, type RunningServer } from '../start.ts';

const RBAC = 'rbac.authorization.orch.io';
const TOKENS = 'ta,admin,1,"system:masters"\ntb,bob,2\ntc,carol,3,"dev"\nté\u{1f511}à,dán,4\n';
let server: RunningServer;

interface Reply {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test that looks in the wrong place is to fail there, not to be narrowed
  readonly body: any;
}

async function call(who: string, method: string, path: string, object?: object, more: Record<string, string | string[]> = {}): Promise<Reply> {
  const headers = { 'content-type': 'application/json', ...(who === '' ? {} : { authorization: `Bearer ${who}` }), ...more };
  const answer = await server.exchange({ method, path, headers, ...(object === undefined ? {} : { body: JSON.stringify(object) }) });
  assert.ok('body' in answer);
  const text = new TextDecoder().decode(answer.body);
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}

const rolePath = (kind: string, namespace = ''): string => `/apis/${RBAC}/v1${namespace === '' ? '' : `/namespaces/${namespace}`}/${kind}`;
const named = (kind: string, name: string, body: object): object => ({ apiVersion: `${RBAC}/v1`, kind, metadata: { name }, ...body });
const to = (role: string, ...users: string[]): object => ({
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
  subjects: users.map((name) => ({ kind: 'User', apiGroup: RBAC, name })),
});
const review = (spec: object): object => ({ apiVersion: 'authorization.orch.io/v1', kind: 'SelfSubjectAccessReview', spec });
const REVIEWS = '/apis/authorization.orch.io/v1/selfsubjectaccessreviews';

async function followsAtOnce(rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const binding = named('RoleBinding', `round-${round}`, to('view', 'bob'));
    assert.equal((await call('ta', 'POST', rolePath('rolebindings', 'default'), binding)).status, 201);
    assert.equal((await call('tb', 'GET', '/api/v1/namespaces/default/configmaps')).status, 200);
    assert.equal((await call('tb', 'GET', '/api/v1/namespaces/orch-system/configmaps')).status, 403);
    assert.equal((await call('ta', 'DELETE', `${rolePath('rolebindings', 'default')}/round-${round}`)).status, 200);
    assert.equal((await call('tb', 'GET', '/api/v1/namespaces/default/configmaps')).status, 403);
  }
}

describe('access', () => {
  before(async () => {
    server = await startServer({ listen: false, tokens: TOKENS });
  });
  after(() => server.close());

  test('R5.2-09 what is open to everybody who is known, and to everybody', async () => {
    for (const [who, path, status] of [
      ['tb', '/api', 200],
      ['tb', '/apis', 200],
      ['tb', '/version', 200],
      ['', '/version', 200],
      ['', '/healthz', 200],
      ['', '/api', 403],
      ['tb', '/metrics', 403],
      ['tb', '/api/v1/namespaces/default/secrets', 403],
    ] as const) {
      assert.equal((await call(who, 'GET', path)).status, status, `${who} ${path}`);
    }
  });

  test('R5.3-01 a token is the first word behind Bearer, in whatever case and with letters of any alphabet', async () => {
    const whoIs = async (header: string | string[]): Promise<string> => {
      const { body } = await call('', 'GET', '/api/v1/nodes', undefined, { authorization: header });
      return /User "([^"]*)"/.exec(body.message)?.[1] ?? body.reason;
    };
    for (const header of ['Bearer té\u{1f511}à', ' bearer té\u{1f511}à ', 'BEARER té\u{1f511}à more', ['Bearer té\u{1f511}à', 'Bearer tb']]) assert.equal(await whoIs(header), 'dán');
    for (const header of ['Bearer té\u{1f511}', 'Bearer té\u{1f511}Ã\u00a0', 'Bearer x té\u{1f511}à', ['Bearer x', 'Bearer tb']]) assert.equal(await whoIs(header), 'Unauthorized');
    for (const header of ['Bearer', 'Bearer ', 'Bearer  tb', 'Bearertb', 'Bearer\ttb', 'Bearert', 'Basic tb', 'tb', '']) assert.equal(await whoIs(header), 'system:anonymous', header);
  });

  test('R2.15-15 a decision follows the write that was answered before, at once', async () => {
    await followsAtOnce(20);
  });

  test('nobody grants what they do not have', async () => {
    const rules = [{ verbs: ['*'], apiGroups: [RBAC], resources: ['roles', 'rolebindings', 'clusterrolebindings'] }];
    // Every verb would be `escalate` and `bind`, too.
    const own = [{ ...rules[0], verbs: ['create', 'update', 'patch', 'get'] }, { verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    await call('ta', 'POST', rolePath('clusterroles'), named('ClusterRole', 'granter', { rules: own }));
    await call('ta', 'POST', rolePath('clusterrolebindings'), named('ClusterRoleBinding', 'granter', to('granter', 'carol')));
    const role = (name: string, verb: string): object => named('Role', name, { rules: [{ verbs: [verb], apiGroups: [''], resources: ['pods'] }] });
    assert.equal((await call('tc', 'POST', rolePath('roles', 'default'), role('held', 'get'))).status, 201);
    const refused = await call('tc', 'POST', rolePath('roles', 'default'), role('more', 'delete'));
    assert.equal(refused.status, 403);
    assert.match(refused.body.message, /^roles.* "more" is forbidden: user "carol" \(groups=\["dev" "system:authenticated"\]\) is attempting to grant/);
    assert.match(refused.body.message, /\n\{APIGroups:\[""\], Resources:\["pods"\], Verbs:\["delete"\]\}$/);
    assert.equal((await call('tc', 'PUT', `${rolePath('roles', 'default')}/held`, role('held', 'delete'))).status, 403);
    assert.equal((await call('tc', 'POST', rolePath('clusterrolebindings'), named('ClusterRoleBinding', 'up', to('cluster-admin', 'carol')))).status, 403);
    assert.equal((await call('tc', 'POST', rolePath('clusterrolebindings'), named('ClusterRoleBinding', 'no', to('none', 'carol')))).status, 404);
    assert.equal((await call('tc', 'POST', rolePath('clusterrolebindings'), named('ClusterRoleBinding', 'same', to('granter', 'x')))).status, 201);
  });

  test('a refusal to grant names the roles of the writer that do not exist, and a role to bind that does not', async () => {
    const own = [{ verbs: ['create'], apiGroups: [RBAC], resources: ['roles', 'rolebindings', 'clusterroles', 'clusterrolebindings'] }];
    await call('ta', 'POST', rolePath('clusterroles'), named('ClusterRole', 'dangler', { rules: own }));
    await call('ta', 'POST', rolePath('clusterrolebindings'), named('ClusterRoleBinding', 'dangler', to('dangler', 'fay')));
    await call('ta', 'POST', rolePath('clusterrolebindings'), named('ClusterRoleBinding', 'dangler-none', to('nix', 'fay')));
    const local = to('nix', 'fay');
    await call('ta', 'POST', rolePath('rolebindings', 'default'), named('RoleBinding', 'dangler', { ...local, roleRef: { apiGroup: RBAC, kind: 'Role', name: 'nix' } }));
    const messageFor = async (path: string, body: object): Promise<string> => (await call('ta', 'POST', path, body, { 'impersonate-user': 'fay' })).body.message;
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
    const missing = '"nix" not found';
    const inNamespace = await messageFor(rolePath('roles', 'default'), named('Role', 'r', { rules }));
    assert.ok(inNamespace.endsWith(`}; resolution errors: [[clusterroles.${RBAC} ${missing}, roles.${RBAC} ${missing}]]`), inNamespace);
    const everywhere = await messageFor(rolePath('clusterroles'), named('ClusterRole', 'r', { rules }));
    assert.ok(everywhere.endsWith(`}; resolution errors: [clusterroles.${RBAC} ${missing}]`), everywhere);
    const bind = (kind: string, name: string): object => named('RoleBinding', 'b', { roleRef: { apiGroup: RBAC, kind, name } });
    assert.equal(await messageFor(rolePath('rolebindings', 'default'), bind('Role', 'nix')), `roles.${RBAC} ${missing}`);
    assert.equal(await messageFor(rolePath('rolebindings', 'default'), bind('ClusterRole', '')), 'Name parameter required.');
    assert.equal(await messageFor(rolePath('rolebindings', 'default'), bind('ClusterRole', '..')), `Name parameter invalid: "..": may not be '..'`);
    assert.equal(await messageFor(rolePath('rolebindings', 'default'), bind('Role', 'a/b%')), `Name parameter invalid: "a/b%": may not contain '/';may not contain '%'`);
    assert.equal(await messageFor(rolePath('clusterrolebindings'), { ...bind('Role', 'nix'), kind: 'ClusterRoleBinding' }), 'Namespace parameter required.');
    assert.equal(await messageFor(rolePath('rolebindings', 'default'), bind('Roll', 'nix')), 'unsupported role reference kind: "Roll"');
  });

  test('only a role that is put together from others needs every permission for that', async () => {
    await call('ta', 'POST', rolePath('clusterroles'), named('ClusterRole', 'joiner', { rules: [{ verbs: ['create', 'update'], apiGroups: [RBAC], resources: ['clusterroles'] }] }));
    await call('ta', 'POST', rolePath('clusterrolebindings'), named('ClusterRoleBinding', 'joiner', to('joiner', 'gus')));
    const create = (aggregationRule: object): Promise<Reply> => call('ta', 'POST', rolePath('clusterroles'), named('ClusterRole', 'joined', { rules: [], aggregationRule }), { 'impersonate-user': 'gus' });
    const refused = await create({ clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] });
    assert.match(refused.body.message, /"joined" is forbidden: must have cluster-admin privileges to use the aggregationRule$/);
    assert.deepEqual([(await create({ clusterRoleSelectors: [] })).status, (await create({})).status], [422, 422]);
    // Its rules stay when it is not put together any more: they may be anything.
    await call('ta', 'POST', rolePath('clusterroles'), named('ClusterRole', 'joined', { rules: [], aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }));
    const apart = await call('ta', 'PUT', `${rolePath('clusterroles')}/joined`, named('ClusterRole', 'joined', { rules: [] }), { 'impersonate-user': 'gus' });
    assert.match(apart.body.message, /"joined" is forbidden: must have cluster-admin privileges to use the aggregationRule$/);
  });

  test('what somebody may not grant is not validated', async () => {
    const granted = [{ verbs: ['get', 'create', 'update'], apiGroups: [RBAC], resources: ['roles', 'rolebindings', 'clusterrolebindings'] }];
    await call('ta', 'POST', rolePath('clusterroles'), named('ClusterRole', 'careless', { rules: granted }));
    await call('ta', 'POST', rolePath('clusterrolebindings'), named('ClusterRoleBinding', 'careless', to('careless', 'dora')));
    const statusFor = async (user: string, method: string, path: string, body: object): Promise<number> => (await call('ta', method, path, body, { 'impersonate-user': user })).status;
    const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }, { verbs: [] }];
    const bad = named('Role', 'bad', { rules });
    const roleRef = { apiGroup: RBAC, kind: 'Role', name: 'none' };
    const bindings: readonly (readonly [body: object, forDora: number, forAdmin: number])[] = [
      [named('ClusterRoleBinding', 'bad', { roleRef }), 400, 422],
      [named('ClusterRoleBinding', 'bad', { roleRef: { ...roleRef, kind: 'ClusterRole', name: '' } }), 400, 422],
      [named('ClusterRoleBinding', 'bad', { roleRef: { ...roleRef, kind: 'Rool' } }), 500, 422],
      [named('ClusterRoleBinding', 'bad', { roleRef: { ...roleRef, kind: 'ClusterRole', name: 'view', apiGroup: 'x' } }), 403, 422],
    ];
    assert.deepEqual([await statusFor('dora', 'POST', rolePath('roles', 'default'), bad), (await call('ta', 'POST', rolePath('roles', 'default'), bad)).status], [403, 422]);
    for (const [body, forDora, forAdmin] of bindings) {
      assert.deepEqual([await statusFor('dora', 'POST', rolePath('clusterrolebindings'), body), (await call('ta', 'POST', rolePath('clusterrolebindings'), body)).status], [forDora, forAdmin]);
    }
  });

  test('an object that grants more than its writer has may be written as it is stored, and with other finalizers, but with no other change', async () => {
    const granted = [{ verbs: ['get', 'update', 'patch'], apiGroups: [RBAC], resources: ['roles', 'rolebindings'] }];
    await call('ta', 'POST', rolePath('clusterroles'), named('ClusterRole', 'keeper', { rules: granted }));
    await call('ta', 'POST', rolePath('clusterrolebindings'), named('ClusterRoleBinding', 'keeper', to('keeper', 'ed')));
    const everything = { rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] };
    const labelled = { metadata: { labels: { a: 'b' } } };
    for (const [resource, kept, changes] of [
      ['roles', named('Role', 'kept', { rules: [{ verbs: ['*'], apiGroups: [''], resources: ['secrets'] }] }), [everything, labelled]],
      ['rolebindings', named('RoleBinding', 'kept', to('admin', 'zoe')), [{ subjects: [{ kind: 'User', apiGroup: RBAC, name: 'ed' }] }, labelled]],
    ] as const) {
      const path = `${rolePath(resource, 'default')}/kept`;
      const { body: stored } = await call('ta', 'POST', rolePath(resource, 'default'), kept);
      const put = async (body: object): Promise<number> => (await call('ta', 'PUT', path, body, { 'impersonate-user': 'ed' })).status;
      const patch = async (body: object): Promise<number> => (await call('ta', 'PATCH', path, body, { 'impersonate-user': 'ed', 'content-type': 'application/merge-patch+json' })).status;
      const { resourceVersion: _, ...unversioned } = stored.metadata;
      const finalized = { ...stored, metadata: { ...stored.metadata, finalizers: ['example.com/kept'] } };
      assert.deepEqual([await put(kept), await put({ ...stored, metadata: unversioned }), await put(stored), await put(finalized)], [403, 403, 200, 200]);
      assert.equal(await patch({ metadata: { finalizers: null } }), 200);
      for (const change of changes) {
        const { body: now } = await call('ta', 'GET', path);
        const changed = { ...now, ...change, metadata: { ...now.metadata, ...('metadata' in change ? change.metadata : {}) } };
        assert.deepEqual([await put(changed), await patch(change)], [403, 403], `${resource} ${JSON.stringify(change)}`);
      }
    }
  });

  test('the verbs escalate and bind lift that', async () => {
    const rules = [{ verbs: ['create', 'escalate', 'bind'], apiGroups: [RBAC], resources: ['roles', 'rolebindings', 'clusterroles'] }];
    await call('ta', 'POST', rolePath('clusterroles'), named('ClusterRole', 'lifter', { rules }));
    const body = { impersonated: { 'impersonate-user': 'lifter' } };
    await call('ta', 'POST', rolePath('clusterrolebindings'), named('ClusterRoleBinding', 'lifter', to('lifter', 'lifter')));
    const any = named('Role', 'any', { rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] });
    assert.equal((await call('ta', 'POST', rolePath('roles', 'default'), any, body.impersonated)).status, 201);
    const binding = named('RoleBinding', 'any', to('cluster-admin', 'z'));
    assert.equal((await call('ta', 'POST', rolePath('rolebindings', 'default'), binding, body.impersonated)).status, 201);
  });

  test('permission to escalate roles of some names is about the name in the path, also where an update or an apply creates the role', async () => {
    const about = { apiGroups: [RBAC], resources: ['roles'] };
    const rules = [{ ...about, verbs: ['create', 'update', 'patch'] }, { ...about, verbs: ['escalate'], resourceNames: ['mine'] }];
    await call('ta', 'POST', rolePath('clusterroles'), named('ClusterRole', 'namer', { rules }));
    await call('ta', 'POST', rolePath('clusterrolebindings'), named('ClusterRoleBinding', 'namer', to('namer', 'namer')));
    const write = async (method: string, name: string, verb: string): Promise<number> => {
      const apply = method === 'PATCH' ? { 'content-type': 'application/apply-patch+yaml' } : {};
      const path = `${rolePath('roles', 'default')}${method === 'POST' ? '' : `/${name}${method === 'PATCH' ? '?fieldManager=m&force=true' : ''}`}`;
      const role = named('Role', name, { rules: [{ verbs: [verb], apiGroups: [''], resources: ['secrets'] }] });
      return (await call('ta', method, path, role, { ...apply, 'impersonate-user': 'namer' })).status;
    };
    for (const [method, name, expected] of [
      ['POST', 'mine', 403],
      ['PUT', 'mine', 201],
      ['PATCH', 'mine', 201],
      ['PUT', 'other', 403],
      ['PATCH', 'other', 403],
    ] as const) {
      assert.equal(await write(method, name, 'list'), expected, `${method} ${name}`);
      await call('ta', 'DELETE', `${rolePath('roles', 'default')}/${name}`);
    }
    assert.deepEqual([await write('PUT', 'mine', 'get'), await write('PUT', 'mine', 'list'), await write('PATCH', 'mine', 'watch')], [201, 200, 200]);
  });

  test('R5.7-02 R5.7-11 R5.7-12 only who may impersonate does, item by item', async () => {
    const rules = [{ verbs: ['impersonate'], apiGroups: [''], resources: ['users'], resourceNames: ['target'] }];
    await call('ta', 'POST', rolePath('clusterroles'), named('ClusterRole', 'imp', { rules }));
    await call('ta', 'POST', rolePath('clusterrolebindings'), named('ClusterRoleBinding', 'imp', to('imp', 'bob')));
    const as = (headers: Record<string, string | string[]>): Promise<Reply> => call('tb', 'GET', '/api/v1/secrets', undefined, headers);
    assert.match((await as({ 'impersonate-user': 'target' })).body.message, /User "target" cannot list/);
    assert.match((await as({ 'impersonate-user': 'other' })).body.message, /^users "other" is forbidden: User "bob" cannot impersonate/);
    assert.match((await as({ 'impersonate-user': 'target', 'impersonate-group': ['system:masters'] })).body.message, /^groups "system:masters" is/);
    assert.match((await as({ 'impersonate-user': 'target', 'impersonate-extra-a%2Fb': 'v' })).body.message, /"userextras\/a\/b" in API group "authent/);
    assert.match((await as({ 'impersonate-user': 'system:serviceaccount:n:a' })).body.message, /"serviceaccounts" in API group "" in the namespace "n"/);
    const headers = { 'impersonate-user': 'target' };
    assert.equal((await call('', 'GET', '/api/v1/secrets', undefined, headers)).status, 403);
  });

  test('R5.7-10 parts of an identity without a user', async () => {
    const answer = await call('ta', 'GET', '/api/v1/secrets', undefined, { 'impersonate-group': 'g' });
    assert.equal(answer.status, 500);
    assert.match(answer.body, /requested \[\{Group {2}g {4}\}\] without impersonating a user/);
  });

  test('R5.7-03 R5.1-31 R2.14-02 a review answers for whom the request acts as', async () => {
    const asked = review({ resourceAttributes: { verb: 'list', resource: 'secrets' } });
    const masters = { 'impersonate-user': 'x', 'impersonate-group': ['a', 'system:masters'] };
    assert.deepEqual((await call('ta', 'POST', REVIEWS, asked, masters)).body.status, { allowed: true });
    assert.deepEqual((await call('ta', 'POST', REVIEWS, asked, { 'impersonate-user': 'x' })).body.status, { allowed: false });
  });

  test('R2.14-05 R2.14-09 a review that asks nothing, or two things, or has a name is invalid', async () => {
    const fieldsOf = ({ body }: Reply): string[] => body.details.causes.map(({ field }: { field: string }) => field);
    assert.deepEqual(fieldsOf(await call('tb', 'POST', REVIEWS, review({}))), ['spec.resourceAttributes']);
    const both = review({ resourceAttributes: {}, nonResourceAttributes: {} });
    assert.deepEqual(fieldsOf(await call('tb', 'POST', REVIEWS, both)), ['spec.nonResourceAttributes']);
    const withName = { ...review({ resourceAttributes: {} }), metadata: { name: 'x' } };
    assert.deepEqual(fieldsOf(await call('tb', 'POST', REVIEWS, withName)), ['metadata']);
  });

  test('R2.14-08 the rules of the caller in a namespace', async () => {
    const path = '/apis/authorization.orch.io/v1/selfsubjectrulesreviews';
    const asked = { apiVersion: 'authorization.orch.io/v1', kind: 'SelfSubjectRulesReview', spec: { namespace: 'default' } };
    const { status, body } = await call('tb', 'POST', path, asked);
    assert.equal(status, 201);
    const basic = { verbs: ['create'], apiGroups: ['authorization.orch.io'], resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'] };
    const rules: { resources: string[] }[] = body.status.resourceRules;
    assert.deepEqual(rules.find(({ resources }) => resources.includes('selfsubjectrulesreviews')), basic);
    assert.ok(body.status.nonResourceRules.some((rule: { nonResourceURLs: string[] }) => rule.nonResourceURLs.includes('/version')));
    assert.equal(body.status.incomplete, false);
    assert.equal((await call('tb', 'POST', path, { ...asked, spec: {} })).status, 400);
  });

  test('admin, edit and view have the rules of the roles they are put together from', async () => {
    const count = async (name: string): Promise<number> => (await call('ta', 'GET', `${rolePath('clusterroles')}/${name}`)).body.rules.length;
    const [admin, edit, view] = [await count('admin'), await count('edit'), await count('view')];
    assert.ok(view > 0 && edit > view && admin > edit, `${admin} ${edit} ${view}`);
  });
});

/** What an administrator does to the default roles and bindings between two starts of a server. */
async function acrossRestart(work: (change: (path: string, next: (body: Reply['body']) => object) => Promise<void>) => Promise<void>, then: () => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'orch-policy-'));
  const options = { listen: false, store: `lmdb://${folder}`, tokens: TOKENS } as const;
  server = await startServer(options);
  await followsAtOnce(5);
  await work(async (path, next) => {
    const { body } = await call('ta', 'GET', path);
    assert.equal((await call('ta', 'PUT', path, next(body))).status, 200);
  });
  await server.close();
  server = await startServer(options);
  await then();
  await server.close();
  rmSync(folder, { recursive: true });
}

const MARK = 'rbac.authorization.orch.io/autoupdate';
const marked = (body: Reply['body'], mark: string): object => ({ ...body.metadata, annotations: { ...body.metadata.annotations, [MARK]: mark } });

test('a restart gives back what is missing, keeps what was added, and leaves alone what shall stay', async () => {
  const path = (name: string): string => `${rolePath('clusterroles')}/${name}`;
  const extra = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
  await acrossRestart(
    async (change) => {
      await change(path('system:basic-user'), (body) => ({ ...body, rules: [extra] }));
      await change(path('system:discovery'), (body) => ({ ...body, metadata: marked(body, 'false'), rules: [] }));
    },
    async () => {
      const { rules } = (await call('ta', 'GET', path('system:basic-user'))).body;
      const part = (resource: string): object => ({ verbs: ['create'], apiGroups: ['authorization.orch.io'], resources: [resource] });
      assert.deepEqual(rules, [extra, part('selfsubjectaccessreviews'), part('selfsubjectrulesreviews')]);
      assert.equal((await call('tb', 'GET', '/apis')).status, 403);
      assert.equal((await call('tb', 'GET', '/version')).status, 200);
    },
  );
});

test('a restart adds no permissions that a role grants in other words, and no labels and annotations that have other values', async () => {
  const path = (name: string): string => `${rolePath('clusterroles')}/${name}`;
  const all = [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }];
  const label = 'rbac.authorization.orch.io/aggregate-to-view';
  await acrossRestart(
    async (change) => {
      await change(path('system:volume-scheduler'), (body) => ({ ...body, rules: all }));
      await change(path('system:auth-delegator'), (body) => ({ ...body, metadata: marked(body, 'no') }));
      await change(path('system:aggregate-to-view'), (body) => ({ ...body, metadata: { ...body.metadata, labels: { [label]: 'false' } } }));
    },
    async () => {
      assert.deepEqual((await call('ta', 'GET', path('system:volume-scheduler'))).body.rules, all);
      assert.equal((await call('ta', 'GET', path('system:auth-delegator'))).body.metadata.annotations[MARK], 'no');
      const { labels } = (await call('ta', 'GET', path('system:aggregate-to-view'))).body.metadata;
      assert.deepEqual(labels, { 'orch.io/bootstrapping': 'rbac-defaults', [label]: 'false' });
    },
  );
});

test('after a restart the default roles are put together from others as at first, and only they', async () => {
  const path = (name: string): string => `${rolePath('clusterroles')}/${name}`;
  const from = (label: string): object => ({ matchLabels: { [label]: 'true' } });
  await acrossRestart(
    async (change) => {
      await change(path('view'), ({ aggregationRule: _gone, ...body }) => body);
      await change(path('edit'), (body) => ({ ...body, aggregationRule: { clusterRoleSelectors: [from('mine')] } }));
      await change(path('system:basic-user'), (body) => ({ ...body, aggregationRule: { clusterRoleSelectors: [from('mine')] } }));
    },
    async () => {
      const ruleOf = async (name: string): Promise<unknown> => (await call('ta', 'GET', path(name))).body.aggregationRule;
      assert.deepEqual(await ruleOf('view'), { clusterRoleSelectors: [from('rbac.authorization.orch.io/aggregate-to-view')] });
      assert.deepEqual(await ruleOf('edit'), { clusterRoleSelectors: [from('mine'), from('rbac.authorization.orch.io/aggregate-to-edit')] });
      assert.equal(await ruleOf('system:basic-user'), undefined);
    },
  );
});

test('a restart makes a default binding anew that refers to another role, unless it shall stay', async () => {
  const path = (name: string): string => `${rolePath('clusterrolebindings')}/${name}`;
  const subjects = [{ kind: 'User', apiGroup: 'rbac.authorization.orch.io', name: 'bob' }];
  const roleRef = { kind: 'ClusterRole', apiGroup: 'rbac.authorization.orch.io', name: 'view' };
  const replace = async (name: string, annotations: object): Promise<void> => {
    assert.equal((await call('ta', 'DELETE', path(name))).status, 200);
    assert.equal((await call('ta', 'POST', rolePath('clusterrolebindings'), { metadata: { name, annotations }, roleRef, subjects })).status, 201);
  };
  await acrossRestart(
    async () => {
      await replace('system:monitoring', {});
      await replace('system:kube-dns', { [MARK]: 'false' });
    },
    async () => {
      const made = (await call('ta', 'GET', path('system:monitoring'))).body;
      assert.deepEqual([made.roleRef.name, made.subjects.map(({ name }: { name: string }) => name)], ['system:monitoring', ['system:monitoring']]);
      const kept = (await call('ta', 'GET', path('system:kube-dns'))).body;
      assert.deepEqual([kept.roleRef, kept.subjects], [roleRef, subjects]);
    },
  );
});

test('a binding that an older server had under another name begins as that one stands', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'orch-policy-'));
  const options = { listen: false, store: `lmdb://${folder}`, tokens: TOKENS } as const;
  const path = (name: string): string => `${rolePath('clusterrolebindings')}/${name}`;
  server = await startServer(options);
  await followsAtOnce(5);
  const { body } = await call('ta', 'GET', path('system:discovery'));
  const annotations = { ...body.metadata.annotations, 'rbac.authorization.orch.io/autoupdate': 'false', why: 'nobody unknown' };
  const narrowed = { ...body, metadata: { ...body.metadata, annotations }, subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.orch.io', name: 'bob' }] };
  assert.equal((await call('ta', 'PUT', path('system:discovery'), narrowed)).status, 200);
  assert.equal((await call('ta', 'DELETE', path('system:public-info-viewer'))).status, 200);
  await server.close();
  server = await startServer(options);
  const { metadata, subjects, roleRef } = (await call('ta', 'GET', path('system:public-info-viewer'))).body;
  assert.deepEqual([metadata.annotations, subjects, roleRef.name], [annotations, narrowed.subjects, 'system:public-info-viewer']);
  await server.close();
  rmSync(folder, { recursive: true });
});
