import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { brandOf, createCatalog, defineKind } from '#api';
import { countTurns, nextTurn } from '#base';
import { allKinds } from '#kinds';
import { replyHeader, type Reply } from '#request';
import { t } from '#schema';
import { createOpenapi } from './openapi.ts';

type Json = Readonly<Record<string, unknown>>;
interface OpenapiDocument {
  readonly definitions: Readonly<Record<string, Json>>;
  readonly paths: Readonly<Record<string, Json>>;
}

const file = new URL('../../test/golden/openapi-v2.json.br', import.meta.url);
const published = JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as OpenapiDocument;
const catalog = createCatalog(allKinds, brandOf('kubernetes'));
const openapi = createOpenapi(catalog);
const PROTOBUF = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

type Answer = Reply & { readonly body: Uint8Array };

async function get(headers: Readonly<Record<string, string>> = {}, from = openapi): Promise<Answer> {
  const received = new Map(Object.entries(headers).map(([name, value]) => [name, [value]]));
  return (await from({ info: { path: '/openapi/v2' }, headers: received })) as Answer;
}
const served = JSON.parse(Buffer.from((await get()).body).toString()) as OpenapiDocument;

/** Files of the machine, which this server does not show. */
const NOT_SERVED: readonly string[] = ['/logs/', '/logs/{logpath}'];

/** Order is no matter in `required`, and descriptions are not in the recording. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, member]) => !(key === 'description' && typeof member === 'string'));
  return Object.fromEntries(
    entries.map(([key, member]) => [key, key === 'required' && Array.isArray(member) ? [...(member as string[])].sort() : comparable(member)]),
  );
}

/** Names of what is on one side only, or not the same on both. */
function differences(mine: Readonly<Record<string, Json>>, theirs: Readonly<Record<string, Json>>): string[] {
  const names = new Set([...Object.keys(mine), ...Object.keys(theirs)]);
  return [...names].filter((name) => !isDeepStrictEqual(comparable(mine[name]), comparable(theirs[name])));
}

test('R4.9-28 R4.9-29 definitions are as published, each of them and no others', () => {
  assert.deepEqual(differences(served.definitions, published.definitions), []);
});

