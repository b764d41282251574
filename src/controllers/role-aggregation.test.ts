import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ClusterRole } from '#kinds';
import { collectRules } from './role-aggregation.ts';

const RULES = 2_000;

test('the rules of the parts come by name, each once, and few looks at each find that out', () => {
  let looked = 0;
  const ruleOf = (resource: string): object => ({
    apiGroups: [''],
    verbs: ['get'],
    get resources() {
      looked += 1;
      return [resource];
    },
  });
  const partOf = (name: string, from: number): ClusterRole =>
    ({ metadata: { name, labels: { part: 'yes' } }, rules: Array.from({ length: RULES }, (_, at) => ruleOf(`r${from + at}`)) }) as unknown as ClusterRole;
  const whole = { metadata: { name: 'whole', labels: { part: 'yes' } }, aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'yes' } }] } } as unknown as ClusterRole;
  const rules = collectRules(whole, [partOf('b', RULES / 2), whole, partOf('a', 0)]);
  assert.ok(looked < RULES * 10, `${looked} looks`);
  assert.deepEqual(rules.map(({ resources }) => resources?.[0]), Array.from({ length: RULES * 1.5 }, (_, at) => `r${at}`));
});

test('the rules come in the order of the selectors that find them', () => {
  const part = (name: string, label: string): ClusterRole =>
    ({ metadata: { name, labels: { [label]: 'yes', all: 'yes' } }, rules: [{ verbs: [name] }] }) as unknown as ClusterRole;
  const wholeOf = (...labels: readonly string[]): ClusterRole =>
    ({ metadata: { name: 'whole' }, aggregationRule: { clusterRoleSelectors: labels.map((label) => ({ matchLabels: { [label]: 'yes' } })) } }) as unknown as ClusterRole;
  const parts = [part('c', 'late'), part('b', 'early'), part('a', 'late')];
  const verbsOf = (whole: ClusterRole): readonly unknown[] => collectRules(whole, parts).map(({ verbs }) => verbs?.[0]);
  assert.deepEqual(verbsOf(wholeOf('early', 'late')), ['b', 'a', 'c']);
  assert.deepEqual(verbsOf(wholeOf('late', 'all')), ['a', 'c', 'b']);
});
