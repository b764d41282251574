import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestAnswer, TestJson } from '#testing';
import { make, rbacObject, rbacPath, User, type Rule } from './access.ts';
import { causesOf, everywhere, expect, expectFailure, PLACES } from './world.ts';

const READ: Rule = { verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] };
const PLURALS = { Role: 'roles', ClusterRole: 'clusterroles', RoleBinding: 'rolebindings', ClusterRoleBinding: 'clusterrolebindings' } as const;

everywhere(PLACES.withLmdb, (world) => {
  const post = (kind: keyof typeof PLURALS, name: string, body: object, namespace = '') => world.post(rbacPath(world, PLURALS[kind], namespace), rbacObject(world, kind, name, body));
  const maps = (namespace: string): string => world.path('ConfigMap', namespace);
  const codes = (user: User, ...paths: readonly string[]): Promise<readonly number[]> => Promise.all(paths.map((path) => user.codeOf('GET', path)));

  test('R2.15-01 R2.15-02 R2.15-05 R2.15-09 R2.15-16 four kinds in one group, two of them in namespaces', async () => {
    const { resources } = expect(200, await world.get(rbacPath(world, '').replace(/\/$/, '')));
    const scopes = Object.fromEntries(resources.map((one: TestJson) => [one.kind, one.namespaced]));
    assert.deepEqual(scopes, { ClusterRole: false, ClusterRoleBinding: false, Role: true, RoleBinding: true });
    const namespace = await world.namespace();
    for (const kind of ['Role', 'ClusterRole'] as const) {
      const rules = [{ ...READ, resourceNames: ['a'] }, { verbs: ['*'], apiGroups: ['*'], resources: ['*/scale', '*'] }];
      const made = expect(201, await post(kind, world.fresh('role'), { rules }, kind === 'Role' ? namespace : ''));
      assert.deepEqual([made.kind, made.apiVersion, made.rules], [kind, `${world.brand.group('rbac')}/v1`, rules]);
    }
    expectFailure(405, 'MethodNotAllowed', await post('Role', 'x', { rules: [READ] }));
    expectFailure(404, 'NotFound', await post('ClusterRole', 'x', { rules: [READ] }, namespace));
  });

  test('R2.15-06 R2.15-07 R2.15-08 R2.15-15 R2.15-16 a cluster role counts everywhere, or in the one namespace where a binding stands', async () => {
    const [one, other] = [await world.namespace(), await world.namespace()];
    const name = world.fresh('reader');
    await make(world, 'ClusterRole', name, { rules: [READ, { verbs: ['list'], apiGroups: [''], resources: ['nodes'] }] });
    const [wide, narrow] = [new User(world), new User(world)];
    await make(world, 'ClusterRoleBinding', name, { roleRef: wide.roleRef('ClusterRole', name), subjects: [wide.subject] });
    await make(world, 'RoleBinding', name, { roleRef: narrow.roleRef('ClusterRole', name), subjects: [narrow.subject] }, one);
    assert.deepEqual(await codes(wide, maps(one), maps(other), maps(''), '/api/v1/nodes'), [200, 200, 200, 200]);
    assert.deepEqual(await codes(narrow, maps(one), maps(other), maps(''), '/api/v1/nodes'), [200, 403, 403, 403]);
  });

  test('R2.15-10 R2.15-11 R2.15-12 subjects are users, groups and accounts, by their exact name', async () => {
    const namespace = await world.namespace();
    const role = world.fresh('role');
    await make(world, 'Role', role, { rules: [READ] }, namespace);
    const rbac = world.brand.group('rbac');
    const bind = (subjects: readonly object[]) => post('RoleBinding', world.fresh('binding'), { roleRef: { apiGroup: rbac, kind: 'Role', name: role }, subjects }, namespace);
    const code = async (headers: Readonly<Record<string, string>>): Promise<number> => (await world.get(maps(namespace), headers)).status;
    const kinds = [
      [{ apiGroup: rbac, kind: 'User', name: 'Jane' }, { 'impersonate-user': 'Jane' }, { 'impersonate-user': 'jane' }],
      [{ apiGroup: rbac, kind: 'User', name: 'Jos\u00e9 \u20ac' }, { 'impersonate-user': 'Jos\u00e9 \u20ac' }, { 'impersonate-user': 'Jose' }],
      [{ apiGroup: rbac, kind: 'Group', name: 'Dev' }, { 'impersonate-user': 'x', 'impersonate-group': 'Dev' }, { 'impersonate-user': 'x', 'impersonate-group': 'dev' }],
      [{ kind: 'ServiceAccount', name: 'a', namespace }, { 'impersonate-user': `system:serviceaccount:${namespace}:a` }, { 'impersonate-user': 'system:serviceaccount:default:a' }],
    ] as const;
    for (const [subject, meant, almost] of kinds) {
      assert.equal(await code(meant), 403);
      expect(201, await bind([subject]));
      assert.deepEqual([await code(meant), await code(almost)], [200, 403], subject.kind);
    }
    // The group of a subject is filled in, and is no other.
    const shown = expect(201, await bind([{ kind: 'User', name: 'u' }, { kind: 'Group', name: 'g' }, { kind: 'ServiceAccount', name: 'a', namespace }])).subjects;
    assert.deepEqual(shown.map((one: TestJson) => one.apiGroup), [rbac, rbac, undefined]);
    for (const wrong of [{ kind: 'Robot', name: 'u', apiGroup: rbac }, { kind: 'User', name: 'u', apiGroup: 'apps' }, { kind: 'User', name: '', apiGroup: rbac }]) {
      expectFailure(422, 'Invalid', await bind([wrong]));
    }
    // An account is one of a namespace.
    const nowhere = { roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'view' }, subjects: [{ kind: 'ServiceAccount', name: 'a' }] };
    assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await post('ClusterRoleBinding', 'nowhere', nowhere))), ['FieldValueRequired subjects[0].namespace']);
  });

  test('R2.15-13 R2.15-14 R2.15-17 a role binding names a role of either kind, a cluster role binding a cluster role', async () => {
    const namespace = await world.namespace();
    const rbac = world.brand.group('rbac');
    const role = world.fresh('both');
    await make(world, 'Role', role, { rules: [READ] }, namespace);
    await make(world, 'ClusterRole', role, { rules: [READ] });
    const bind = (kind: 'RoleBinding' | 'ClusterRoleBinding', roleRef: object) => post(kind, world.fresh('binding'), { roleRef, subjects: [] }, kind === 'RoleBinding' ? namespace : '');
    for (const kind of ['Role', 'ClusterRole']) {
      const made = expect(201, await bind('RoleBinding', { apiGroup: rbac, kind, name: role }));
      assert.deepEqual(made.roleRef, { apiGroup: rbac, kind, name: role });
    }
    assert.equal(expect(201, await bind('RoleBinding', { kind: 'Role', name: role })).roleRef.apiGroup, rbac);
    expect(201, await bind('ClusterRoleBinding', { apiGroup: rbac, kind: 'ClusterRole', name: role }));
    for (const [kind, wrong, cause] of [
      ['ClusterRoleBinding', { apiGroup: rbac, kind: 'Role', name: role }, 'FieldValueNotSupported roleRef.kind'],
      ['RoleBinding', { apiGroup: rbac, kind: 'Robot', name: role }, 'FieldValueNotSupported roleRef.kind'],
      ['RoleBinding', { apiGroup: 'apps', kind: 'Role', name: role }, 'FieldValueNotSupported roleRef.apiGroup'],
      ['RoleBinding', { apiGroup: rbac, kind: 'Role', name: '' }, 'FieldValueRequired roleRef.name'],
    ] as const) {
      assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await bind(kind, wrong))), [cause]);
    }
  });

  test('R2.15-18 rules for paths stand in cluster roles alone; a cluster role may be put together by labels', async () => {
    const namespace = await world.namespace();
    const paths = { verbs: ['get'], nonResourceURLs: ['/metrics'] };
    const made = expect(201, await post('ClusterRole', world.fresh('paths'), { rules: [paths] }));
    assert.deepEqual(made.rules, [paths]);
    expectFailure(422, 'Invalid', await post('Role', 'paths', { rules: [paths] }, namespace));
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { part: 'yes' } }] };
    assert.deepEqual(expect(201, await post('ClusterRole', world.fresh('sum'), { aggregationRule })).aggregationRule, aggregationRule);
    expectFailure(422, 'Invalid', await post('ClusterRole', 'sum', { aggregationRule: { clusterRoleSelectors: [] } }));
  });

  test('a name that is longer than the store takes is refused as invalid, and one that just fits is taken', async () => {
    const namespace = await world.namespace();
    const role = (name: string): Promise<TestAnswer> => post('Role', name, { rules: [READ] }, namespace);
    for (const name of ['x'.repeat(1025), 'é'.repeat(513), 'a\u0001b']) {
      const path = `${rbacPath(world, 'roles', namespace)}/${encodeURIComponent(name)}`;
      const body = rbacObject(world, 'Role', name, { rules: [READ] });
      const ways = [await role(name), await world.put(path, body), await world.patch('apply', `${path}?fieldManager=m`, body)];
      for (const answer of ways) assert.deepEqual(causesOf(expectFailure(422, 'Invalid', answer)), ['FieldValueInvalid metadata.name'], name);
      expectFailure(404, 'NotFound', await world.patch('merge', path, {}));
      expectFailure(404, 'NotFound', await world.get(path));
    }
    const longest = 'x'.repeat(1024);
    expect(201, await role(longest));
    expect(200, await world.get(`${rbacPath(world, 'roles', namespace)}/${longest}`));
  });

  test('R2.15-19 names are segments of a path', async () => {
    const namespace = await world.namespace();
    for (const kind of ['Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding'] as const) {
      const where = kind.startsWith('Cluster') ? '' : namespace;
      const body = kind.endsWith('Binding') ? { roleRef: { kind: 'ClusterRole', name: 'system:any', apiGroup: world.brand.group('rbac') } } : { rules: [] };
      // A cluster role has to be there before it is bound.
      if (kind === 'RoleBinding') await world.post(rbacPath(world, 'clusterroles'), rbacObject(world, 'ClusterRole', 'system:any', { rules: [] }));
      for (const name of [`system:${world.fresh('node')}`, `With Spaces ${world.fresh('x')}`, `${world.fresh('smile')} \u{1f600}`, world.fresh('n'.repeat(600))]) {
        expect(201, await post(kind, name, body, where));
        expect(200, await world.get(`${rbacPath(world, PLURALS[kind], where)}/${encodeURIComponent(name)}`));
      }
      for (const name of ['a/b', '.', '..', 'a%b']) assert.deepEqual(causesOf(expectFailure(422, 'Invalid', await post(kind, name, body, where))), ['FieldValueInvalid metadata.name'], name);
    }
  });

  test('R2.15-20 R2.15-21 R2.15-22 the role of a binding stays; its subjects may change; who wants another role makes the binding anew', async () => {
    const namespace = await world.namespace();
    for (const name of ['one', 'other']) await make(world, 'Role', name, { rules: [READ] }, namespace);
    const user = new User(world);
    const body = (role: string, ...subjects: readonly object[]): object => ({ roleRef: user.roleRef('Role', role), subjects });
    await make(world, 'RoleBinding', 'b', body('one', user.subject), namespace);
    const path = `${rbacPath(world, 'rolebindings', namespace)}/b`;
    // Whoever may update bindings and has what they grant may not change the role either.
    const editor = await new User(world).grant({ verbs: ['update', 'get'], apiGroups: [world.brand.group('rbac')], resources: ['rolebindings'] }, READ);
    for (const put of [world.put.bind(world), (to: string, next: object) => editor.request('PUT', to, next)]) {
      const refused = expectFailure(422, 'Invalid', await put(path, rbacObject(world, 'RoleBinding', 'b', body('other', user.subject))));
      assert.deepEqual(causesOf(refused), ['FieldValueInvalid roleRef']);
    }
    for (const form of ['merge', 'strategic'] as const) expectFailure(422, 'Invalid', await world.patch(form, path, { roleRef: { name: 'other' } }));
    expectFailure(422, 'Invalid', await world.patch('json', path, [{ op: 'replace', path: '/roleRef/name', value: 'other' }]));
    const second = new User(world);
    const changed = expect(200, await editor.request('PUT', path, rbacObject(world, 'RoleBinding', 'b', body('one', user.subject, second.subject))));
    assert.equal(changed.subjects.length, 2);
    assert.deepEqual(await codes(second, maps(namespace)), [200]);
    expect(200, await world.delete(path));
    assert.deepEqual(await codes(user, maps(namespace)), [403]);
    const again = await make(world, 'RoleBinding', 'b', body('other', user.subject), namespace);
    assert.equal(again.roleRef.name, 'other');
    assert.deepEqual(await codes(user, maps(namespace)), [200]);
  });
});
