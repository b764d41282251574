import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStructural, type SchemaProps } from '#schema';
import { normalizeEmbedded, repairEmbedded } from './embedded-resource.ts';

const open: SchemaProps = { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true };
const inner: SchemaProps = { ...open, properties: { deep: open } };
const SCHEMA = createStructural({
  type: 'object',
  properties: { one: inner, list: { type: 'array', items: inner }, map: { type: 'object', additionalProperties: inner }, plain: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
});

/** The same object at every place where one may be, as `change` leaves it. */
function everywhere(change: typeof repairEmbedded, head: object): readonly unknown[] {
  const fresh = (): object => structuredClone({ ...head, x: 1 });
  const value = { one: { ...fresh(), deep: fresh() }, list: [fresh(), fresh()], map: { k: fresh() }, plain: fresh() };
  change(SCHEMA, value);
  const { deep, ...one } = value.one;
  assert.deepEqual(value.plain, fresh(), 'what is no object of the API is not touched');
  return [one, deep, ...value.list, value.map.k];
}

const same = (head: object): readonly object[] => Array.from({ length: 5 }, () => ({ ...head, x: 1 }));
const HEAD = { apiVersion: 'v1', kind: 'X' };

test('objects inside an object keep of their metadata what metadata has, wherever they are', () => {
  const metadata = { name: 'n', labels: { a: 'b' }, unknown: 1 };
  assert.deepEqual(everywhere(normalizeEmbedded, { ...HEAD, metadata }), same({ ...HEAD, metadata: { name: 'n', labels: { a: 'b' } } }));
  const created = { creationTimestamp: '2024-01-02T03:04:05Z' };
  assert.deepEqual(everywhere(normalizeEmbedded, { ...HEAD, metadata: created }), same({ ...HEAD, metadata: created }));
  assert.deepEqual(everywhere(normalizeEmbedded, { ...HEAD, metadata: { creationTimestamp: null } }), same({ ...HEAD, metadata: {} }));
  assert.deepEqual(everywhere(normalizeEmbedded, {}), same({}));
});

test('what was stored of them is left without what is malformed, wherever they are', () => {
  const stored = { apiVersion: 1, kind: 'X', metadata: { name: 'n', labels: { a: 5 }, unknown: 1 } };
  assert.deepEqual(everywhere(repairEmbedded, stored), same({ kind: 'X', metadata: { name: 'n' } }));
  assert.deepEqual(everywhere(repairEmbedded, { ...HEAD, metadata: 'none' }), same({ ...HEAD, metadata: 'none' }));
});

test('malformed heads are refused with the place where they are', () => {
  const rows: readonly (readonly [value: object, path: string])[] = [
    [{ one: { kind: 5 } }, 'one.kind'],
    [{ one: { deep: { apiVersion: null } } }, 'one.deep.apiVersion'],
    [{ list: [HEAD, { metadata: { labels: 5 } }] }, 'list[1].metadata'],
    [{ map: { 'k.l': { metadata: [] } } }, 'map[k.l].metadata'],
  ];
  for (const [value, path] of rows) assert.throws(() => normalizeEmbedded(SCHEMA, value), { path }, path);
});
