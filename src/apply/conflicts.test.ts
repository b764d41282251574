import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conflictError } from './conflicts.ts';
import { fieldElement } from './fieldpath/element.ts';
import { setOf } from './fieldpath/set.ts';

test('a long key above many fields in conflict does not stand in the message for each', () => {
  const long = 'k'.repeat(100_000);
  const paths = Array.from({ length: 10_000 }, (_, at) => ['map', long, `f${at}`].map(fieldElement));
  const { message, details } = conflictError(new Map([['one', setOf(...paths)]]), new Map());
  assert.ok(message.length < 2_000_000, String(message.length));
  assert.ok((details?.causes ?? []).length < 20);
});
