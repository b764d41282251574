import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { brandOf, createCatalog } from '#api';
import { allKinds } from '#kinds';
import { encodeOpenapiV2 } from './openapi-v2-protobuf.ts';
import { mergeOpenapi } from './merge-openapi.ts';
import { buildOpenapiV2 } from './openapi-v2.ts';
import { buildOpenapiV3 } from './openapi-v3.ts';

const own = await buildOpenapiV2(createCatalog(allKinds, brandOf('kubernetes')), () => undefined);
const PREFIX = '/apis/g.example.com/v1/';
const refersTo = (name: string): object => ({ get: { responses: { 200: { description: 'OK', schema: { $ref: `#/definitions/${name}` } } } } });
const sourceOf = (paths: object, definitions: object = {}): { prefix: string; document: unknown } => ({ prefix: PREFIX, document: { paths, definitions } });

test('without other servers it is the own document', async () => assert.equal(await mergeOpenapi(own, []), own));

test('two servers that mean different things by a name each keep what they mean', async () => {
  const one = sourceOf({ [`${PREFIX}ones`]: refersTo('x.Thing') }, { 'x.Thing': { type: 'object' } });
  const two = { ...sourceOf({ '/apis/g.example.com/v2/twos': refersTo('x.Thing') }, { 'x.Thing': { type: 'string' } }), prefix: '/apis/g.example.com/v2/' };
  const { paths, definitions } = await mergeOpenapi(own, [one, two]);
  assert.deepEqual([definitions['x.Thing'], definitions['x.Thing_v2']], [{ type: 'object' }, { type: 'string' }]);
  assert.deepEqual(paths['/apis/g.example.com/v2/twos'], refersTo('x.Thing_v2'));
});

test('what a member of the name $ref refers to is renamed like all else', async () => {
  const one = sourceOf({ [`${PREFIX}ones`]: refersTo('x.Thing') }, { 'x.Thing': { type: 'object' } });
  const linkTo = (name: string): object => ({ properties: { $ref: { $ref: `#/definitions/${name}` } } });
  const two = { ...sourceOf({ '/apis/g.example.com/v2/twos': refersTo('x.Link') }, { 'x.Link': linkTo('x.Thing'), 'x.Thing': { type: 'string' } }), prefix: '/apis/g.example.com/v2/' };
  assert.deepEqual((await mergeOpenapi(own, [one, two])).definitions['x.Link'], linkTo('x.Thing_v2'));
});

test('a name that is changed takes the place of no other name of the same server', async () => {
  const one = sourceOf({ [`${PREFIX}ones`]: refersTo('x.Thing') }, { 'x.Thing': { type: 'object' } });
  const both = { [`/apis/g.example.com/v2/twos`]: refersTo('x.Thing'), [`/apis/g.example.com/v2/threes`]: refersTo('x.Thing_v2') };
  const two = { ...sourceOf(both, { 'x.Thing': { type: 'string' }, 'x.Thing_v2': { type: 'integer' } }), prefix: '/apis/g.example.com/v2/' };
  const { paths, definitions } = await mergeOpenapi(own, [one, two]);
  assert.deepEqual(['x.Thing', 'x.Thing_v2', 'x.Thing_v3'].map((name) => definitions[name]), [{ type: 'object' }, { type: 'integer' }, { type: 'string' }]);
  assert.deepEqual([paths['/apis/g.example.com/v2/twos'], paths['/apis/g.example.com/v2/threes']], [refersTo('x.Thing_v3'), refersTo('x.Thing_v2')]);
});

test('the same definition is there once', async () => {
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
  const merged = await mergeOpenapi(own, [sourceOf({ [`${PREFIX}things`]: refersTo(meta) }, { [meta]: own.definitions[meta] })]);
  assert.deepEqual(Object.keys(merged.definitions), Object.keys(own.definitions));
});

