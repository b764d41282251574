import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TableText } from './table-text.ts';

const COLUMNS = [{ name: 'Name', priority: 0 }, { name: 'Extra', priority: 1 }, { name: 'Age', priority: 0 }];
const table = (...rows: readonly (readonly unknown[])[]): unknown => ({
  columnDefinitions: COLUMNS,
  rows: rows.map((cells) => ({ cells, object: { metadata: { namespace: 'ns' } } })),
});

const PLAIN = { isWide: false, hasNamespaces: false, hasColour: false };

test('columns line up, and columns on demand stay away', () => {
  assert.equal(new TableText(PLAIN).format([table(['a', 'x', '5s'], ['longer', 'x', null])]), 'NAME     AGE\na        5s\nlonger   <none>\n');
});

test('wide shows every column, all namespaces show theirs', () => {
  assert.equal(new TableText({ ...PLAIN, isWide: true, hasNamespaces: true }).format([table(['a', 'x', 1])]), 'NAMESPACE   NAME   EXTRA   AGE\nns          a      x       1\n');
});

test('the header comes with the first rows and only then, in colour where there is one', () => {
  const text = new TableText({ ...PLAIN, hasColour: true });
  assert.equal(text.format([table()]), '');
  assert.equal(text.format([table(['a', 'x', '1s'])]), '\u001b[1mNAME   AGE\u001b[0m\na      1s\n');
  assert.equal(text.format([{ columnDefinitions: null, rows: [{ cells: ['b', 'x', '2s'] }] }]), 'b      2s\n');
});

test('cells cannot steer the terminal', () => {
  assert.equal(new TableText(PLAIN).format([table(['a\u001b[31m\nb', '', '1s'])]), 'NAME       AGE\na [31m b   1s\n');
});

test('columns line up where characters are two columns wide, or none', () => {
  const text = new TableText(PLAIN).format([table(['日本語', '', '1s'], ['e\u0301te\u0301', '', '2s'], ['👩‍👩‍👧', '', '3s'], ['plain', '', '4s'])]);
  assert.equal(text, 'NAME     AGE\n日本語   1s\ne\u0301te\u0301      2s\n👩‍👩‍👧       3s\nplain    4s\n');
});

test('cells cannot turn the order of what follows them', () => {
  assert.equal(new TableText(PLAIN).format([table(['a\u202eb', '', '1s'])]), 'NAME   AGE\na b    1s\n');
});

test('tables of hundreds of thousands of rows are laid out', () => {
  const rows = Array.from({ length: 200_000 }, (_, at) => ({ cells: [`row-${at}`] }));
  const lines = new TableText(PLAIN).format([{ columnDefinitions: [{ name: 'Name' }], rows }]).split('\n');
  assert.deepEqual([lines.length, lines[0], lines[200_000]], [200_002, 'NAME', 'row-199999']);
});
