import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rulesAllow, uncovered, type Rule } from './index.ts';

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

const listOf = (...texts: string[]): fc.Arbitrary<readonly string[] | null | undefined> =>
  fc.oneof({ weight: 6, arbitrary: fc.uniqueArray(fc.constantFrom(...texts), { maxLength: 3 }) }, { weight: 1, arbitrary: fc.constantFrom(null, undefined) });
const aboutResources: fc.Arbitrary<Rule> = fc.record({
  verbs: listOf('*', 'get', 'list') as fc.Arbitrary<Rule['verbs']>,
  apiGroups: listOf('*', '', 'apps'),
  resources: listOf('*', 'pods', 'pods/log', 'nodes/log', '*/log', '/log'),
  resourceNames: listOf('a', 'b', '*'),
});
const aboutPaths: fc.Arbitrary<Rule> = fc.record({ verbs: listOf('*', 'get', 'list') as fc.Arbitrary<Rule['verbs']>, nonResourceURLs: listOf('*', '/a', '/a/*', '/a/b', '/a*') });
const anyRules = fc.array(fc.oneof({ weight: 3, arbitrary: aboutResources }, aboutPaths), { maxLength: 4 });

/** One verb on one path, or on one resource and, where the rule has names, one name. */
interface Part {
  readonly verb: string;
  readonly url?: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string | undefined;
}

const partsOf = ({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule): readonly Part[] => {
  const names = (resourceNames ?? []).length === 0 ? [undefined] : (resourceNames ?? []);
  return (verbs ?? []).flatMap((verb): Part[] => [
    ...(nonResourceURLs ?? []).map((url) => ({ verb, url })),
    ...(apiGroups ?? []).flatMap((group) => (resources ?? []).flatMap((resource) => names.map((name) => ({ verb, group, resource, name })))),
  ]);
};

const ruleOf = ({ verb, url, group = '', resource = '', name }: Part): Rule => ({
  verbs: [verb],
  ...(url === undefined ? { apiGroups: [group], resources: [resource] } : { nonResourceURLs: [url] }),
  ...(name === undefined ? {} : { resourceNames: [name] }),
});

/** Whether a rule grants a part, star by star. */
function grants({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: Rule, { verb, url, group = '', resource = '', name }: Part): boolean {
  const has = (list: Rule['apiGroups'], text: string): boolean => list?.some((one) => one === '*' || one === text) === true;
  if (!has(verbs, verb)) return false;
  if (url !== undefined) return nonResourceURLs?.some((one) => one === url || (one.endsWith('*') && url.startsWith(one.slice(0, -1)))) === true;
  const below = resource.includes('/') ? `*${resource.slice(resource.indexOf('/'))}` : resource;
  const isNamed = resourceNames?.some((one) => one === name) === true || (resourceNames ?? []).length === 0;
  return has(apiGroups, group) && (has(resources, resource) || has(resources, below)) && isNamed;
}

test('what is missing is every part that no rule grants, and nobody gains by what lacks nothing', () => {
  fc.assert(
    fc.property(anyRules, anyRules, (held, wanted) => {
      const parts = wanted.flatMap(partsOf);
      const missing = parts.filter((part) => !held.some((rule) => grants(rule, part)));
      assert.deepEqual(uncovered(held, wanted), missing.map(ruleOf));
      if (missing.length > 0) return;
      for (const { verb, url: path = '', group = '', resource: whole = '', name = '' } of parts) {
        const [resource = '', subresource = ''] = whole.split('/');
        assert.ok(rulesAllow(held, { isResourceRequest: path === '', verb, path, group, resource, subresource, name }));
      }
    }),
    { numRuns: 2000 },
  );
});

const many = (prefix: string, count: number): readonly string[] => Array.from({ length: count }, (_, at) => `${prefix}${at}`);

test('a short rule whose lists multiply to millions of parts is refused as soon as enough is missing', () => {
  const wanted = pods({ verbs: many('v', 100), apiGroups: many('g', 100), resources: many('r', 100), resourceNames: many('n', 100) });
  const missing = uncovered([pods()], [wanted]);
  assert.ok(missing.length > 0 && missing.length <= 10_000);
});

test('parts that cannot all be looked at are not taken for held', () => {
  const wanted = pods({ verbs: many('v', 1_000), apiGroups: many('g', 1_000), resources: many('r', 1_000) });
  const held = [pods({ verbs: ['*'], apiGroups: ['*'], resources: many('r', 500) }), pods({ verbs: ['*'], apiGroups: ['*'], resources: many('r', 1_000).slice(500) })];
  assert.ok(uncovered(held, [wanted]).length > 0);
  const named = pods({ verbs: many('v', 1_000), resources: many('r', 200), resourceNames: many('n', 100) });
  const halves = [many('n', 50), many('n', 100).slice(50)].map((resourceNames) => pods({ verbs: ['*'], resources: ['*'], resourceNames }));
  assert.deepEqual(uncovered(halves, [{ ...named, verbs: many('v', 10) }]), []);
  assert.ok(uncovered(halves, [named]).length > 0);
});

test('a rule that is held as a whole is held however many parts it has', () => {
  const wanted = pods({ verbs: many('v', 1_000), apiGroups: many('g', 1_000), resources: many('r/', 1_000), resourceNames: many('n', 1_000) });
  assert.deepEqual(uncovered([pods({ verbs: ['*'], apiGroups: ['*'], resources: ['*'] })], [wanted]), []);
});

test('long texts of what is missing are not told in full number', () => {
  const wanted = pods({ verbs: many('v', 10_000), apiGroups: ['g'.repeat(100_000)] });
  assert.ok(uncovered([], [wanted]).length < 10);
});
