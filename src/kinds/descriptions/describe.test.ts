import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectTypeOf } from '#api';
import { allKinds } from '../index.ts';
import { describeSchema } from './describe.ts';

test('every kind, its specification and its status say what they are for', () => {
  for (const { kind, versions } of allKinds) {
    assert.ok((describeSchema(kind) ?? '').length > 20, kind);
    for (const { schema } of Object.values(versions)) {
      for (const member of objectTypeOf(schema).fields.keys()) assert.ok(describeSchema(kind, member), `${kind}.${member}`);
    }
  }
});

test('words belong to their message first, and keys of objects are no words', () => {
  assert.notEqual(describeSchema('ServicePort', 'name'), describeSchema('Container', 'name'));
  assert.match(describeSchema('PodList') ?? '', /list.*Pod/);
  for (const name of ['constructor', '__proto__', 'toString']) assert.deepEqual([describeSchema(name), describeSchema('Pod', name)], [undefined, undefined]);
});

test('the words that tests of Kubernetes look for in what kubectl explains are there', () => {
  assert.match(describeSchema('Widget', 'apiVersion') ?? '', /^APIVersion defines/);
  assert.match(describeSchema('Widget', 'metadata') ?? '', /^Standard object's metadata/);
  assert.match(describeSchema('ObjectMeta', 'creationTimestamp') ?? '', /^CreationTimestamp is a timestamp/);
  assert.match(describeSchema('ServiceList', 'items') ?? '', /^List of services/);
});