test('every reference has a definition', () => {
  const references = new Set(JSON.stringify(served).match(/#\/definitions\/[^"]+/g));
  for (const reference of references) assert.ok(Object.hasOwn(served.definitions, reference.slice('#/definitions/'.length)), reference);
});

test('R4.1-01 paths and their operations are as published, each of them and no others', () => {
  assert.deepEqual(differences(served.paths, published.paths), NOT_SERVED);
});

test('the document has an ETag and is not sent again', async () => {
  const etag = replyHeader(await get(), 'etag') ?? '';
  assert.match(etag, /^"[0-9A-F]{64}"$/);
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) assert.equal((await get({ 'if-none-match': known })).status, 304, known);
  assert.equal((await get({ 'if-none-match': '"other"' })).status, 200);
  assert.notEqual(replyHeader(await get({ accept: PROTOBUF }), 'etag'), etag);
  assert.equal((await get({ accept: 'text/html' })).status, 406);
});

test('documents follow the catalog, and are made once', async () => {
  const changing = { ...catalog, resources: catalog.resources };
  const from = createOpenapi(changing);
  const [first, meanwhile] = await Promise.all([get({}, from), get({}, from)]);
  assert.equal(first.body, meanwhile.body);
  assert.equal((await get({}, from)).body, first.body);
  changing.resources = [];
  assert.ok((await get({}, from)).body.length < first.body.length);
});

test('documents follow what other servers say', async () => {
  const path = '/apis/g.example.com/v1/things';
  let openapiSources: readonly { readonly prefix: string; readonly document: unknown }[] = [];
  const from = createOpenapi({ ...catalog, resources: [] }, { openapiSources: () => openapiSources });
  const hasPath = async (): Promise<boolean> => Buffer.from((await get({}, from)).body).includes(path);
  assert.equal(await hasPath(), false);
  openapiSources = [{ prefix: '/apis/g.example.com/v1/', document: { paths: { [path]: { get: { responses: {} } } } } }];
  assert.equal(await hasPath(), true);
  openapiSources = [];
  assert.equal(await hasPath(), false);
});

test('custom resources take no definition of a built-in message: theirs has another name', async () => {
  for (const kind of ['Deployment', 'DeploymentList']) assert.ok(Object.hasOwn(served.definitions, `io.k8s.api.apps.v1.${kind}`));
  class Body extends t.message('=io.k8s.api.apps.v1.Deployment', { probe: t.bool(1) }) {}
  const custom = defineKind(Body, { group: 'apps.api.k8s.io', isCustom: true, kind: 'Deployment', plural: 'deployments', singular: 'deployment', scope: 'Cluster', versions: { v1: { schema: Body } }, storage: 'v1' });
  const document = JSON.parse(Buffer.from((await get({}, createOpenapi(createCatalog([...allKinds, custom], brandOf('kubernetes'))))).body).toString()) as OpenapiDocument;
  const added = ['io.k8s.api.apps.v1.DeploymentList_v2', 'io.k8s.api.apps.v1.Deployment_v2'];
  assert.deepEqual(differences(document.definitions, served.definitions).sort(), added);
  assert.deepEqual(document.definitions[added[1] as string]?.['x-kubernetes-group-version-kind'], [{ group: 'apps.api.k8s.io', kind: 'Deployment', version: 'v1' }]);
  assert.match(JSON.stringify(document.definitions[added[0] as string]), /"#\/definitions\/io\.k8s\.api\.apps\.v1\.Deployment_v2"/);
  const references = (path: string): Set<string> => new Set(JSON.stringify(document.paths[path]).match(/io\.k8s\.api\.apps[^"]+/g));
  assert.deepEqual([...references('/apis/apps.api.k8s.io/v1/deployments')].sort(), added);
  assert.deepEqual(document.paths['/apis/apps/v1/deployments'], served.paths['/apis/apps/v1/deployments']);
});

test('what changes while a document is made is in the next one', async () => {
  const changing = { ...catalog, resources: catalog.resources };
  const from = createOpenapi(changing);
  const making = get({}, from);
  await nextTurn();
  changing.resources = [];
  assert.deepEqual((await making).body, (await get()).body);
  assert.ok((await get({}, from)).body.length < (await making).body.length);
});

test('a document of many definitions leaves turns to others while it is made', async () => {
  class Body extends t.message('example/v1.Thing', { spec: t.rawObject(1) }) {}
  const many = Array.from({ length: 2_000 }, (_, n) =>
    defineKind(Body, { group: `g${n}.example.com`, isCustom: true, kind: 'Thing', plural: 'things', singular: 'thing', scope: 'Namespaced', versions: { v1: { schema: Body } }, storage: 'v1' }),
  );
  for (const accept of ['application/json', PROTOBUF]) {
    const from = createOpenapi(createCatalog(many, brandOf('kubernetes')));
    const turns = await countTurns(async () => assert.equal((await get({ accept }, from)).status, 200));
    assert.ok(turns >= 4, `${turns} turns`);
  }
});

test('a kind of the program whose deletes answer with the object is published as such', async () => {
  class Body extends t.message('example/v1.Recipe', { spec: t.string(2) }) {}
  const recipe = defineKind(Body, { group: 'example', kind: 'Recipe', plural: 'recipes', scope: 'Namespaced', versions: { v1: { schema: Body } }, storage: 'v1' });
  for (const deleteShowsObject of [true, false]) {
    const from = createOpenapi(createCatalog([{ ...recipe, deleteShowsObject }], brandOf('kubernetes')));
    const { paths } = JSON.parse(Buffer.from((await get({}, from)).body).toString()) as { readonly paths: Readonly<Record<string, { readonly delete?: { readonly responses: Json } }>> };
    const answer = JSON.stringify(paths['/apis/example.k8s.io/v1/namespaces/{namespace}/recipes/{name}']?.delete?.responses['200']);
    assert.match(answer, deleteShowsObject ? /Recipe"/ : /Status"/);
  }
});
