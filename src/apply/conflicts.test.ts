import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conflictError } from './conflicts.ts';
import { fieldElement } from './fieldpath/element.ts';
import { EMPTY_SET, setOf } from './fieldpath/set.ts';
import { identityOf, type Entry } from './managed-fields.ts';

test('a long key above many fields in conflict does not stand in the message for each', () => {
  const long = 'k'.repeat(100_000);
  const paths = Array.from({ length: 10_000 }, (_, at) => ['map', long, `f${at}`].map(fieldElement));
  const { message, details } = conflictError(new Map([['one', setOf(...paths)]]), new Map());
  assert.ok(message.length < 2_000_000, String(message.length));
  assert.ok((details?.causes ?? []).length < 20);
});

test('of one name, who applied comes before who updated, and a part of an object before the whole', () => {
  const entry = (operation: 'Apply' | 'Update', apiVersion: string, subresource = ''): Entry => ({ manager: 'ann', operation, apiVersion, subresource, time: '', fields: EMPTY_SET });
  const entries = [entry('Update', 'v2'), entry('Update', 'v1', 'scale'), entry('Update', 'v1'), entry('Apply', 'v3'), entry('Apply', 'v1', 'scale')];
  const managed = new Map(entries.map((one) => [identityOf(one), one]));
  const field = setOf([fieldElement('a')]);
  const { details } = conflictError(new Map([...managed.keys()].map((id) => [id, field])), managed);
  assert.deepEqual(
    details?.causes?.map(({ message }) => message),
    ['with subresource "scale"', '', 'with subresource "scale" using v1', 'using v1', 'using v2'].map((how) => `conflict with "ann" ${how}`.trim()),
  );
});
