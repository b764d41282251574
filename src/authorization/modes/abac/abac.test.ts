import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, DIALECTS } from '#api';
import type { Question } from '#request';
import { abac, readAbacPolicies } from './index.ts';

const brand = brandOf('kubernetes');
const { signal } = new AbortController();
const line = (spec: object): string => JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec });

/** `verb group/resource/subresource in namespace`, or `verb /path`; the user is `u` of the groups `g` and `system:authenticated`. */
function question(text: string, user: Question['user']): Question {
  const [verb = '', what = '', , namespace = ''] = text.split(' ');
  const about = { user, verb, apiPrefix: '', version: 'v1', name: '', parts: [] };
  if (what.startsWith('/')) return { ...about, isResourceRequest: false, path: what, group: '', resource: '', subresource: '', namespace: '' };
  const [group = '', resource = '', subresource = ''] = what.split('|');
  return { ...about, isResourceRequest: true, path: '', group, resource, subresource, namespace };
}

const known = { name: 'u', groups: ['g', 'system:authenticated'] };
const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const mayAll = async (policy: string, asked: string, user = known): Promise<boolean> =>
  (await abac(readAbacPolicies(policy, brand)).authorize(question(asked, user), signal)).verdict === 'allow';

const TABLE: readonly (readonly [spec: object, asked: string, may: boolean])[] = [
  [{ user: 'u', namespace: '*', resource: '*', apiGroup: '*' }, 'create apps|deployments in n', true],
  [{ user: 'u', namespace: '*', resource: '*', apiGroup: '*' }, 'get /healthz', false],
  [{ user: 'u', namespace: '*', resource: '*' }, 'create apps|deployments in n', false],
  [{ user: 'u', namespace: 'n', resource: 'pods' }, 'get |pods in n', true],
  [{ user: 'u', namespace: 'n', resource: 'pods' }, 'get |pods|log in n', true],
  [{ user: 'u', namespace: 'n', resource: 'pods' }, 'get |pods in m', false],
  [{ user: 'u', namespace: 'n', resource: 'pods' }, 'get |pods', false],
  [{ user: 'u', resource: 'nodes' }, 'delete |nodes', true],
  [{ user: 'u', resource: 'pods', namespace: 'n', readonly: true }, 'watch |pods in n', true],
  [{ user: 'u', resource: 'pods', namespace: 'n', readonly: true }, 'delete |pods in n', false],
  [{ group: 'g', nonResourcePath: '/a/*' }, 'post /a/b', true],
  [{ group: 'g', nonResourcePath: '/a/*', readonly: true }, 'post /a/b', false],
  [{ group: 'g', nonResourcePath: '/a/*' }, 'get /a', false],
  [{ group: 'g', nonResourcePath: '/a*/b' }, 'get /ax/b', false],
  [{ group: 'g', nonResourcePath: '/a' }, 'get /a/b', false],
  [{ group: 'g', nonResourcePath: '*' }, 'get /anything', true],
  [{ user: 'u', group: 'h', nonResourcePath: '*' }, 'get /a', false],
  [{ user: 'v', group: 'g', nonResourcePath: '*' }, 'get /a', false],
  [{ nonResourcePath: '*', namespace: '*', resource: '*', apiGroup: '*' }, 'get /a', false],
];

for (const [spec, asked, may] of TABLE) {
  test(`R5.1-07 R5.1-27 ${JSON.stringify(spec)} ${may ? 'allows' : 'does not allow'} ${asked}`, async () => assert.equal(await mayAll(line(spec), asked), may));
}

test('R5.2-07 stars mean everybody who said who they are; the anonymous user has to be named', async () => {
  for (const star of [{ user: '*' }, { group: '*' }, { user: '*', group: 'nobody' }]) {
    const policy = line({ ...star, nonResourcePath: '*' });
    assert.equal(await mayAll(policy, 'get /a'), true);
    assert.equal(await mayAll(policy, 'get /a', anonymous), false);
  }
  assert.equal(await mayAll(line({ user: 'system:anonymous', nonResourcePath: '*' }), 'get /a', anonymous), true);
  assert.equal(await mayAll(line({ group: 'system:unauthenticated', nonResourcePath: '*' }), 'get /a', anonymous), true);
});

test('lines without a version: what they do not say is everything', async () => {
  assert.equal(await mayAll('{"user":"u"}', 'create apps|deployments in n'), true);
  assert.equal(await mayAll('{"user":"u"}', 'get /a'), true);
  assert.equal(await mayAll('{"user":"u","resource":"pods"}', 'get /a'), false);
  assert.equal(await mayAll('{}', 'get /a'), true);
  assert.equal(await mayAll('{}', 'get /a', anonymous), false);
  assert.equal(await mayAll('{"readonly":true}', 'create |pods in n'), false);
  for (const policy of ['{"user":"v"}', '{"group":"h"}', '{"user":"u","group":"h"}', '{"namespace":"m"}', '{"user":"u","resource":"nodes"}']) {
    for (const asked of ['get |pods in n', 'get /a']) assert.equal(await mayAll(policy, asked), false, policy);
  }
  assert.equal(await mayAll('{"group":"g","namespace":"n"}', 'get apps|deployments in n'), true);
});

test('comments and empty lines count for nothing, and what is wrong is told with its line', () => {
  assert.deepEqual(readAbacPolicies('\n# no\n   \r\n', brand), []);
  const failures: readonly (readonly [string, RegExp])[] = [
    ['{', /line 1: /],
    ['\n[]', /line 2: a policy is a JSON object/],
    ['{"kind":"Policy","apiVersion":"v1"}', /line 1: .*abac\.authorization\.kubernetes\.io\/v1beta1/],
    ['{"kind":"Pod","apiVersion":"abac.authorization.kubernetes.io/v1beta1"}', /line 1: .*not "Pod" and /],
    [line({ user: 1 }), /line 1: user is a text/],
    [line({ readonly: 'yes' }), /line 1: readonly is true or false/],
    ['{"kind":"Policy","apiVersion":"abac.authorization.kubernetes.io/v1beta1","spec":[]}', /line 1: spec is an object/],
  ];
  for (const [text, expected] of failures) assert.throws(() => readAbacPolicies(text, brand), expected);
});

test('the version is spelled in the dialect', () => {
  for (const dialect of DIALECTS) {
    const { names } = brandOf(dialect);
    const text = JSON.stringify({ apiVersion: `abac.authorization.${names.domain}/v1beta1`, kind: 'Policy', spec: { user: 'u' } });
    assert.equal(readAbacPolicies(text, brandOf(dialect))[0]?.user, 'u');
  }
});

test('rules are listed for whom and where they hold', () => {
  const authorizer = abac(readAbacPolicies([line({ user: 'u', namespace: 'n', resource: 'pods', readonly: true }), line({ group: 'g', namespace: '*', nonResourcePath: '/a' })].join('\n'), brand));
  assert.deepEqual(authorizer.rulesOf?.(known, 'n').rules, [
    { verbs: ['get', 'list', 'watch'], apiGroups: [''], resources: ['pods'] },
    { verbs: ['*'], nonResourceURLs: ['/a'] },
  ]);
  assert.equal(authorizer.rulesOf?.(known, 'm').rules.length, 1);
  assert.equal(authorizer.rulesOf?.(anonymous, 'n').rules.length, 0);
});
