import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { FieldErrors } from '#errors';
import { createStructural, type SchemaProps } from '#schema';
import { createRules } from './object-rules.ts';

const SCHEMA: SchemaProps = { type: 'object', required: ['status'], properties: { status: { type: 'object', properties: { n: { type: 'integer' } }, default: { n: 'x' } } } };
const SCALE = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n', labelSelectorPath: '.status.sel' };

/** The causes told of an object, which is new where there is no live one. */
function causes(hasStatus: boolean, sent: object, live?: object, subresource = '', schema = SCHEMA): readonly string[] {
  const { prepare, validate } = createRules({ structural: () => createStructural(schema) }, hasStatus, SCALE);
  const at = new FieldErrors();
  const next = { metadata: { name: 'x' }, ...sent } as ApiObject;
  const about = { subresource } as Parameters<typeof validate>[3];
  prepare(next, live as ApiObject | undefined, about);
  validate(next, live as ApiObject | undefined, at, about);
  return at.causes.map(({ reason, field }) => `${reason?.replace('FieldValue', '') ?? ''} ${field ?? ''}`);
}

test('a new object is judged without a status where that is written on its own, and not with the default of one', () => {
  assert.deepEqual(causes(true, {}), ['Required status']);
  assert.deepEqual(causes(false, { status: { n: 'x' } }), ['Invalid status.n', 'Invalid .status.n']);
  assert.deepEqual(causes(true, { status: { n: 'x' } }, { metadata: { name: 'x' } }), ['Invalid status.n', 'Invalid .status.n']);
});

test('a new object gets its defaults anew where it lost the status, which may have one', () => {
  const made = (hasStatus: boolean): unknown => {
    const next = { metadata: { name: 'x' } } as unknown as ApiObject;
    createRules({ structural: () => createStructural(SCHEMA) }, hasStatus, undefined).prepare(next, undefined, { subresource: '' } as Parameters<ReturnType<typeof createRules>['prepare']>[2]);
    return next;
  };
  assert.deepEqual([made(true), made(false)], [{ metadata: { name: 'x' }, status: { n: 'x' } }, { metadata: { name: 'x' } }]);
});

test('replicas are whole numbers that fit and selectors are texts, whatever the schema says', () => {
  const rows: readonly (readonly [sent: object, found: readonly string[]])[] = [
    [{ spec: { n: 0 }, status: { n: 2 ** 31 - 1, sel: 'a=b' } }, []],
    [{ spec: null, status: {} }, []],
    [{ spec: { n: null }, status: {} }, ['Invalid .spec.n']],
    [{ spec: { n: -1 }, status: { n: 2 ** 31 } }, ['Invalid .spec.n', 'Invalid .status.n']],
    [{ spec: { n: 1.5 }, status: { sel: 1 } }, ['Invalid .spec.n', 'Invalid .status.sel']],
    [{ spec: 'x', status: {} }, ['Invalid .spec.n']],
  ];
  for (const [sent, found] of rows) assert.deepEqual(causes(false, sent), found, JSON.stringify(sent));
  const live = { metadata: { name: 'x' } };
  assert.deepEqual(causes(true, { spec: { n: -1 }, status: { n: -1 } }, live, 'status'), ['Invalid .status.n'], 'who writes the status answers for no more');
});

