import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applyDefaults } from '#schema';
import { objectTypeOf } from '#api';
import { cellsOf, write } from '../test-support.ts';
import { FlowSchema, type FlowSchema as Flow } from './flow-schema.ts';

const USER = { kind: 'User', user: { name: 'u' } };
const RESOURCES = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['n'] };
const PATHS = { verbs: ['get'], nonResourceURLs: ['/healthz'] };
const RULE = { subjects: [USER], nonResourceRules: [PATHS] };
const SPEC = { priorityLevelConfiguration: { name: 'level' }, matchingPrecedence: 500, rules: [RULE] };
const R = 'spec.rules[0]';

const subject = (one: object): object => ({ rules: [{ ...RULE, subjects: [one] }] });
const resources = (more: object): object => ({ rules: [{ subjects: [USER], resourceRules: [{ ...RESOURCES, ...more }] }] });
const path = (text: string): object => ({ rules: [{ ...RULE, nonResourceRules: [{ ...PATHS, nonResourceURLs: [text] }] }] });

const cases: readonly (readonly [title: string, spec: object, causes: readonly string[]])[] = [
  ['as it should be', {}, []],
  ['no level', { priorityLevelConfiguration: {} }, ['Required spec.priorityLevelConfiguration.name']],
  ['a bad level', { priorityLevelConfiguration: { name: 'A' } }, ['Invalid spec.priorityLevelConfiguration.name']],
  ['before all others', { matchingPrecedence: 1 }, ['Invalid spec.matchingPrecedence']],
  ['after all others', { matchingPrecedence: 10_001 }, ['Invalid spec.matchingPrecedence']],
  ['a negative precedence', { matchingPrecedence: -1 }, ['Invalid spec.matchingPrecedence']],
  ['flows', { distinguisherMethod: { type: 'ByUser' } }, []],
  ['other flows', { distinguisherMethod: { type: 'ByMood' } }, ['NotSupported spec.distinguisherMethod.type']],
  ['a rule without content', { rules: [{}] }, [`Required ${R}.subjects`, `Required ${R}`]],
  ['a group', subject({ kind: 'Group', group: { name: 'g' } }), []],
  ['an account', subject({ kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } }), []],
  ['something else', subject({ kind: 'Robot' }), [`NotSupported ${R}.subjects[0].kind`]],
  ['a user that is a group', subject({ kind: 'User', group: { name: 'g' } }), [`Required ${R}.subjects[0].user`, `Forbidden ${R}.subjects[0].group`]],
  ['a user without name', subject({ kind: 'User', user: {} }), [`Required ${R}.subjects[0].user.name`]],
  [
    'an account without content',
    subject({ kind: 'ServiceAccount', serviceAccount: {} }),
    [`Required ${R}.subjects[0].serviceAccount.name`, `Required ${R}.subjects[0].serviceAccount.namespace`],
  ],
  [
    'an account by bad names',
    subject({ kind: 'ServiceAccount', serviceAccount: { namespace: 'N', name: 'A' } }),
    [`Invalid ${R}.subjects[0].serviceAccount.name`, `Invalid ${R}.subjects[0].serviceAccount.namespace`],
  ],
  ['no rules', { rules: undefined }, []],
  ['resources of which nothing is said', { rules: [{ subjects: [USER], resourceRules: [{}] }] }, ['verbs', 'apiGroups', 'resources', 'namespaces'].map((member) => `Required ${R}.resourceRules[0].${member}`)],
  ['paths of which nothing is said', { rules: [{ subjects: [USER], nonResourceRules: [{}] }] }, ['verbs', 'nonResourceURLs'].map((member) => `Required ${R}.nonResourceRules[0].${member}`)],
  ['all paths and one', { rules: [{ ...RULE, nonResourceRules: [{ ...PATHS, nonResourceURLs: ['*', '/a'] }] }] }, [`Invalid ${R}.nonResourceRules[0].nonResourceURLs`]],
  ['resources', resources({}), []],
  ['resources of the cluster', resources({ namespaces: [], clusterScope: true }), []],
  ['resources of nowhere', resources({ namespaces: [] }), [`Required ${R}.resourceRules[0].namespaces`]],
  ['a bad namespace', resources({ namespaces: ['n', 'N'] }), [`Invalid ${R}.resourceRules[0].namespaces[1]`]],
  ['all namespaces and one', resources({ namespaces: ['*', 'n'] }), [`Invalid ${R}.resourceRules[0].namespaces`]],
  ['no verbs', resources({ verbs: [] }), [`Required ${R}.resourceRules[0].verbs`]],
  ['an unknown verb', resources({ verbs: ['look'] }), [`NotSupported ${R}.resourceRules[0].verbs`]],
  ['all verbs and one', resources({ verbs: ['*', 'get'] }), [`Invalid ${R}.resourceRules[0].verbs`]],
  ['all groups and one', resources({ apiGroups: ['*', ''] }), [`Invalid ${R}.resourceRules[0].apiGroups`]],
  ['no resources', resources({ resources: [] }), [`Required ${R}.resourceRules[0].resources`]],
  ['the root', path('/'), []],
  ['a tree', path('/a/*'), []],
  ['a star in the middle', path('/a*/b'), [`Invalid ${R}.nonResourceRules[0].nonResourceURLs[0]`]],
  ['a star that is not the segment', path('/a*'), [`Invalid ${R}.nonResourceRules[0].nonResourceURLs[0]`]],
  ['a relative path', path('a'), [`Invalid ${R}.nonResourceRules[0].nonResourceURLs[0]`]],
  ['a path with a space', path('/a b'), [`Invalid ${R}.nonResourceRules[0].nonResourceURLs[0]`]],
  ['a doubled slash', path('/a//b'), [`Invalid ${R}.nonResourceRules[0].nonResourceURLs[0]`]],
];

