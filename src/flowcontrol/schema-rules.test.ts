import assert from 'node:assert/strict';
import { test } from 'node:test';
import { matchesRules, type FlowRule } from './schema-rules.ts';
import { requestOf } from './test-support.ts';

const anybody = [{ kind: 'User', user: { name: '*' } }];
const anything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
const rule = { ...anything, clusterScope: true, namespaces: ['*'] };
const nodes = { ...rule, resources: ['nodes', 'nodes/status'] };
const inSystem = { ...rule, clusterScope: false, namespaces: ['system'] };
const health = { verbs: ['get'], nonResourceURLs: ['/healthz', '/logs/*'] };
const account = (name: string): FlowRule => ({ subjects: [{ kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name } }], resourceRules: [rule] });

const TABLE: readonly (readonly [what: string, rule: FlowRule, user: string, line: string, matches: boolean])[] = [
  ['a user', { subjects: [{ kind: 'User', user: { name: 'a' } }], resourceRules: [rule] }, 'a', 'GET /api/v1/pods', true],
  ['another user', { subjects: [{ kind: 'User', user: { name: 'a' } }], resourceRules: [rule] }, 'b', 'GET /api/v1/pods', false],
  ['a group', { subjects: [{ kind: 'Group', group: { name: 'system:authenticated' } }], resourceRules: [rule] }, 'a', 'GET /api/v1/pods', true],
  ['another group of people', { subjects: [{ kind: 'Group', group: { name: 'system:masters' } }], resourceRules: [rule] }, 'a', 'GET /api/v1/pods', false],
  ['every group', { subjects: [{ kind: 'Group', group: { name: '*' } }], resourceRules: [rule] }, 'a', 'GET /api/v1/pods', true],
  ['an account by name', account('s'), 'system:serviceaccount:n:s', 'GET /api/v1/pods', true],
  ['an account whose name begins the same', account('s'), 'system:serviceaccount:n:s2', 'GET /api/v1/pods', false],
  ['an account of another namespace', account('*'), 'system:serviceaccount:nn:s', 'GET /api/v1/pods', false],
  ['all accounts of a namespace', account('*'), 'system:serviceaccount:n:t', 'GET /api/v1/pods', true],
  ['an account that nothing is said of', { subjects: [{ kind: 'ServiceAccount' }], resourceRules: [rule] }, 'system:serviceaccount:n:s', 'GET /api/v1/pods', false],
  ['a user that nothing is said of', { subjects: [{ kind: 'User' }], resourceRules: [rule] }, 'a', 'GET /api/v1/pods', false],
  ['a group that nothing is said of', { subjects: [{ kind: 'Group' }], resourceRules: [rule] }, 'a', 'GET /api/v1/pods', false],
  ['a kind of subject that is not known', { subjects: [{ kind: 'constructor' }], resourceRules: [rule] }, 'a', 'GET /api/v1/pods', false],
  ['a subresource by its name', { subjects: anybody, resourceRules: [nodes] }, 'a', 'PATCH /api/v1/nodes/x/status', true],
  ['a subresource that is not named', { subjects: anybody, resourceRules: [nodes] }, 'a', 'GET /api/v1/nodes/x/other', false],
  ['a resource by its name', { subjects: anybody, resourceRules: [nodes] }, 'a', 'GET /api/v1/nodes/x', true],
  ['what is in no namespace', { subjects: anybody, resourceRules: [{ ...rule, namespaces: [] }] }, 'a', 'GET /api/v1/nodes', true],
  ['what is in a namespace', { subjects: anybody, resourceRules: [{ ...rule, namespaces: [] }] }, 'a', 'GET /api/v1/namespaces/n/pods', false],
  ['what is in a namespace, by a rule without any', { subjects: anybody, resourceRules: [{ ...anything, clusterScope: true }] }, 'a', 'GET /api/v1/namespaces/n/pods', false],
  ['what is in a namespace, by a rule of a client that writes null for none', { subjects: anybody, resourceRules: [{ ...anything, clusterScope: true, namespaces: null }] }, 'a', 'GET /api/v1/namespaces/n/pods', false],
  ['what lists that are null say', { subjects: anybody, resourceRules: null, nonResourceRules: null }, 'a', 'GET /api/v1/pods', false],
  ['what is in no namespace, by a rule that says nothing of it', { subjects: anybody, resourceRules: [{ ...anything, namespaces: ['*'] }] }, 'a', 'GET /api/v1/nodes', false],
  ['another verb', { subjects: anybody, resourceRules: [{ ...rule, verbs: ['list'] }] }, 'a', 'GET /api/v1/pods/x', false],
  ['another group', { subjects: anybody, resourceRules: [{ ...rule, apiGroups: [''] }] }, 'a', 'GET /apis/apps/v1/deployments', false],
  ['a namespace', { subjects: anybody, resourceRules: [inSystem] }, 'a', 'GET /api/v1/namespaces/system/pods', true],
  ['all namespaces are not one of them', { subjects: anybody, resourceRules: [inSystem] }, 'a', 'GET /api/v1/pods', false],
  ['a path', { subjects: anybody, nonResourceRules: [health] }, 'a', 'GET /healthz', true],
  ['a path below another', { subjects: anybody, nonResourceRules: [health] }, 'a', 'GET /healthz/etcd', true],
  ['a path that only begins the same', { subjects: anybody, nonResourceRules: [health] }, 'a', 'GET /healthzz', false],
  ['what a path with a star is below', { subjects: anybody, nonResourceRules: [health] }, 'a', 'GET /logs', false],
  ['every path is below the root', { subjects: anybody, nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['/'] }] }, 'a', 'GET /healthz', true],
  ['every path', { subjects: anybody, nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }, 'a', 'GET /healthz', true],
  ['paths with a beginning', { subjects: anybody, nonResourceRules: [health] }, 'a', 'GET /logs/x/y', true],
  ['another method on a path', { subjects: anybody, nonResourceRules: [health] }, 'a', 'POST /healthz', false],
  ['a path is no resource', { subjects: anybody, resourceRules: [rule] }, 'a', 'GET /healthz', false],
  ['a rule that says nothing', { subjects: anybody }, 'a', 'GET /healthz', false],
];

for (const [what, oneRule, user, line, matches] of TABLE) {
  test(`${what}: ${matches ? '' : 'no '}match`, () => assert.equal(matchesRules([oneRule], requestOf(user, line)), matches));
}
