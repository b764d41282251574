import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineKind } from '#api';
import { t } from '#schema';
import { writeFieldsV1 } from './fieldpath/serialize.ts';
import { resetFieldsOf } from './reset-fields.ts';

class Body extends t.message('Body', { spec: t.string(1), status: t.string(2), data: t.string(3) }) {}

const kind = defineKind(Body, {
  group: '',
  kind: 'Thing',
  plural: 'things',
  scope: 'Namespaced',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  subresources: { status: { verbs: ['update'], writes: ['status'], unowned: ['metadata.labels'] }, scale: { verbs: ['update'] } },
});

test('nobody owns through one path what only another path can write', () => {
  assert.deepEqual(writeFieldsV1(resetFieldsOf(kind, '')), { 'f:status': {} });
  assert.deepEqual(writeFieldsV1(resetFieldsOf(kind, 'status')), { 'f:data': {}, 'f:metadata': { 'f:labels': {} }, 'f:spec': {} });
  assert.deepEqual(writeFieldsV1(resetFieldsOf(kind, 'scale')), {});
});
