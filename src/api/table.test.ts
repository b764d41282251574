import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '#errors';
import { t } from '#schema';
import { formatAge, formatDuration } from './age.ts';
import { brandOf } from './brand.ts';
import { defineKind, type Column, type KindDefinition } from './kind.ts';
import type { ApiObject } from './object.ts';
import { columnsOf, parseIncludeObject, toTable, type TableRequest } from './table.ts';

class Body extends t.message('test/v1.Thing', {}) {}

const cell = (): string => 'x';

const thing = (columns?: readonly Column[]): KindDefinition =>
  defineKind(Body, {
    group: 'test',
    kind: 'Thing',
    plural: 'things',
    scope: 'Namespaced',
    versions: { v1: { schema: Body } },
    storage: 'v1',
    ...(columns === undefined ? {} : { columns }),
  });

const now = Date.parse('2020-01-01T00:05:00Z');
const object: ApiObject = {
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name: 'a', namespace: 'n', creationTimestamp: '2020-01-01T00:00:00Z' },
};
const source = { stored: object, served: () => ({ ...object, apiVersion: 'v2' }) };
const request = (kind: KindDefinition, more: Partial<TableRequest> = {}): TableRequest => ({
  kind,
  brand: brandOf('orch'),
  version: 'v1',
  includeObject: 'Metadata',
  metadata: { resourceVersion: '7' },
  nowMs: now,
  ...more,
});

const names = (kind: KindDefinition): readonly string[] => columnsOf(kind).map((column) => column.name);

test('R2.5-07 R2.5-08 R2.5-09 a kind without columns has its name and creation time', () => {
  const table = toTable(request(thing()), [source]);
  assert.deepEqual(
    table.columnDefinitions?.map(({ name, type, format, priority }) => ({ name, type, format, priority })),
    [
      { name: 'Name', type: 'string', format: 'name', priority: 0 },
      { name: 'Created At', type: 'date', format: '', priority: 0 },
    ],
  );
  assert.deepEqual(table.rows?.[0]?.cells, ['a', '2020-01-01T00:00:00Z']);
});

test('R2.5-05 R2.5-06 R2.5-12 own columns stand between name and age, those on demand after it', () => {
  const own: readonly Column[] = [
    { name: 'Ready', type: 'string', cell },
    { name: 'Images', type: 'string', priority: 1, cell },
  ];
  assert.deepEqual(names(thing(own)), ['Name', 'Ready', 'Age', 'Images']);
  assert.deepEqual(
    names(
      thing([
        { name: 'Age', type: 'string', cell },
        { name: 'Version', type: 'string', cell },
      ]),
    ),
    ['Name', 'Age', 'Version'],
  );
  assert.deepEqual(
    names(
      thing([
        { name: 'Last Seen', type: 'string', cell },
        { name: 'Name', type: 'string', priority: 1, cell },
      ]),
    ),
    ['Last Seen', 'Name'],
  );
  assert.deepEqual(toTable(request(thing(own)), [source]).rows?.[0]?.cells, ['a', 'x', '5m', 'x']);
});

test('R2.5-01 R2.5-02 R2.5-03 R2.5-04 kind and version of a Table in both dialects', () => {
  const kind = thing();
  const { kind: name, apiVersion, metadata } = toTable(request(kind), []);
  assert.deepEqual([name, apiVersion, metadata], ['Table', 'meta.orch.io/v1', { resourceVersion: '7' }]);
  assert.equal(toTable(request(kind, { version: 'v1beta1' }), []).apiVersion, 'meta.orch.io/v1beta1');
  assert.equal(toTable(request(kind, { brand: brandOf('kubernetes') }), []).apiVersion, 'meta.k8s.io/v1');
});

test('R2.5-12 what stands beside the cells', () => {
  const objectOf = (more: Partial<TableRequest>): unknown => toTable(request(thing(), more), [source]).rows?.[0]?.object;
  assert.deepEqual(objectOf({}), { kind: 'PartialObjectMetadata', apiVersion: 'meta.orch.io/v1', metadata: object.metadata });
  assert.equal(objectOf({ includeObject: 'None' }), null);
  assert.deepEqual(objectOf({ includeObject: 'Object' }), { ...object, apiVersion: 'v2' });
  assert.equal(parseIncludeObject(''), 'Metadata');
  assert.equal(parseIncludeObject('None'), 'None');
  assert.throws(() => parseIncludeObject('none'), ApiError);
});

test('later events of a watch leave the columns out', () => {
  assert.equal(toTable(request(thing(), { withoutColumns: true }), [source]).columnDefinitions, null);
});

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const durations: readonly (readonly [ms: number, text: string])[] = [
  [-5 * second, '<invalid>'],
  [-1500, '0s'],
  [0, '0s'],
  [5.9 * second, '5s'],
  [119 * second, '119s'],
  [2 * minute, '2m'],
  [3 * minute + 2 * second, '3m2s'],
  [10 * minute + 5 * second, '10m'],
  [179 * minute, '179m'],
  [3 * hour, '3h'],
  [4 * hour + minute, '4h1m'],
  [8 * hour + minute, '8h'],
  [47 * hour, '47h'],
  [2 * day, '2d'],
  [2 * day + 3 * hour, '2d3h'],
  [8 * day + hour, '8d'],
  [729 * day, '729d'],
  [730 * day, '2y'],
  [731 * day, '2y1d'],
  [8 * 365 * day + day, '8y'],
];

test('R2.5-12 ages', () => {
  for (const [ms, text] of durations) assert.equal(formatDuration(ms), text);
  assert.equal(formatAge(undefined, now), '<unknown>');
  assert.equal(formatAge(null, now), '<unknown>');
  assert.equal(formatAge('2020-01-01T00:00:00Z', now), '5m');
});
