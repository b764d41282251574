import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseRequest, type RequestInfo } from '#request';
import type { Level } from './level.ts';
import { readPolicy } from './policy-file.ts';
import { compilePolicy } from './policy.ts';

const policy = (body: object): string => JSON.stringify({ apiVersion: 'audit.orch.io/v1', kind: 'Policy', ...body });
const about = (line: string): RequestInfo => {
  const [method = '', target = ''] = line.split(' ');
  const [path = '', query] = target.split('?');
  return parseRequest(method, path, new URLSearchParams(query));
};
const alice = { name: 'alice', groups: ['dev', 'system:authenticated'] };

/** The level that one rule alone gives a request of alice. */
const fits: readonly (readonly [rule: object, line: string, fits: boolean])[] = [
  [{}, 'GET /healthz', true],
  [{ users: [], userGroups: [], verbs: [], namespaces: [], resources: [], nonResourceURLs: [] }, 'GET /healthz', true],
  [{ users: [], userGroups: [], verbs: [], namespaces: [], resources: [], nonResourceURLs: [] }, 'GET /api/v1/pods', true],
  [{ users: ['alice'] }, 'GET /healthz', true],
  [{ users: ['bob'] }, 'GET /healthz', false],
  [{ userGroups: ['ops', 'dev'] }, 'GET /healthz', true],
  [{ userGroups: ['ops'] }, 'GET /healthz', false],
  [{ verbs: ['list'] }, 'GET /api/v1/pods', true],
  [{ verbs: ['list'] }, 'GET /api/v1/pods?watch=1', false],
  [{ namespaces: ['a'] }, 'GET /api/v1/namespaces/a/pods', true],
  [{ namespaces: ['a'] }, 'GET /api/v1/namespaces/b/pods', false],
  [{ namespaces: [''] }, 'GET /api/v1/nodes', true],
  [{ namespaces: [''] }, 'GET /healthz', false],
  [{ resources: [{}] }, 'GET /api/v1/namespaces/a/pods/p/log', true],
  [{ resources: [{}] }, 'GET /apis/apps/v1/deployments', false],
  [{ resources: [{ group: 'apps' }] }, 'GET /apis/apps/v1/deployments', true],
  [{ resources: [{ resources: ['pods'] }] }, 'GET /api/v1/namespaces/a/pods/p', true],
  [{ resources: [{ resources: ['pods'] }] }, 'GET /api/v1/namespaces/a/pods/p/log', false],
  [{ resources: [{ resources: ['pods/log'] }] }, 'GET /api/v1/namespaces/a/pods/p/log', true],
  [{ resources: [{ resources: ['pods/*'] }] }, 'GET /api/v1/namespaces/a/pods/p/log', true],
  [{ resources: [{ resources: ['pods/*'] }] }, 'GET /api/v1/namespaces/a/services/p/proxy', false],
  [{ resources: [{ resources: ['secrets', 'pods'] }] }, 'GET /api/v1/namespaces/a/pods/p', true],
  [{ resources: [{ group: 'apps' }, { resources: ['pods'] }] }, 'GET /api/v1/namespaces/a/pods/p', true],
  [{ resources: [{ resources: ['*/log'] }] }, 'GET /api/v1/namespaces/a/pods/p/log', true],
  [{ resources: [{ resources: ['*/log'] }] }, 'GET /api/v1/namespaces/a/pods/p', false],
  [{ resources: [{ resources: ['*/'] }] }, 'GET /api/v1/namespaces/a/pods/p', false],
  [{ resources: [{ resources: ['*'] }] }, 'GET /api/v1/namespaces/a/pods/p/log', true],
  [{ resources: [{ resources: ['pods'], resourceNames: ['p'] }] }, 'GET /api/v1/namespaces/a/pods/p', true],
  [{ resources: [{ resources: ['pods'], resourceNames: ['q'] }] }, 'GET /api/v1/namespaces/a/pods/p', false],
  [{ nonResourceURLs: ['/healthz'] }, 'GET /healthz', true],
  [{ nonResourceURLs: ['/healthz'] }, 'GET /healthz/ping', false],
  [{ nonResourceURLs: ['/healthz*'] }, 'GET /healthz/ping', true],
  [{ nonResourceURLs: ['/healthz*'] }, 'GET /metrics', false],
  [{ nonResourceURLs: ['/logs/*'] }, 'GET /logs', false],
  [{ nonResourceURLs: ['/metrics', '/healthz'] }, 'GET /healthz', true],
  [{ nonResourceURLs: ['*'] }, 'GET /healthz', true],
  [{ nonResourceURLs: ['*'] }, 'GET /api/v1/pods', false],
];

for (const [rule, line, isFitting] of fits) {
  test(`R6-14 ${JSON.stringify(rule)} ${isFitting ? 'fits' : 'does not fit'} ${line}`, () => {
    const judge = compilePolicy(readPolicy(policy({ rules: [{ level: 'Metadata', ...rule }] })));
    assert.equal(judge(about(line), alice).level, (isFitting ? 'Metadata' : 'None') satisfies Level);
  });
}

