import assert from 'node:assert/strict';
import { test } from 'node:test';
import { uncovered, type Rule } from './index.ts';

const pods = (more: Partial<Rule> = {}): Rule => ({ verbs: ['get'], apiGroups: [''], resources: ['pods'], ...more });
const paths = (...nonResourceURLs: string[]): Rule => ({ verbs: ['get'], nonResourceURLs });

/** What is held, what is wanted, and how many parts of that are missing. */
const TABLE: readonly (readonly [what: string, held: readonly Rule[], wanted: readonly Rule[], missing: number])[] = [
  ['the same', [pods()], [pods()], 0],
  ['nothing', [], [], 0],
  ['more verbs', [pods()], [pods({ verbs: ['get', 'list'] })], 1],
  ['two rules together', [pods(), pods({ verbs: ['list'] })], [pods({ verbs: ['get', 'list'] })], 0],
  ['every verb', [pods({ verbs: ['get', 'list', 'create'] })], [pods({ verbs: ['*'] })], 1],
  ['one of every verb', [pods({ verbs: ['*'] })], [pods()], 0],
  ['every resource', [pods()], [pods({ resources: ['*'] })], 1],
  ['another group', [pods()], [pods({ apiGroups: ['apps'] })], 1],
  ['a subresource', [pods()], [pods({ resources: ['pods/log'] })], 1],
  ['a subresource of everything', [pods({ resources: ['*/log'] })], [pods({ resources: ['pods/log'] })], 0],
  ['one name of all', [pods()], [pods({ resourceNames: ['a'] })], 0],
  ['all names of one', [pods({ resourceNames: ['a'] })], [pods()], 1],
  ['another name', [pods({ resourceNames: ['a'] })], [pods({ resourceNames: ['a', 'b'] })], 1],
  ['a path below', [paths('/a/*')], [paths('/a/b', '/a/*')], 0],
  ['a path beside', [paths('/a/*')], [paths('/b')], 1],
  ['paths for resources', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }], [paths('/a')], 1],
];

for (const [what, held, wanted, missing] of TABLE) {
  test(`granting ${what} lacks ${missing}`, () => assert.equal(uncovered(held, wanted).length, missing));
}
