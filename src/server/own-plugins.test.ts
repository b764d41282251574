import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATIONS, type AdmissionHooks } from '#admission';
import { brandOf, createCatalog, defineKind } from '#api';
import { allKinds } from '#kinds';
import { t } from '#schema';
import { faultOfHooks } from './own-plugins.ts';

class Body extends t.message('example/v1.Recipe', {}) {}
const recipe = defineKind(Body, { group: 'example', kind: 'Recipe', plural: 'recipes', scope: 'Namespaced', versions: { v1: { schema: Body } }, storage: 'v1' });
const catalog = createCatalog([...allKinds, recipe], brandOf('kubernetes'));

const validate = (): void => {};
const FORM = '"kinds" are written group/plural or group/plural/subresource, as /pods, /pods/eviction or networking/ingresses';
const ON = `its hooks have "on", a list of some of ${OPERATIONS.join(', ')}`;

/** As programs in plain JavaScript return them, too. */
const FAULTS: readonly (readonly [hooks: unknown, fault: string])[] = [
  [undefined, ON],
  [{ validate }, ON],
  [{ on: 'CREATE', validate }, ON],
  [{ on: ['CREATE', 'update'], validate }, ON],
  [{ on: ['CREATE'] }, 'its hooks have neither "mutate" nor "validate"'],
  [{ on: ['CREATE'], kinds: '/pods', validate }, '"kinds" of its hooks is a list, each item group/plural or group/plural/subresource, as /pods, /pods/eviction or networking/ingresses'],
];

for (const [hooks, fault] of FAULTS) test(`hooks that would never run, or fail: ${fault}`, () => assert.equal(faultOfHooks(hooks as AdmissionHooks, catalog), fault));

/** Names of kinds, and those that are meant. */
const NEVER_THERE: Readonly<Record<string, string>> = {
  configmaps: '/configmaps',
  ConfigMap: '/configmaps',
  'v1/configmaps': '/configmaps',
  'networking.k8s.io/ingresses': 'networking/ingresses',
  'networking.orch.io/ingresses': 'networking/ingresses',
  'apps/deployment': 'apps/deployments',
  'example.k8s.io/recipes': 'example/recipes',
  '/podz': '/pods',
  '/pods/evict': '/pods/eviction',
};

for (const [name, meant] of Object.entries(NEVER_THERE)) {
  test(`hooks about ${name} are told that ${meant} is meant`, () => {
    assert.equal(faultOfHooks({ on: ['CREATE'], kinds: ['/pods', name], validate }, catalog), `its hooks are about "${name}", which is never there: ${FORM}; did you mean "${meant}"?`);
  });
}

test('hooks about what nothing is like are told how kinds are written', () => {
  assert.equal(faultOfHooks({ on: ['CREATE'], kinds: ['example/recipes/a-part-unlike-any'], validate }, catalog), `its hooks are about "example/recipes/a-part-unlike-any", which is never there: ${FORM}`);
});

test('hooks may be about kinds and their parts, those of the program and custom ones that come later too', () => {
  const kinds = ['/pods', '/pods/eviction', 'networking/ingresses/status', 'apps/deployments/scale', 'example/recipes', 'example.com/widgets', 'gateway.networking.k8s.io/gateways', 'networking.k8s.io/widgets'];
  assert.equal(faultOfHooks({ on: OPERATIONS, kinds, validate }, catalog), undefined);
  assert.equal(faultOfHooks({ on: [] }, catalog), undefined, 'a plugin that does nothing on purpose');
});
