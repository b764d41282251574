import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, type KindDefinition } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { ClusterRoleBinding, type ClusterRoleBinding as ClusterBinding } from './cluster-role-binding.ts';
import { ClusterRole } from './cluster-role.ts';
import { RoleBinding } from './role-binding.ts';
import { Role } from './role.ts';

const RULE = { verbs: ['get'], apiGroups: [''], resources: ['pods'] };
const PATHS = { verbs: ['get'], nonResourceURLs: ['/healthz', '*'] };
const ROLE_REF = { kind: 'ClusterRole', name: 'view' };

const cases: readonly (readonly [title: string, kind: KindDefinition<never>, body: object, causes: readonly string[]])[] = [
  ['a role', Role, { rules: [RULE] }, []],
  ['a role without rules', Role, {}, []],
  ['a rule without content', Role, { rules: [{}] }, ['Required rules[0].verbs', 'Required rules[0].apiGroups', 'Required rules[0].resources']],
  ['paths in a namespace', Role, { rules: [RULE, PATHS] }, ['Invalid rules[1].nonResourceURLs']],
  ['paths in the cluster', ClusterRole, { rules: [PATHS] }, []],
  ['paths beside resources', ClusterRole, { rules: [{ ...RULE, ...PATHS }] }, ['Invalid rules[0].nonResourceURLs']],
  ['paths beside groups', ClusterRole, { rules: [{ ...PATHS, apiGroups: [''] }] }, ['Invalid rules[0].nonResourceURLs']],
  ['paths beside kinds', ClusterRole, { rules: [{ ...PATHS, resources: ['pods'] }] }, ['Invalid rules[0].nonResourceURLs']],
  ['paths beside names', ClusterRole, { rules: [{ ...PATHS, resourceNames: ['a'] }] }, ['Invalid rules[0].nonResourceURLs']],
  ['an aggregation', ClusterRole, { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: 'b' } }] } }, []],
  ['an aggregation of nothing', ClusterRole, { aggregationRule: {} }, ['Required aggregationRule.clusterRoleSelectors']],
  [
    'a bad selector is named in full and as a whole',
    ClusterRole,
    { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'b c': 'd' } }] } },
    ['Invalid aggregationRule.clusterRoleSelectors[0].matchLabels', 'Invalid aggregationRule.clusterRoleSelectors[0]'],
  ],
  [
    'a selector that asks for a value no label can have',
    ClusterRole,
    { aggregationRule: { clusterRoleSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b', '-'] }] }] } },
    ['Invalid aggregationRule.clusterRoleSelectors[0]'],
  ],
  ['names as in a path', Role, { metadata: { name: 'system:a b' } }, []],
  ['a name that is a path', Role, { metadata: { name: 'a/b' } }, ['Invalid metadata.name']],
  ['a binding', RoleBinding, { roleRef: ROLE_REF, subjects: [{ kind: 'User', name: 'u' }, { kind: 'Group', name: 'g' }] }, []],
  ['a binding to a role of the namespace', RoleBinding, { roleRef: { kind: 'Role', name: 'r' } }, []],
  ['a cluster-wide binding to such a role', ClusterRoleBinding, { roleRef: { kind: 'Role', name: 'r' } }, ['NotSupported roleRef.kind']],
  ['a binding to nothing', RoleBinding, {}, ['NotSupported roleRef.kind', 'Required roleRef.name']],
  ['a role by a name that is a path', RoleBinding, { roleRef: { ...ROLE_REF, name: 'a/b' } }, ['Invalid roleRef.name']],
  ['a role of another group', RoleBinding, { roleRef: { ...ROLE_REF, apiGroup: 'x' } }, ['NotSupported roleRef.apiGroup']],
  ['an account of the namespace', RoleBinding, { roleRef: ROLE_REF, subjects: [{ kind: 'ServiceAccount', name: 'a' }] }, []],
  [
    'an account of no namespace',
    ClusterRoleBinding,
    { roleRef: ROLE_REF, subjects: [{ kind: 'ServiceAccount', name: 'a' }] },
    ['Required subjects[0].namespace'],
  ],
  [
    'an account of a group',
    RoleBinding,
    { roleRef: ROLE_REF, subjects: [{ kind: 'ServiceAccount', name: 'A!', apiGroup: 'x' }] },
    ['Invalid subjects[0].name', 'NotSupported subjects[0].apiGroup'],
  ],
  ['an account without name', RoleBinding, { roleRef: ROLE_REF, subjects: [{ kind: 'ServiceAccount' }] }, ['Required subjects[0].name']],
  ['a user without name', RoleBinding, { roleRef: ROLE_REF, subjects: [{ kind: 'User' }] }, ['Required subjects[0].name']],
  ['something else', RoleBinding, { roleRef: ROLE_REF, subjects: [{ kind: 'Robot', name: 'r' }] }, ['NotSupported subjects[0].kind']],
];

for (const [title, kind, body, causes] of cases) {
  test(`rbac: ${title}`, () => assert.deepEqual(write(kind, { body }).causes, causes));
}

test('rbac: groups are filled in as the dialect spells them', () => {
  for (const dialect of ['orch', 'kubernetes'] as const) {
    const group = brandOf(dialect).group('rbac');
    const body = { roleRef: ROLE_REF, subjects: [{ kind: 'User', name: 'u' }, { kind: 'ServiceAccount', name: 'a', namespace: 'n' }] };
    const { object, causes } = write(ClusterRoleBinding, { body, dialect });
    const { roleRef, subjects } = object as ClusterBinding;
    assert.deepEqual([causes, roleRef.apiGroup, subjects?.map(({ apiGroup }) => apiGroup)], [[], group, [group, undefined]]);
  }
});

test('rbac: the role of a binding stays, its subjects may change', () => {
  const live = write(RoleBinding, { body: { roleRef: ROLE_REF } }).object;
  const causes = (body: object): readonly string[] => write(RoleBinding, { body, live }).causes;
  assert.deepEqual(causes({ roleRef: ROLE_REF, subjects: [{ kind: 'User', name: 'u' }] }), []);
  assert.deepEqual(causes({ roleRef: { ...ROLE_REF, name: 'edit' } }), ['Invalid roleRef']);
  assert.deepEqual(causes({ roleRef: { ...ROLE_REF, kind: 'Role' } }), ['Invalid roleRef']);
});

test('R2.5-12 rbac: the columns of a binding', () => {
  const subjects = [
    { kind: 'User', name: 'u' },
    { kind: 'Group', name: 'g' },
    { kind: 'User', name: 'v' },
    { kind: 'ServiceAccount', name: 'a', namespace: 'n' },
  ];
  const { object } = write(RoleBinding, { body: { roleRef: ROLE_REF, subjects } });
  assert.deepEqual(cellsOf(RoleBinding, object), ['ClusterRole/view', 'u, v', 'g', 'n/a']);
});