for (const [title, spec, causes] of cases) {
  test(`FlowSchema: ${title}`, () => assert.deepEqual(write(FlowSchema, { body: { spec: { ...SPEC, ...spec } } }).causes, causes));
}

test('FlowSchema: methods and verbs that are none are shown as clients know them', () => {
  const said = (spec: object): readonly string[] => write(FlowSchema, { body: { spec: { ...SPEC, ...spec } } }).messages;
  const methods = 'supported values: "ByNamespace", "ByUser"';
  assert.deepEqual(said({ distinguisherMethod: { type: 'By\u0001' } }), [`Unsupported value: flowcontrol.FlowDistinguisherMethod{Type:"By\\x01"}: ${methods}`]);
  assert.match(said(resources({ verbs: ['get', 'l\u00f6\u007f'] }))[0] ?? '', /^Unsupported value: \[\]string\{"get", "lö\\x7f"\}: supported values: "create", /);
});

test('FlowSchema: the precedence has a default, in every version', () => {
  for (const { schema } of Object.values(FlowSchema.versions)) {
    const object = { metadata: {}, spec: { priorityLevelConfiguration: { name: 'a' }, matchingPrecedence: 0 }, status: {} };
    applyDefaults(objectTypeOf(schema), object);
    assert.equal(object.spec.matchingPrecedence, 1000);
  }
});

test('FlowSchema: what the server relies on stays as it is', () => {
  const spec = { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 1, rules: [RULE] };
  assert.deepEqual(write(FlowSchema, { body: { metadata: { name: 'exempt' }, spec } }).causes, ['Invalid spec']);
});

test('FlowSchema: a spec that the server relies on is shown as Go prints it', () => {
  const rules = [{ subjects: [USER], resourceRules: [{ ...RESOURCES, clusterScope: true }], nonResourceRules: [PATHS] }];
  const { messages } = write(FlowSchema, { body: { metadata: { name: 'exempt' }, spec: { ...SPEC, rules } } });
  const shown = [
    'flowcontrol.FlowSchemaSpec{PriorityLevelConfiguration:flowcontrol.PriorityLevelConfigurationReference{Name:"level"}, MatchingPrecedence:500',
    'DistinguisherMethod:(*flowcontrol.FlowDistinguisherMethod)(nil)',
    'Rules:[]flowcontrol.PolicyRulesWithSubjects{flowcontrol.PolicyRulesWithSubjects{Subjects:[]flowcontrol.Subject{flowcontrol.Subject{Kind:"User"',
    'User:(*flowcontrol.UserSubject)(0xc000000000), Group:(*flowcontrol.GroupSubject)(nil), ServiceAccount:(*flowcontrol.ServiceAccountSubject)(nil)}}',
    'ResourceRules:[]flowcontrol.ResourcePolicyRule{flowcontrol.ResourcePolicyRule{Verbs:[]string{"get"}, APIGroups:[]string{""}, Resources:[]string{"pods"}, ClusterScope:true',
    'Namespaces:[]string{"n"}}}, NonResourceRules:[]flowcontrol.NonResourcePolicyRule{flowcontrol.NonResourcePolicyRule{Verbs:[]string{"get"}, NonResourceURLs:[]string{"/healthz"}}}}}}',
  ];
  assert.deepEqual(messages, [`Invalid value: ${shown.join(', ')}: spec of 'exempt' must equal the fixed value`]);
});

test('FlowSchema: conditions stand there once, and a write to the status changes no labels', () => {
  const { object: live } = write(FlowSchema, { body: { spec: SPEC } });
  const body = { metadata: { labels: { a: 'b' } }, spec: SPEC, status: { conditions: [{ type: 'X' }, { type: 'X' }, {}] } };
  const { object, causes } = write(FlowSchema, { body, live, subresource: 'status' });
  assert.deepEqual(causes, ['Duplicate status.conditions[1].type', 'Required status.conditions[2].type']);
  assert.equal(object.metadata.labels, undefined);
});

test('R2.5-12 FlowSchema: columns', () => {
  const flow = write(FlowSchema, { body: { spec: SPEC, status: { conditions: [{ type: 'Dangling', status: 'True' }] } } }).object as Flow;
  assert.deepEqual(cellsOf(FlowSchema, flow), ['level', 500, '<none>', '<unknown>', 'True']);
  const missing = (...conditions: readonly object[]): unknown => cellsOf(FlowSchema, write(FlowSchema, { body: { spec: SPEC, status: { conditions } } }).object)[4];
  assert.deepEqual([missing(), missing({ type: 'Other', status: 'True' }), missing({ type: 'Dangling' })], ['?', '?', '']);
});
