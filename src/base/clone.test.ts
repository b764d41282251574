import { test } from 'node:test';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cloneJson } from './clone.ts';

test('a copy equals what it was made from and shares nothing with it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(cloneJson(value), structuredClone(value));
    }),
  );
  const value = { list: [{ a: 1 }], nested: { b: 9007199254740993n } };
  const copy = cloneJson(value);
  assert.notEqual(copy.list, value.list);
  assert.notEqual(copy.list[0], value.list[0]);
  assert.notEqual(copy.nested, value.nested);
  assert.deepEqual(copy, value);
});

test('names that mean something to JavaScript are ordinary members', () => {
  const value = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"a":1},"toString":"x"}') as object;
  const copy = cloneJson(value);
  assert.equal(JSON.stringify(copy), JSON.stringify(value));
  assert.equal(Object.getPrototypeOf(copy), Object.prototype);
  assert.equal(Reflect.get(copy, 'polluted'), undefined);
});
