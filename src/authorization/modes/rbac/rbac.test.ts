import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { ApiObject } from '#api';
import type { Authorizer, Question, User } from '#request';
import { Policy, rbac, type Rule } from './index.ts';
import { rulesFor } from './rules-for.ts';

interface BindingSpec {
  readonly kind: 'RoleBinding' | 'ClusterRoleBinding';
  readonly name: string;
  readonly namespace: string;
  readonly role: { readonly kind: 'Role' | 'ClusterRole'; readonly name: string };
  readonly subjects: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}
interface RoleSpec {
  readonly kind: 'Role' | 'ClusterRole';
  readonly name: string;
  readonly namespace: string;
  readonly rules: readonly Rule[];
}

const GROUP = 'rbac.authorization.orch.io';
const { signal } = new AbortController();
const objectOf = ({ kind, name, namespace, ...body }: { kind: string; name: string; namespace: string }): ApiObject =>
  ({ kind, apiVersion: `${GROUP}/v1`, metadata: { name, ...(namespace === '' ? {} : { namespace }) }, ...body });
const roleObject = (role: RoleSpec): ApiObject => objectOf(role);
const bindingObject = ({ role, ...binding }: BindingSpec): ApiObject => objectOf({ ...binding, roleRef: { apiGroup: GROUP, ...role } } as never);

const question = (user: User, more: Partial<Question>): Question => ({
  isResourceRequest: true,
  path: '',
  verb: 'get',
  apiPrefix: 'api',
  group: '',
  version: 'v1',
  namespace: '',
  resource: 'pods',
  subresource: '',
  name: '',
  parts: [],
  ...more,
  user,
});

function policyOf(roles: readonly RoleSpec[], bindings: readonly BindingSpec[]): Policy {
  const policy = new Policy();
  for (const role of roles) policy.put(role.kind, roleObject(role));
  for (const binding of bindings) policy.put(binding.kind, bindingObject(binding));
  return policy;
}

const authorizers = new WeakMap<Policy, Authorizer>();

/** One authorizer for each policy, as in a server: what it remembers must not outlive a change. */
function ask(policy: Policy, asked: Question): { verdict: string; reason: string } {
  const authorizer = authorizers.get(policy) ?? rbac(policy, GROUP);
  authorizers.set(policy, authorizer);
  return authorizer.authorize(asked, signal) as never;
}

/** Slow and plain: every binding, every subject, every rule. */
function expected(roles: readonly RoleSpec[], bindings: readonly BindingSpec[], asked: Question): boolean {
  const { user, namespace, isResourceRequest, resource, subresource, verb, group, name, path } = asked;
  for (const binding of bindings) {
    if (binding.kind === 'RoleBinding' && (!isResourceRequest || namespace === '' || binding.namespace !== namespace)) continue;
    const isMeant = binding.subjects.some((subject) => {
      if (subject.kind === 'User') return subject.name === user.name;
      if (subject.kind === 'Group') return user.groups.includes(subject.name);
      return user.name === `system:serviceaccount:${subject.namespace ?? binding.namespace}:${subject.name}`;
    });
    if (!isMeant) continue;
    for (const role of roles) {
      if (role.kind !== binding.role.kind || role.name !== binding.role.name) continue;
      if (role.kind === 'Role' && role.namespace !== binding.namespace) continue;
      for (const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } of role.rules) {
        if (!verbs?.includes('*') && !verbs?.includes(verb)) continue;
        if (!isResourceRequest) {
          for (const url of nonResourceURLs ?? []) if (url.endsWith('*') ? path.startsWith(url.slice(0, -1)) : url === path) return true;
          continue;
        }
        if (!apiGroups?.includes('*') && !apiGroups?.includes(group)) continue;
        if ((resourceNames?.length ?? 0) > 0 && !resourceNames?.includes(name)) continue;
        const forms = subresource === '' ? ['*', resource] : ['*', `${resource}/${subresource}`, `*/${subresource}`];
        if (forms.some((form) => resources?.includes(form))) return true;
      }
    }
  }
  return false;
}

