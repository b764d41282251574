import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FieldErrors } from './field-errors.ts';
import { GoValue } from './go-value.ts';

test('faults that each show a long value are told up to a bound', () => {
  const at = new FieldErrors();
  const long = 'x'.repeat(100_000);
  for (let position = 0; position < 100_000; position++) at.child('list').index(position).invalid(long, 'is too long');
  assert.ok(at.causes.length > 0 && at.causes.length < 20, `${at.causes.length} causes`);
});

test('of a value that is longer than any request only the beginning is shown, and still what is wrong with it', () => {
  const at = new FieldErrors('spec');
  at.invalid(new GoValue(`[]string{${'x'.repeat(5_000_000)}}`), 'is too long');
  const [{ message = '' } = {}] = at.causes;
  assert.match(message, /^Invalid value: \[\]string\{x+\.\.\.: is too long$/);
  assert.ok(message.length < 1_100_000, `${message.length} characters`);
});

test('paths count: a long key may stand above many faults', () => {
  const at = new FieldErrors().key('x'.repeat(100_000));
  for (let position = 0; position < 100_000; position++) at.index(position).required();
  assert.ok(at.causes.length < 20, `${at.causes.length} causes`);
});

test('a thousand faults are told one by one', () => {
  const at = new FieldErrors('spec');
  for (let position = 0; position < 1_000; position++) at.index(position).required();
  assert.equal(at.causes.length, 1_000);
  assert.equal(at.causes.at(-1)?.field, 'spec[999]');
});

test('the text of a value is made for faults that are told, and once', () => {
  const at = new FieldErrors();
  let made = 0;
  const list = new GoValue(() => (made++, 'x'.repeat(10_000)));
  for (let position = 0; position < 1_000; position++) at.index(position).invalid(list, 'stands in a bad list');
  assert.deepEqual([made, at.isFull], [1, true]);
  for (let position = 0; position < 1_000; position++) at.invalid(new GoValue(() => (made++, '')), 'comes too late');
  assert.equal(made, 1);
  assert.equal(new FieldErrors().isFull, false);
});

test('each error in one text has its path, or the sign that there is none', () => {
  const at = new FieldErrors();
  at.forbidden('no');
  at.child('spec').index(1).key('k').required('why');
  assert.deepEqual(at.texts, ['<nil>: Forbidden: no', 'spec[1][k]: Required value: why']);
});
