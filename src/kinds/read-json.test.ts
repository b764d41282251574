import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memberInAnyCase, readJson } from './read-json.ts';

test('what a text should hold is told as Go tells it', () => {
  assert.deepEqual(readJson('{"a":1}', 'object', 'map[string]int'), { value: { a: 1 } });
  for (const form of ['array', 'object'] as const) assert.deepEqual(readJson('null', form, 'T'), { value: null });
  assert.deepEqual(readJson('[]', 'object', 'T'), { fault: 'json: cannot unmarshal array into Go value of type T' });
  assert.deepEqual(readJson('"a"', 'array', '[]T'), { fault: 'json: cannot unmarshal string into Go value of type []T' });
  assert.deepEqual(readJson('', 'object', 'T'), { fault: 'unexpected end of JSON input' });
});

test('a member is found by its own name before one that differs in capitals, and nothing else is one', () => {
  assert.equal(memberInAnyCase({ AUTHS: 1, auths: 2 }, 'auths'), 2);
  assert.equal(memberInAnyCase({ other: 0, Auths: 1, AUTHS: 2 }, 'auths'), 1);
  for (const value of [{ other: 1 }, [], 'auths', null, undefined]) assert.equal(memberInAnyCase(value, 'auths'), undefined);
  assert.equal(memberInAnyCase({}, 'toString'), undefined);
  assert.equal(memberInAnyCase({}, '__proto__'), undefined);
});
