import assert from 'node:assert/strict';
import { test } from 'node:test';
import { t } from './dsl.ts';

test('two members of a message cannot have one number of protobuf; those that it does not have share 0', () => {
  assert.throws(() => t.message('example/v1.Recipe', { servings: t.int32(1), steps: t.strings(2), time: t.string(1) }), { message: 'example/v1.Recipe: servings and time have the same number, 1' });
  assert.doesNotThrow(() => t.message('example/v1.Recipe', { kind: t.string(0), apiVersion: t.string(0), steps: t.strings(1) }));
});