const some = <T>(values: readonly T[]): fc.Arbitrary<T[]> => fc.subarray([...values], { minLength: 1 });
const NAMESPACES = ['a', 'b'];
const NAMES = ['x', 'y', 'z'];
const rule = fc.oneof(
  fc.record({
    verbs: some(['get', 'list', '*']),
    apiGroups: some(['', 'apps', '*']),
    resources: some(['pods', 'pods/log', '*/scale', 'deployments', '*']),
    resourceNames: fc.option(some(NAMES), { nil: undefined }),
  }),
  fc.record({ verbs: some(['get', '*']), nonResourceURLs: some(['/api', '/api/*', '/heal*', '*']) }),
) as fc.Arbitrary<Rule>;
const inScope = <T extends { kind: string; namespace: string }>(clusterKind: string) => (one: T): T =>
  one.kind === clusterKind ? { ...one, namespace: '' } : one;
const role: fc.Arbitrary<RoleSpec> = fc
  .record({
    kind: fc.constantFrom('Role' as const, 'ClusterRole' as const),
    name: fc.constantFrom(...NAMES),
    namespace: fc.constantFrom(...NAMESPACES),
    rules: fc.array(rule, { maxLength: 3 }),
  })
  .map(inScope('ClusterRole'));
const subject = fc.oneof(
  fc.record({ kind: fc.constantFrom('User', 'Group'), name: fc.constantFrom('u', 'g', 'h', 'system:serviceaccount:a:s') }),
  fc.record({ kind: fc.constant('ServiceAccount'), name: fc.constant('s'), namespace: fc.constantFrom(...NAMESPACES) }),
);
const binding: fc.Arbitrary<BindingSpec> = fc
  .record({
    kind: fc.constantFrom('RoleBinding' as const, 'ClusterRoleBinding' as const),
    name: fc.constantFrom(...NAMES),
    namespace: fc.constantFrom(...NAMESPACES),
    role: fc.record({ kind: fc.constantFrom('Role' as const, 'ClusterRole' as const), name: fc.constantFrom(...NAMES) }),
    subjects: fc.array(subject, { maxLength: 3 }),
  })
  .map((one) => (one.kind === 'ClusterRoleBinding' ? { ...one, namespace: '', role: { ...one.role, kind: 'ClusterRole' as const } } : one));
const user = fc.record({ name: fc.constantFrom('u', 'v', 'system:serviceaccount:a:s'), groups: fc.subarray(['g', 'h', 'u']) });
const asked: fc.Arbitrary<Question> = fc
  .record({
    user,
    isResourceRequest: fc.boolean(),
    verb: fc.constantFrom('get', 'list', 'create'),
    group: fc.constantFrom('', 'apps', 'batch'),
    resource: fc.constantFrom('pods', 'deployments', 'secrets'),
    subresource: fc.constantFrom('', 'log', 'scale'),
    namespace: fc.constantFrom('', ...NAMESPACES),
    name: fc.constantFrom('', 'x', 'y'),
    path: fc.constantFrom('/', '/api', '/api/v1', '/healthz'),
  })
  .map(({ user: who, ...more }) => question(who, more));

const keyOf = ({ kind, namespace, name }: { kind: string; namespace: string; name: string }): string => `${kind} ${namespace}/${name}`;
const once = <T extends { kind: string; namespace: string; name: string }>(all: readonly T[]): T[] => [...new Map(all.map((one) => [keyOf(one), one])).values()];

const DECISIONS = 100_000;

