import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellsOf, write } from '../test-support.ts';
import { ConfigMap, type ConfigMap as One } from './config-map.ts';
import { MAX_DATA_BYTES } from './data-rules.ts';

const cases: readonly { readonly title: string; readonly body: object; readonly causes: readonly string[] }[] = [
  { title: 'keys', body: { data: { a: '1', 'b.c-d_e': '2' }, binaryData: { bin: 'AAEC' } }, causes: [] },
  { title: 'bad keys', body: { data: { 'a b': '' }, binaryData: { '..x': '' } }, causes: ['Invalid data[a b]', 'Invalid binaryData[..x]'] },
  { title: 'a key of both maps', body: { data: { a: '' }, binaryData: { a: '' } }, causes: ['Invalid data[a]'] },
  { title: 'a key called constructor', body: { data: { constructor: '1' } }, causes: [] },
  { title: 'just small enough', body: { data: { a: 'é'.repeat(MAX_DATA_BYTES / 2) } }, causes: [] },
  { title: 'too big in text', body: { data: { a: 'é'.repeat(MAX_DATA_BYTES / 2), b: '1' } }, causes: ['TooLong []'] },
  { title: 'too big in bytes', body: { data: { a: 'x'.repeat(MAX_DATA_BYTES - 2) }, binaryData: { b: 'AAEC' } }, causes: ['TooLong []'] },
];

for (const { title, body, causes } of cases) {
  test(`ConfigMap: ${title}`, () => assert.deepEqual(write(ConfigMap, { body }).causes, causes));
}

test('ConfigMap: that a key is in both maps is told with what else is wrong with it', () => {
  const { messages } = write(ConfigMap, { body: { data: { 'a b': '' }, binaryData: { 'a b': '' } } });
  assert.deepEqual([messages.length, messages.findIndex((text) => text.endsWith('duplicate of key present in binaryData'))], [3, 1]);
});

test('ConfigMap: bytes given as null are empty bytes', () => {
  const { object, causes } = write(ConfigMap, { body: { data: { a: null }, binaryData: { b: null } } });
  assert.deepEqual([causes, (object as One).data, (object as One).binaryData], [[], { a: '' }, { b: '' }]);
});

test('ConfigMap: once immutable, data and the mark itself stay', () => {
  const live = write(ConfigMap, { body: { data: { a: '1', b: '2' }, immutable: true } }).object;
  const causes = (body: object): readonly string[] => write(ConfigMap, { body, live }).causes;
  assert.deepEqual(causes({ data: { b: '2', a: '1' }, immutable: true, metadata: { labels: { x: 'y' } } }), []);
  assert.deepEqual(causes({ data: { a: '1' }, immutable: true }), ['Forbidden data']);
  assert.deepEqual(causes({ data: { a: '1', b: '3' }, immutable: true }), ['Forbidden data']);
  assert.deepEqual(causes({ data: { a: '1', b: '2' }, binaryData: { c: '' }, immutable: true }), ['Forbidden binaryData']);
  assert.deepEqual(causes({ data: { a: '1', b: '2' }, immutable: false }), ['Forbidden immutable']);
  assert.deepEqual(causes({ data: { a: '1', b: '2' } }), ['Forbidden immutable']);
  assert.deepEqual(causes({ data: { 'a b': '1' }, immutable: true }), ['Forbidden data', 'Invalid data[a b]']);
});

test('R2.5-12 ConfigMap: the column counts both maps', () => {
  assert.deepEqual(cellsOf(ConfigMap, write(ConfigMap, { body: { data: { a: '' }, binaryData: { b: '' } } }).object), [2]);
  assert.deepEqual(cellsOf(ConfigMap, write(ConfigMap, { body: {} }).object), [0]);
});
