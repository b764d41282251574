import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf, createCatalog, defineKind, type KindDefinition } from '#api';
import { allKinds } from '#kinds';
import { t } from '#schema';
import { startTestServer } from '#testing';
import { configureKinds } from './runtime-config.ts';

class Body extends t.message('example/v1.Thing', {}) {}
const thing = defineKind(Body, {
  group: 'example',
  kind: 'Thing',
  plural: 'things',
  scope: 'Cluster',
  versions: { v1: { schema: Body }, v1beta1: { schema: Body }, v2alpha1: { schema: Body } },
  storage: 'v1',
});

const brand = brandOf('kubernetes');
const servedOf = (kinds: readonly KindDefinition[], text: string): readonly string[] =>
  createCatalog(configureKinds(kinds, brand, text), brand).resources.flatMap(({ versions }) => versions.map(({ apiVersion }) => apiVersion));

test('alpha versions are off, others on, and the more exact key counts', () => {
  const cases = {
    '': ['example.k8s.io/v1', 'example.k8s.io/v1beta1'],
    'api/alpha=true': ['example.k8s.io/v1', 'example.k8s.io/v1beta1', 'example.k8s.io/v2alpha1'],
    'api/all=false': [],
    'api/legacy=false': ['example.k8s.io/v1', 'example.k8s.io/v1beta1'],
    'api/all=false,api/beta': ['example.k8s.io/v1beta1'],
    'example.k8s.io/v1beta1=false': ['example.k8s.io/v1'],
    'api/all=false,apis/example.k8s.io/v2alpha1=true': ['example.k8s.io/v2alpha1'],
    'example.k8s.io/v1=false,example.k8s.io/v1/things=true': ['example.k8s.io/v1', 'example.k8s.io/v1beta1'],
  };
  for (const [text, served] of Object.entries(cases)) assert.deepEqual(servedOf([thing], text), served, text);
});

test('the core group is named as in Kubernetes, too, and values are those that Go reads', () => {
  const core = defineKind(Body, { group: '', kind: 'Thing', plural: 'things', scope: 'Cluster', versions: { v1: { schema: Body } }, storage: 'v1' });
  for (const off of ['v1=false', '/v1=false', 'api/v1=false', '/v1=0', '/v1=F', '/v1=False', '/v1/things=f']) assert.deepEqual(servedOf([core], off), [], off);
  for (const on of ['/v1', '/v1=', '/v1=1', '/v1=T', '/v1=TRUE']) assert.deepEqual(servedOf([core], `api/all=false,${on}`), ['v1'], on);
  for (const none of ['/v1=no', '/v1=tRUE', '//v1=true', '/v2=true']) assert.throws(() => servedOf([core], none), /runtime configuration/, none);
});

test('what makes no sense is said', () => {
  assert.throws(() => servedOf([thing], 'example.k8s.io/v3=true'), /example\.k8s\.io\/v3/);
  assert.throws(() => servedOf([thing], 'api/all=maybe'), /true or false/);
  assert.throws(() => servedOf([thing], '__proto__=true'), /no such group/);
});

test('a server without the kinds that it needs itself does not start, and says so', async () => {
  for (const runtimeConfig of ['api/all=false', 'v1=false', 'v1/namespaces=false', 'v1/configmaps=false'])
    await assert.rejects(startTestServer({ runtimeConfig }), /^Error: runtime configuration ".*": no server can do without (?:Namespace|ConfigMap) in v1$/, runtimeConfig);
});

test('versions that are known and have no resources are taken from old configurations, those that would be served elsewhere only to be off', () => {
  for (const text of ['extensions/v1beta1=true', 'extensions/v1beta1/daemonsets=true,apps/v1beta2=true', 'apps/v1beta1=false', 'scheduling.k8s.io/v1beta1', 'rbac.authorization.k8s.io/v1alpha1=false'])
    assert.deepEqual(configureKinds(allKinds, brand, text), allKinds, text);
  for (const text of ['rbac.authorization.k8s.io/v1alpha1=true', 'batch/v2alpha1=false', 'extensions/v1=true', 'extensions=true'])
    assert.throws(() => configureKinds(allKinds, brand, text), /no such group/, text);
});

test('no kind of the release is an alpha version', () => {
  assert.deepEqual(configureKinds(allKinds, brand, ''), allKinds);
});

test('a version that is off is not served, and its objects are the same through others', async () => {
  const api = await startTestServer({ dialect: 'kubernetes', runtimeConfig: 'policy/v1=false,batch/v1beta1=false' });
  try {
    const budget = { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', metadata: { name: 'b' }, spec: { minAvailable: 1 } };
    assert.equal((await api.request('POST', '/apis/policy/v1beta1/namespaces/default/poddisruptionbudgets', budget)).status, 201);
    assert.equal((await api.request('GET', '/apis/policy/v1/namespaces/default/poddisruptionbudgets/b')).status, 404);
    const groups = (await api.request('GET', '/apis')).body.groups as { name: string; versions: { version: string }[] }[];
    const versionsOf = (name: string): readonly string[] => groups.find((group) => group.name === name)?.versions.map(({ version }) => version) ?? [];
    assert.deepEqual([versionsOf('policy'), versionsOf('batch')], [['v1beta1'], ['v1']]);
  } finally {
    await api.close();
  }
});