test(`R2.15-04 R2.15-15 R2.15-16 ${DECISIONS} decisions are those of a slow evaluator, whatever came and went before`, () => {
  let decisions = 0;
  const compare = (policy: Policy, one: Question, roles: readonly RoleSpec[], bindings: readonly BindingSpec[]): void => {
    decisions++;
    assert.equal(ask(policy, one).verdict === 'allow', expected(roles, bindings, one));
  };
  fc.assert(
    fc.property(fc.array(role, { maxLength: 8 }), fc.array(binding, { maxLength: 8 }), fc.array(asked, { minLength: 10, maxLength: 30, size: 'max' }), (all, some, questions) => {
      const policy = policyOf(all, some);
      let [roles, bindings] = [once(all), once(some)];
      for (const one of questions) compare(policy, one, roles, bindings);
      // Again, other parts of the question the same: now answers are remembered.
      for (const one of questions) compare(policy, { ...one, user: { ...one.user, groups: [...one.user.groups] } }, roles, bindings);
      for (const gone of [...roles.slice(0, 2), ...bindings.slice(0, 2)]) policy.remove(gone.kind, gone);
      [roles, bindings] = [roles.slice(2), bindings.slice(2)];
      for (const one of questions) compare(policy, one, roles, bindings);
    }),
    { seed: 7, numRuns: 2000 },
  );
  assert.ok(decisions >= DECISIONS, `${decisions}`);
});

test('reasons name binding, role and subject; a role that does not exist is named too', () => {
  const all: Rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
  const policy = policyOf(
    [
      { kind: 'ClusterRole', name: 'y', namespace: '', rules: [all] },
      { kind: 'Role', name: 'r', namespace: 'a', rules: [all] },
    ],
    [
      { kind: 'ClusterRoleBinding', name: 'x', namespace: '', role: { kind: 'ClusterRole', name: 'y' }, subjects: [{ kind: 'Group', name: 'z' }] },
      { kind: 'RoleBinding', name: 'b', namespace: 'a', role: { kind: 'Role', name: 'r' }, subjects: [{ kind: 'ServiceAccount', name: 's' }] },
      { kind: 'ClusterRoleBinding', name: 'c', namespace: '', role: { kind: 'ClusterRole', name: 'none' }, subjects: [{ kind: 'User', name: 'u' }] },
    ],
  );
  const reason = (name: string, groups: string[], namespace: string): string => ask(policy, question({ name, groups }, { namespace })).reason;
  assert.equal(reason('v', ['z'], ''), 'RBAC: allowed by ClusterRoleBinding "x" of ClusterRole "y" to Group "z"');
  assert.equal(reason('system:serviceaccount:a:s', [], 'a'), 'RBAC: allowed by RoleBinding "b/a" of Role "r" to ServiceAccount "s/a"');
  assert.equal(reason('u', [], ''), `RBAC: clusterrole.${GROUP} "none" not found`);
  assert.equal(reason('v', [], 'a'), '');
  const listed = (name: string) => rbac(policy, GROUP).rulesOf?.({ name, groups: ['z'] }, 'a');
  assert.deepEqual(listed('u'), { rules: [all], isIncomplete: false, failure: `clusterrole.${GROUP} "none" not found` });
  assert.deepEqual(listed('v'), { rules: [all], isIncomplete: false });
});

test('R5.2-08 wildcards of rules name no subjects: the anonymous user needs a binding of its own', () => {
  const policy = policyOf(
    [{ kind: 'ClusterRole', name: 'y', namespace: '', rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] }],
    [{ kind: 'ClusterRoleBinding', name: 'x', namespace: '', role: { kind: 'ClusterRole', name: 'y' }, subjects: [{ kind: 'User', name: '*' }] }],
  );
  assert.equal(ask(policy, question({ name: 'system:anonymous', groups: ['system:unauthenticated'] }, {})).verdict, 'noOpinion');
});

test('a binding that names a user and its groups grants its rules once', () => {
  const rules = [{ verbs: ['get'], apiGroups: [''], resources: ['pods'] }];
  const subjects = [{ kind: 'User', name: 'u' }, { kind: 'Group', name: 'g' }];
  const role = { kind: 'ClusterRole', name: 'y' } as const;
  const policy = policyOf([{ ...role, namespace: '', rules }], [{ kind: 'RoleBinding', name: 'x', namespace: 'a', role, subjects }]);
  assert.deepEqual(rulesFor(policy, { name: 'u', groups: ['g'] }, 'a').rules, rules);
});