test('names that objects have anyway are names like others', async () => {
  const document: unknown = JSON.parse(`{"paths":{"${PREFIX}a":{"get":{"responses":{"200":{"description":"","schema":{"$ref":"#/definitions/__proto__"}}}}}},"definitions":{"__proto__":{"type":"object"}}}`);
  const { definitions } = await mergeOpenapi(own, [{ prefix: PREFIX, document }]);
  assert.ok(Object.hasOwn(definitions, '__proto__'));
});

test('extensions of a path are no operations', async () => {
  const item = { ...refersTo('x.Thing'), 'x-served-by': { team: 'a' }, 'x-note': 'text' };
  const { paths } = await mergeOpenapi(own, [sourceOf({ [`${PREFIX}things`]: item }, { 'x.Thing': { type: 'object' } })]);
  assert.deepEqual(paths[`${PREFIX}things`], item);
});

test('a server that says something which clients refuse the whole document for says nothing', async () => {
  const good = [`${PREFIX}goods`, refersTo('x.Good')] as const;
  const linkTo = (name: string): object => ({ properties: { link: { $ref: `#/definitions/${name}` } } });
  const said = { 'x.Good': { type: 'object' }, 'x.Broken': linkTo('x.Nothing') };
  for (const bad of ['text', [], refersTo('x.Nothing'), refersTo('x.Broken')]) {
    assert.equal(await mergeOpenapi(own, [sourceOf(Object.fromEntries([good, [`${PREFIX}bads`, bad]]), said)]), own, JSON.stringify(bad));
  }
  // What no path needs is not told, and what this server has is there for all.
  const meta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
  const { paths } = await mergeOpenapi(own, [sourceOf(Object.fromEntries([good, [`${PREFIX}metas`, refersTo(meta)]]), said)]);
  assert.deepEqual([paths[`${PREFIX}goods`], paths[`${PREFIX}metas`]], [refersTo('x.Good'), refersTo(meta)]);
});

/** Nearly what it should be: lists that are texts, parameters without names, answers that are null. */
const operations = fc.record(
  {
    consumes: fc.jsonValue({ maxDepth: 1 }),
    produces: fc.jsonValue({ maxDepth: 1 }),
    parameters: fc.oneof(fc.jsonValue(), fc.array(fc.record({ in: fc.constantFrom('body', 'query', 'header'), name: fc.jsonValue(), schema: fc.jsonValue() }, { requiredKeys: [] }))),
    responses: fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.record({ description: fc.jsonValue(), schema: fc.jsonValue() }, { requiredKeys: [] })))),
  },
  { requiredKeys: [] },
);

test('whatever a server says, what this one says stays, in every form', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.jsonValue(), fc.record({ get: operations })), fc.jsonValue(), async (item, schema) => {
      const merged = await mergeOpenapi(own, [sourceOf({ [`${PREFIX}a`]: item, '/api/v1/pods': item }, { a: schema }), { prefix: PREFIX, document: item }]);
      assert.equal(merged.paths['/api/v1/pods'], own.paths['/api/v1/pods']);
      for (const name of Object.keys(own.definitions)) assert.equal(merged.definitions[name], own.definitions[name]);
      const theirs = Object.entries(merged.paths).filter(([path]) => path.startsWith(PREFIX));
      await encodeOpenapiV2({ ...merged, paths: Object.fromEntries(theirs), definitions: {} });
      buildOpenapiV3(merged, theirs, new Map(Object.entries(merged.definitions)));
    }),
    { seed: 1, numRuns: 200 },
  );
});

test('a server says nothing about paths of others', async () => {
  const item = refersTo('x.Thing');
  const others = { '/api/v1/things': item, '/apis/other.example.com/v1/things': item, '/apis/g.example.com/v10/things': item };
  const { paths, definitions } = await mergeOpenapi(own, [sourceOf({ ...others, [`${PREFIX}things`]: refersTo('y.Thing') }, { 'x.Thing': {}, 'y.Thing': {} })]);
  assert.deepEqual(Object.keys(paths).filter((path) => !Object.hasOwn(own.paths, path)), [`${PREFIX}things`]);
  assert.deepEqual(Object.keys(definitions).filter((name) => !Object.hasOwn(own.definitions, name)), ['y.Thing']);
});
