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

/** Reads protobuf without a schema: field number → values, in order. */
function fieldsOf(bytes: Buffer): Map<number, (number | Buffer)[]> {
  const fields = new Map<number, (number | Buffer)[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = varint();
    const length = varint();
    const value = (tag & 7) === 2 ? bytes.subarray(at, (at += length)) : length;
    fields.set(tag >>> 3, [...(fields.get(tag >>> 3) ?? []), value]);
  }
  return fields;
}

const message = (fields: Map<number, (number | Buffer)[]>, no: number): Map<number, (number | Buffer)[]> => fieldsOf(fields.get(no)?.[0] as Buffer);
const word = (fields: Map<number, (number | Buffer)[]>, no: number): string => String(fields.get(no)?.[0]);

test('R4.3-26 the protobuf form says the same', async () => {
  const document = fieldsOf(Buffer.from((await get({ accept: PROTOBUF })).body));
  assert.equal(word(document, 1), '2.0');
  const definitions = message(document, 9).get(1)!.map((one) => fieldsOf(one as Buffer));
  assert.deepEqual(
    definitions.map((one) => word(one, 1)),
    Object.keys(served.definitions),
  );
  const configMap = message(definitions.find((one) => word(one, 1) === 'io.k8s.api.core.v1.ConfigMap')!, 2);
  assert.equal(word(message(configMap, 22), 1), 'object');
  const properties = message(configMap, 25).get(1)!.map((one) => fieldsOf(one as Buffer));
  assert.deepEqual(
    properties.map((one) => word(one, 1)),
    ['apiVersion', 'binaryData', 'data', 'immutable', 'kind', 'metadata'],
  );
  assert.equal(word(message(properties[5]!, 2), 1), '#/definitions/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');
  const extension = message(configMap, 31);
  assert.equal(word(extension, 1), 'x-kubernetes-group-version-kind');
  assert.equal(word(message(extension, 2), 2), '[{"group":"","kind":"ConfigMap","version":"v1"}]\n');
  const paths = message(document, 8).get(2)!.map((one) => fieldsOf(one as Buffer));
  assert.deepEqual(
    paths.map((one) => word(one, 1)),
    Object.keys(served.paths),
  );
  const item = message(paths.find((one) => word(one, 1) === '/api/v1/namespaces/{namespace}/configmaps/{name}')!, 2);
  const patch = message(item, 8);
  assert.equal(word(patch, 5), 'patchCoreV1NamespacedConfigMap');
  const parameters = patch.get(8)!.map((one) => message(fieldsOf(one as Buffer), 1));
  assert.ok(parameters.some((one) => one.has(2) && word(message(message(one, 2), 3), 4) === 'dryRun'));
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