test('who is not known is no user that a rule names, whatever it names, and in no group', () => {
  for (const rule of [{ users: [''] }, { users: ['alice'] }, { userGroups: [''] }, { userGroups: ['dev'] }]) {
    const judge = compilePolicy(readPolicy(policy({ rules: [{ level: 'Metadata', ...rule }] })));
    assert.equal(judge(about('GET /healthz'), undefined).level, 'None', JSON.stringify(rule));
  }
});

test('the first rule that fits decides, with its own stages beside those of all', () => {
  const judge = compilePolicy(
    readPolicy(policy({ omitStages: ['Panic'], omitManagedFields: true, rules: [{ level: 'Request', verbs: ['get'], omitStages: ['RequestReceived'], omitManagedFields: false }, { level: 'Metadata' }] })),
  );
  const first = judge(about('GET /x'), undefined);
  assert.deepEqual([first.level, [...first.omitStages].sort(), first.omitManagedFields], ['Request', ['Panic', 'RequestReceived'], false]);
  const second = judge(about('POST /x'), undefined);
  assert.deepEqual([second.level, [...second.omitStages], second.omitManagedFields], ['Metadata', ['Panic'], true]);
  assert.equal(compilePolicy(readPolicy(policy({ rules: [{ level: 'Metadata' }] })))(about('GET /x'), undefined).omitManagedFields, false);
});

test('policies of versions before v1 are read as those of v1', () => {
  const body = { kind: 'Policy', omitStages: ['RequestReceived'], omitManagedFields: true, rules: [{ level: 'Request', resources: [{ group: 'apps', resources: ['deployments'] }] }] };
  const { apiVersion: _, ...read } = readPolicy(policy(body)) as { apiVersion?: string };
  for (const apiVersion of ['audit.k8s.io/v1beta1', 'audit.k8s.io/v1alpha1', 'audit.orch.io/v1beta1']) assert.deepEqual(readPolicy(policy({ ...body, apiVersion })), { apiVersion, ...read });
});

describe('mistakes are named with their place', () => {
  const mistakes: readonly (readonly [text: string, message: RegExp])[] = [
    ['[', /audit policy: yaml: /],
    ['{}', /apiVersion: audit\.orch\.io\/v1 or audit\.k8s\.io\/v1 and kind: Policy/],
    ['{"apiVersion":"audit.k8s.io/v2","kind":"Policy"}', /apiVersion: audit\.orch\.io\/v1 or audit\.k8s\.io\/v1 and kind: Policy/],
    ['{"apiVersion":"audit.k8s.io/v1","kind":"Event"}', /apiVersion: audit\.orch\.io\/v1 or audit\.k8s\.io\/v1 and kind: Policy/],
    [policy({}), /rules: there must be at least one rule/],
    [policy({ rules: [{}] }), /rules\[0\]\.level: "" is none of None, Metadata/],
    [policy({ rules: [{ level: 'All' }] }), /rules\[0\]\.level: "All"/],
    [policy({ rules: [{ level: 'None', user: ['a'] }] }), /^Error: audit policy, rules\[0\]\.user: there is no such field$/],
    [policy({ rules: [{ level: 'None', users: 3 }] }), /users/],
    [policy({ rules: [{ level: 'None' }], omitStages: ['Sometimes'] }), /policy, omitStages: "Sometimes"/],
    [policy({ rules: [{ level: 'None', omitStages: ['Never'] }] }), /rules\[0\]\.omitStages: "Never"/],
    [policy({ rules: [{ level: 'None', nonResourceURLs: ['/a'], namespaces: ['b'] }] }), /not about both/],
    [policy({ rules: [{ level: 'None', nonResourceURLs: ['a'] }] }), /begins with \//],
    [policy({ rules: [{ level: 'None', nonResourceURLs: ['/a'], resources: [{}] }] }), /not about both/],
    [policy({ rules: [{ level: 'None', nonResourceURLs: ['/a*b'] }] }), /at the end only/],
    [policy({ rules: [{ level: 'None', nonResourceURLs: ['*', '/**'] }] }), /nonResourceURLs\[1\]: \* stands at the end only/],
    [policy({ rules: [{ level: 'None', resources: [{ group: 'apps/v1' }] }] }), /without its version/],
    [policy({ rules: [{ level: 'None', resources: [{}, { group: '*' }] }] }), /rules\[0\]\.resources\[1\]\.group: "\*"/],
    [policy({ rules: [{ level: 'None', resources: [{ group: 'Apps' }] }] }), /group: "Apps"/],
    [policy({ rules: [{ level: 'None', resources: [{ resourceNames: ['a'] }] }] }), /need resources/],
  ];
  for (const [text, message] of mistakes) test(text, () => assert.throws(() => readPolicy(text), message));
});
