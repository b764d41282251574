// A kind is one file: this one declares its own, and clients that never heard of it work with it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { KubeConfig, KubernetesObjectApi, makeInformer, PatchStrategy, type KubernetesObject } from '@kubernetes/client-node';
import { defineKind, type ObjectOf } from '#api';
import { deferred } from '#base';
import { t } from '#schema';
import { startServer, type RunningServer } from '#server';

class Spec extends t.message('example/v1.RecipeSpec', {
  servings: t.int32(1).required(),
  steps: t.strings(2),
  difficulty: t.enum(3, 'Easy', 'Hard').default('Easy'),
}) {}
class Status extends t.message('example/v1.RecipeStatus', { cooked: t.int32(1) }) {}
class Body extends t.message('example/v1.Recipe', { spec: t.one(2, Spec), status: t.one(3, Status) }) {}

const Recipe = defineKind(Body, {
  group: 'example',
  kind: 'Recipe',
  plural: 'recipes',
  shortNames: ['rcp'],
  scope: 'Namespaced',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  subresources: { status: { verbs: ['get', 'patch', 'update'], writes: ['status'] } },
  generation: ['spec'],
  words: { '': 'What to cook, for how many, and how.' },
  columns: [{ name: 'Servings', type: 'integer', description: 'For how many it is.', cell: ({ spec }) => spec.servings }],
  validate(next, live, at) {
    if (next.spec.servings < 1) at.child('spec', 'servings').invalid(next.spec.servings, 'must be at least 1');
    if (live !== undefined && live.spec.difficulty !== next.spec.difficulty) at.child('spec', 'difficulty').forbidden('may not change');
  },
  select: ({ spec }) => ({ 'spec.difficulty': spec.difficulty ?? '' }),
});
type Recipe = ObjectOf<typeof Recipe>;

const PLACE = { apiVersion: 'example.k8s.io/v1', kind: 'Recipe' };
const COLLECTION = '/apis/example.k8s.io/v1/namespaces/default/recipes';
const ADMIN = { authorization: 'Bearer admintoken' };

let server: RunningServer;
let config: KubeConfig;
let objects: KubernetesObjectApi;

before(async () => {
  server = await startServer({ dialect: 'kubernetes', kinds: [Recipe], controllers: 'none', tokens: 'admintoken,admin,,"system:masters"\n' });
  config = new KubeConfig();
  config.loadFromClusterAndUser({ name: 'c', server: server.url ?? '', skipTLSVerify: true }, { name: 'admin', token: 'admintoken' });
  objects = KubernetesObjectApi.makeApiClient(config);
});
after(() => server.close());

const recipe = (name: string, spec: object): KubernetesObject & { spec: object } => ({ ...PLACE, metadata: { name, namespace: 'default' }, spec });

async function answer(path: string, accept = 'application/json') {
  const found = await server.exchange({ path, headers: { ...ADMIN, accept } });
  assert.equal(found.status, 200, path);
  assert.ok('body' in found);
  return JSON.parse(new TextDecoder().decode(found.body));
}

test('a client makes, reads, patches, lists and deletes objects of the new kind', async () => {
  const made = (await objects.create(recipe('soup', { servings: 4, steps: ['boil'] }))) as unknown as Recipe;
  assert.deepEqual([made.spec, made.metadata.generation], [{ servings: 4, steps: ['boil'], difficulty: 'Easy' }, 1]);
  const patched = (await objects.patch(recipe('soup', { servings: 6 }), undefined, undefined, undefined, undefined, PatchStrategy.MergePatch)) as unknown as Recipe;
  assert.deepEqual([patched.spec.servings, patched.metadata.generation], [6, 2]);
  const { items } = await objects.list(PLACE.apiVersion, PLACE.kind, 'default', undefined, undefined, undefined, 'spec.difficulty=Easy');
  assert.deepEqual(items.map(({ metadata }) => metadata?.name), ['soup']);
  await assert.rejects(objects.create(recipe('nothing', { servings: 0 })), { code: 422 });
  await objects.delete(recipe('soup', {}));
  await assert.rejects(objects.read({ ...PLACE, metadata: { name: 'soup', namespace: 'default' } }), { code: 404 });
});

test('an informer of the client follows it', async () => {
  const api = KubernetesObjectApi.makeApiClient(config);
  const informer = makeInformer(config, COLLECTION, () => api.list(PLACE.apiVersion, PLACE.kind, 'default'));
  const seen = deferred<string>();
  informer.on('add', (object) => seen.resolve(object.metadata?.name ?? ''));
  informer.on('error', (failure: unknown) => seen.reject(failure));
  await informer.start();
  await objects.create(recipe('bread', { servings: 2 }));
  assert.equal(await seen.promise, 'bread');
  await informer.stop();
});

test('discovery, tables and explain know it from its declaration', async () => {
  const { resources } = await answer('/apis/example.k8s.io/v1');
  assert.deepEqual(resources.map(({ name }: { name: string }) => name), ['recipes', 'recipes/status']);
  const table = await answer(COLLECTION, 'application/json;as=Table;v=v1;g=meta.k8s.io');
  assert.deepEqual(table.columnDefinitions.map(({ name }: { name: string }) => name), ['Name', 'Servings', 'Age']);
  const { definitions } = await answer('/openapi/v2');
  const own = definitions['io.k8s.api.example.v1.Recipe'];
  assert.equal(own.description, 'What to cook, for how many, and how.');
  assert.deepEqual(definitions['io.k8s.api.example.v1.RecipeSpec'].required, ['servings']);
});
