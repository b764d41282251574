import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readItems } from './impersonation-headers.ts';

const KEYS: readonly (readonly [header: string, key: string])[] = [
  ['impersonate-extra-scopes', 'scopes'],
  ['impersonate-extra-a%2fb', 'a/b'],
  ['impersonate-extra-%41b', 'Ab'],
  ['impersonate-extra-%c3%84', 'Ä'],
  ['impersonate-extra-%zz', '%zz'],
];

for (const [header, key] of KEYS) {
  test(`${header} is about the extra ${key}: what is encoded keeps its case`, () => {
    assert.deepEqual(readItems(new Map([['impersonate-user', ['jim']], [header, ['all']]])).at(-1), { kind: 'UserExtra', key, name: 'all' });
  });
}
