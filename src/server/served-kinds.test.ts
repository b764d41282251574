import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, defineKind, type KindDefinition } from '#api';
import { t } from '#schema';
import { servedKinds } from './served-kinds.ts';
import { settle } from './settle-options.ts';

class Body extends t.message('example/v1.Recipe', {}) {}
const kindOf = (group: string, kind: string, plural: string): KindDefinition => defineKind(Body, { group, kind, plural, scope: 'Namespaced', versions: { v1: { schema: Body } }, storage: 'v1' });
const served = (...kinds: readonly KindDefinition[]): readonly KindDefinition[] => servedKinds(settle({ kinds }), brandOf('kubernetes'));

test('of the kinds of a program none has the name of another one in its group', () => {
  const recipe = kindOf('example', 'Recipe', 'recipes');
  const rows: readonly (readonly [kinds: readonly KindDefinition[], inCommon: string])[] = [
    [[recipe, recipe], 'Recipe (recipes) and Recipe (recipes) have a name in common in the group "example.k8s.io"'],
    [[recipe, kindOf('example', 'Dish', 'recipes')], 'Recipe (recipes) and Dish (recipes) have a name in common in the group "example.k8s.io"'],
    [[recipe, kindOf('example.k8s.io', 'Recipe', 'dishes')], 'Recipe (recipes) and Recipe (dishes) have a name in common in the group "example.k8s.io"'],
    [[kindOf('', 'ConfigMap', 'settings')], 'ConfigMap (configmaps) and ConfigMap (settings) have a name in common in the group ""'],
  ];
  for (const [kinds, inCommon] of rows) assert.throws(() => served(...kinds), { name: 'Error', message: `option kinds: ${inCommon}` });
  const others = [recipe, kindOf('example', 'Dish', 'dishes'), kindOf('example.com', 'Recipe', 'recipes')];
  assert.deepEqual(served(...others).slice(-3), others);
});
