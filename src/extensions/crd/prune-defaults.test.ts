import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createStructural, fillDefaults, type SchemaProps } from '#schema';
import { pruneDefaults } from './prune-defaults.ts';

const KNOWN: SchemaProps = { type: 'object', properties: { a: { type: 'string' } } };
const FREE: SchemaProps = { ...KNOWN, 'x-kubernetes-preserve-unknown-fields': true };
const fallback = { a: 'x', b: 'y' };

/** What such a schema makes of an object. */
function completed(properties: Readonly<Record<string, SchemaProps>>, object: object = {}): object {
  fillDefaults(pruneDefaults(createStructural({ type: 'object', properties })), object);
  return object;
}

test('defaults bring nothing that their schema does not know, wherever it has them', () => {
  assert.deepEqual(completed({ own: { ...KNOWN, default: fallback } }), { own: { a: 'x' } });
  assert.deepEqual(completed({ outer: { type: 'object', properties: { inner: { ...KNOWN, default: fallback } }, default: { inner: { b: 'z' }, c: 1 } } }), { outer: { inner: {} } });
  assert.deepEqual(completed({ list: { type: 'array', items: { ...KNOWN, default: fallback } }, map: { type: 'object', additionalProperties: { ...KNOWN, default: fallback } } }, { list: [null], map: { k: null } }), {
    list: [{ a: 'x' }],
    map: { k: { a: 'x' } },
  });
});

test('defaults bring what their schema keeps', () => {
  assert.deepEqual(completed({ free: { ...FREE, default: fallback }, text: { type: 'string', default: 'x' }, nothing: KNOWN }), { free: fallback, text: 'x' });
});

test('defaults of the metadata of an object inside an object bring what all metadata may have, whatever the schema says of it', () => {
  const labels: SchemaProps = { type: 'object', default: { app: 'x' } };
  const whole: SchemaProps = { type: 'object', default: { name: 'x', annotations: { a: 'y' } } };
  const withMetadata = (metadata: SchemaProps): SchemaProps => ({ type: 'object', 'x-kubernetes-embedded-resource': true, properties: { metadata } });
  assert.deepEqual(completed({ a: withMetadata(whole), b: withMetadata({ type: 'object', properties: { labels } }) }, { a: {}, b: { metadata: {} } }), {
    a: { metadata: { name: 'x', annotations: { a: 'y' } } },
    b: { metadata: { labels: { app: 'x' } } },
  });
});
