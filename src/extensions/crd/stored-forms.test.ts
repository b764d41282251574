import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { createStructural, type SchemaProps } from '#schema';
import { renamingForms } from './stored-forms.ts';

const text: SchemaProps = { type: 'string' };
const declared = (properties: Readonly<Record<string, SchemaProps>>): (() => ReturnType<typeof createStructural>) => {
  const schema = createStructural({ type: 'object', properties });
  return () => schema;
};
const SCHEMAS = new Map([
  ['e.com/v1', declared({ a: text, b: text, null: { ...text, nullable: true }, filled: { ...text, default: 'd' } })],
  ['e.com/v2', declared({ a: text, more: { ...text, default: 'm' } })],
]);
const object = (apiVersion: string, members: object): ApiObject => ({ apiVersion, kind: 'Foo', metadata: { name: 'x' }, ...members }) as unknown as ApiObject;
const [first, second] = [renamingForms(SCHEMAS, 'e.com/v1', 'e.com/v1'), renamingForms(SCHEMAS, 'e.com/v2', 'e.com/v1')];

test('what is stored is shown as its schema has it now, and is the same object where that changes nothing', async () => {
  const fitting = object('e.com/v1', { a: 'x', null: null, filled: 'y' });
  const [same, changed] = await first.load([fitting, object('e.com/v1', { a: null, b: 'x', null: null, unknown: 1 })]);
  assert.equal(same, fitting);
  assert.deepEqual(changed, object('e.com/v1', { b: 'x', null: null, filled: 'd' }));
});

test('in another version it has the fields of both, and only its own defaults', async () => {
  assert.deepEqual(await second.load([object('e.com/v1', { a: 'x', b: 'y' })]), [object('e.com/v2', { a: 'x' })]);
  assert.deepEqual(await second.save(object('e.com/v2', { a: 'x', more: 'y' })), object('e.com/v1', { a: 'x' }));
  assert.deepEqual(await first.save(object('e.com/v1', { a: 'x' })), object('e.com/v1', { a: 'x' }));
});

test('what is stored in a version that is declared no more cannot be shown', () => {
  assert.throws(() => first.load([object('e.com/v0', {})]), { message: 'request to convert CR from an invalid group/version: e.com/v0' });
});