test('objects inside an object say what they are, and have metadata that any object may have', () => {
  const inner: SchemaProps = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
  const schema: SchemaProps = { type: 'object', properties: { one: inner, list: { type: 'array', items: inner }, map: { type: 'object', additionalProperties: inner } } };
  const good = { apiVersion: 'a.com/v1', kind: 'Inner', metadata: { name: 'x', labels: { a: 'b' } } };
  const rows: readonly (readonly [sent: object, found: readonly string[]])[] = [
    [{ one: good, list: [good], map: { k: { apiVersion: 'v1', kind: 'Inner' } } }, []],
    [{ one: { ...good, metadata: { finalizers: ['plain'] } } }, []],
    [{ one: {} }, ['Required one.apiVersion', 'Required one.kind']],
    [{ one: { apiVersion: '', kind: 5 } }, ['Invalid one.apiVersion', 'Invalid one.kind']],
    [{ list: [good, { ...good, apiVersion: 'a/b/c' }], map: { 'k.l': { ...good, kind: 'In_ner' } } }, ['Invalid list[1].apiVersion', 'Invalid map[k.l].kind']],
    [{ one: { ...good, metadata: { name: 'a/b', namespace: 'No', labels: { a: '?' } } } }, ['Invalid one.metadata.name', 'Invalid one.metadata.namespace', 'Invalid one.metadata.labels']],
  ];
  for (const [sent, found] of rows) assert.deepEqual(causes(false, sent, undefined, '', schema), found, JSON.stringify(sent));
});

test('items that were there twice may stay so, and who writes the status is not asked about them', () => {
  const schema: SchemaProps = { type: 'object', properties: { set: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' } } };
  const [once, twice] = [{ metadata: { name: 'x' }, set: ['a'] }, { metadata: { name: 'x' }, set: ['a', 'a'] }];
  const found = (live: object | undefined, subresource = ''): readonly string[] => causes(true, twice, live, subresource, schema);
  assert.deepEqual([found(undefined), found(once), found(twice), found(once, 'status')], [['Duplicate set[1]'], ['Duplicate set[1]'], [], []]);
});

test('who writes the status changes no metadata, but who owns what', () => {
  const live = { metadata: { name: 'x', generation: 4, labels: { a: 'b' }, managedFields: [{ manager: 'before' }] }, status: { n: 1 } };
  const { prepare } = createRules({ structural: () => createStructural(SCHEMA) }, true, undefined);
  const kept = (change: object, subresource: string): unknown => {
    const next = { metadata: { name: 'x', generation: 4, labels: { c: 'd' }, ...change }, status: { n: 2 } } as unknown as ApiObject;
    prepare(next, live as unknown as ApiObject, { subresource } as Parameters<typeof prepare>[2]);
    return next.metadata;
  };
  const [owners, { managedFields: _, ...unowned }] = [{ managedFields: [{ manager: 'now' }] }, live.metadata];
  assert.deepEqual([kept(owners, 'status'), kept({}, 'status')], [{ ...unowned, ...owners }, unowned]);
  assert.deepEqual(kept(owners, ''), { name: 'x', generation: 4, labels: { c: 'd' }, ...owners });
});

test('the generation counts changes of whatever is no metadata, and of the status only where that is no part of its own', () => {
  const live = { metadata: { name: 'x', generation: 4 }, spec: { n: 1 }, status: { n: 1 }, more: null };
  const generation = (hasStatus: boolean, change: object): unknown => {
    const members = Object.entries({ ...structuredClone(live), ...change }).filter(([, member]) => member !== undefined);
    const next = Object.fromEntries(members) as unknown as ApiObject;
    createRules({ structural: () => createStructural(SCHEMA) }, hasStatus, undefined).prepare(next, live as unknown as ApiObject, { subresource: '' } as Parameters<ReturnType<typeof createRules>['prepare']>[2]);
    return next.metadata.generation;
  };
  const rows: readonly (readonly [change: object, withStatus: number, without: number])[] = [
    [{}, 4, 4],
    [{ metadata: { name: 'x', generation: 4, labels: { a: 'b' } } }, 4, 4],
    [{ spec: { n: 2 } }, 5, 5],
    [{ spec: undefined }, 5, 5],
    [{ constructor: 'x' }, 5, 5],
    [{ status: { n: 2 } }, 4, 5],
  ];
  for (const [change, withStatus, without] of rows) assert.deepEqual([generation(true, change), generation(false, change)], [withStatus, without], JSON.stringify(change));
});
