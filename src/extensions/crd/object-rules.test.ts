import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { FieldErrors } from '#errors';
import { createStructural, type SchemaProps } from '#schema';
import { createRules } from './object-rules.ts';

const SCHEMA: SchemaProps = { type: 'object', required: ['status'], properties: { status: { type: 'object', properties: { n: { type: 'integer' } }, default: { n: 'x' } } } };
const SCALE = { specReplicasPath: '.spec.n', statusReplicasPath: '.status.n' };

/** The causes told of an object, which is new where there is no live one. */
function causes(hasStatus: boolean, sent: object, live?: object): readonly string[] {
  const { prepare, validate } = createRules({ structural: () => createStructural(SCHEMA) }, hasStatus, SCALE);
  const at = new FieldErrors();
  const next = { metadata: { name: 'x' }, ...sent } as ApiObject;
  const about = { subresource: '' } as Parameters<typeof validate>[3];
  prepare(next, live as ApiObject | undefined, about);
  validate(next, live as ApiObject | undefined, at, about);
  return at.causes.map(({ reason, field }) => `${reason?.replace('FieldValue', '') ?? ''} ${field ?? ''}`);
}

test('a new object is judged without a status where that is written on its own, and not with the default of one', () => {
  assert.deepEqual(causes(true, {}), ['Required status']);
  assert.deepEqual(causes(false, { status: { n: 'x' } }), ['Invalid status.n', 'Invalid .status.n']);
  assert.deepEqual(causes(true, { status: { n: 'x' } }, { metadata: { name: 'x' } }), ['Invalid status.n', 'Invalid .status.n']);
});
