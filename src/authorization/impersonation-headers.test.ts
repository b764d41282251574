import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readItems } from './impersonation-headers.ts';

const KEYS: readonly (readonly [header: string, key: string])[] = [
  ['impersonate-extra-scopes', 'scopes'],
  ['impersonate-extra-a%2fb', 'a/b'],
  ['impersonate-extra-%41b', 'Ab'],
  ['impersonate-extra-%c3%84', 'Ä'],
  ['impersonate-extra-%zz', '%zz'],
  ['impersonate-extra-a%ff', 'a\ufffd'],
];

for (const [header, key] of KEYS) {
  test(`${header} is about the extra ${key}: what is encoded keeps its case`, () => {
    assert.deepEqual(readItems(new Map([['impersonate-user', ['jim']], [header, ['all']]])).at(-1), { kind: 'UserExtra', key, name: 'all' });
  });
}

const USERS: readonly (readonly [user: string, kind: string])[] = [
  ['system:serviceaccount:default:a.b-c', 'ServiceAccount'],
  [`system:serviceaccount:${'n'.repeat(63)}:${'a'.repeat(253)}`, 'ServiceAccount'],
  [`system:serviceaccount:${'n'.repeat(64)}:a`, 'User'],
  [`system:serviceaccount:default:${'a'.repeat(254)}`, 'User'],
  ['system:serviceaccount:a.b:c', 'User'],
  ['system:serviceaccount:default:a..b', 'User'],
  ['system:serviceaccount:default:a:b', 'User'],
  ['system:serviceaccount:default:', 'User'],
];

for (const [user, kind] of USERS) {
  test(`${user.slice(0, 40)} of ${user.length} characters is a ${kind}`, () => assert.equal(readItems(new Map([['impersonate-user', [user]]]))[0]?.kind, kind));
}
