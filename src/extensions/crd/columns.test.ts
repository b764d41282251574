import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { columnsOf } from './columns.ts';
import type { DefinitionVersion } from './definition.ts';

const VERSION = { name: 'v1', served: true, storage: true } as DefinitionVersion;
const cellsOf = (value: unknown, ...types: readonly string[]): readonly unknown[] =>
  columnsOf({ ...VERSION, additionalPrinterColumns: types.map((type) => ({ name: type, type, jsonPath: '.value' })) }).map(({ cell }) =>
    cell({ kind: 'Foo', apiVersion: 'a/v1', metadata: {}, value } as unknown as ApiObject, Date.parse('2024-01-02T00:00:10Z')),
  );

test('texts show every value as Go prints it, and what has parts as JSON in the order of names', () => {
  const shown = [1, 1.5e-7, 2_000_000.5, true, null, { b: '<&>', a: [1, { d: 1, c: 2 }] }, ['x']].map((value) => cellsOf(value, 'string')[0]);
  assert.deepEqual(shown, ['1', '1.5e-07', '2.0000005e+06', 'true', '<no value>', '{"a":[1,{"c":2,"d":1}],"b":"\\u003c\\u0026\\u003e"}', '["x"]']);
});

test('numbers keep their digits; what does not fit is not shown', () => {
  assert.deepEqual(cellsOf(9_007_199_254_740_993n, 'integer', 'number', 'boolean', 'date'), [9_007_199_254_740_993n, 9_007_199_254_740_992, null, null]);
  assert.deepEqual(cellsOf(1.9, 'integer', 'number'), [1, 1.9]);
  assert.deepEqual(cellsOf(true, 'boolean', 'integer', 'number'), [true, null, null]);
  assert.deepEqual(cellsOf(undefined, 'string', 'integer'), [null, null]);
});

test('dates are times with a zone, and nothing else', () => {
  const rows: readonly (readonly [value: string, shown: string])[] = [
    ['2024-01-02T00:00:00Z', '10s'],
    ['2024-01-02T01:00:00.5+01:00', '9s'],
    ['2024-01-01T23:59:59,5Z', '10s'],
    ['2024-01-02T0:00:00Z', '10s'],
    ['2024-01-02T00:00:12Z', '<invalid>'],
    ['', '<unknown>'],
    ['null', '<unknown>'],
    ['0001-01-01T00:00:00Z', '<unknown>'],
    ['2024-01-02', '<invalid>'],
    ['2024-13-01T00:00:00Z', '<invalid>'],
    ['2023-02-29T00:00:00Z', '<invalid>'],
    ['2024-01-01T24:00:00Z', '<invalid>'],
    ['x', '<invalid>'],
  ];
  for (const [value, shown] of rows) assert.deepEqual(cellsOf(value, 'date'), [shown], value);
});

test('a column is told with what its definition says of it, and with its path where it says nothing', () => {
  const declared = { name: 'A', type: 'integer', format: 'int32', description: 'how many', priority: 1, jsonPath: '.a' };
  const bare = { name: 'B', type: 'string', jsonPath: '.b' };
  const told = columnsOf({ ...VERSION, additionalPrinterColumns: [declared, bare, { ...bare, description: '' }] }).map(({ cell: _, ...words }) => words);
  const { jsonPath: _, ...words } = declared;
  const unsaid = { name: 'B', type: 'string', description: 'Custom resource definition column (in JSONPath format): .b' };
  assert.deepEqual(told, [words, unsaid, unsaid]);
});

test('from the first column on whose path says nothing there are none', () => {
  const column = (name: string, jsonPath: string): object => ({ name, type: 'string', jsonPath });
  const additionalPrinterColumns = [column('A', '.a'), column('B', '.b["c"]'), column('C', '.c')] as NonNullable<DefinitionVersion['additionalPrinterColumns']>;
  assert.deepEqual(columnsOf({ ...VERSION, additionalPrinterColumns }).map(({ name }) => name), ['A']);
  for (const none of [{}, { additionalPrinterColumns: [] }]) assert.deepEqual(columnsOf({ ...VERSION, ...none }).map(({ name }) => name), ['Age']);
});