test('many bindings of one role: its rules are looked at once for each question, and repeated to a bound', () => {
  let looks = 0;
  const rule: Rule = {
    get verbs() {
      looks += 1;
      return ['get'];
    },
    apiGroups: [''],
    resources: ['pods'],
  };
  const role = { kind: 'Role', name: 'r' } as const;
  const rules = Array.from({ length: 100 }, () => rule);
  const bindings = Array.from({ length: 1_000 }, (_, at): BindingSpec => ({ kind: 'RoleBinding', name: `b${at}`, namespace: 'a', role, subjects: [{ kind: 'User', name: 'u' }] }));
  const user: User = { name: 'u', groups: [] };
  const of = (count: number): Policy => policyOf([{ ...role, namespace: 'a', rules }], bindings.slice(0, count));
  assert.equal(ask(of(1_000), question(user, { namespace: 'a', verb: 'list' })).verdict, 'noOpinion');
  assert.equal(looks, 100);
  assert.equal(rulesFor(of(2), user, 'a').rules.length, 200);
  const told = rulesFor(of(1_000), user, 'a').rules.length;
  assert.ok(told > 200 && told < 10_000, `${told} rules`);

  // What comes after them is no repeat.
  const policy = of(1_000);
  const other = { kind: 'ClusterRole', name: 'other' } as const;
  const own: Rule = { verbs: ['*'], apiGroups: [''], resources: ['nodes'] };
  policy.put('ClusterRole', roleObject({ ...other, namespace: '', rules: [own] }));
  policy.put('RoleBinding', bindingObject({ kind: 'RoleBinding', name: 'z', namespace: 'a', role: other, subjects: [{ kind: 'User', name: 'u' }] }));
  assert.deepEqual(rulesFor(policy, user, 'a').rules.slice(told), [own]);
});

test('subjects of no kind, or in no namespace, are nobody, and the first of those that are the same is named; lists that are not there match nothing', () => {
  const role = { kind: 'ClusterRole', name: 'y' } as const;
  const every: Rule = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
  const account = (namespace: string): string => `system:serviceaccount:${namespace}:s`;
  const reason = (kind: BindingSpec['kind'], subjects: BindingSpec['subjects'] | undefined, name: string, rule = every): string => {
    const namespace = kind === 'RoleBinding' ? 'a' : '';
    const policy = policyOf([{ ...role, namespace: '', rules: [rule] }], [{ kind, name: 'x', namespace, role, subjects } as BindingSpec]);
    return ask(policy, question({ name, groups: [] }, { namespace: 'a' })).reason.replace(/.* to /, '');
  };
  const stranger = { kind: 'Robot', name: 's', namespace: 'a' };
  for (const kind of ['RoleBinding', 'ClusterRoleBinding'] as const) {
    for (const name of ['s', account('a'), account(''), 'undefined']) assert.equal(reason(kind, [stranger], name), '', name);
    assert.equal(reason(kind, undefined, 's'), '');
    assert.equal(reason(kind, [stranger, { kind: 'ServiceAccount', name: 's', namespace: 'b' }], account('b')), 'ServiceAccount "s/b"');
  }
  const nowhere = { kind: 'ServiceAccount', name: 's' };
  assert.deepEqual(['', 'a'].map((at) => reason('ClusterRoleBinding', [nowhere], account(at))), ['', '']);
  assert.deepEqual(['', 'a'].map((at) => reason('RoleBinding', [nowhere], account(at))), ['', 'ServiceAccount "s/a"']);
  const same = { kind: 'User', name: account('a') };
  assert.deepEqual([[same, nowhere], [nowhere, same]].map((both) => reason('RoleBinding', both, account('a'))), [`User "${account('a')}"`, 'ServiceAccount "s/a"']);
  const user = [{ kind: 'User', name: 'u' }];
  for (const name of ['verbs', 'apiGroups', 'resources'] as const) {
    for (const none of [null, undefined, []]) assert.equal(reason('RoleBinding', user, 'u', { ...every, [name]: none } as Rule), '', name);
  }
  for (const none of [null, undefined, []]) assert.equal(reason('RoleBinding', user, 'u', { ...every, resourceNames: none }), 'User "u"');
});
