import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import type { Definition } from './definition.ts';
import { toKinds, toStoredKind } from './to-kinds.ts';

test('clients that migrate storage are told of a version that is served', () => {
  const names = { plural: 'things', kind: 'Thing' };
  const known = (served: boolean): unknown => {
    const versions = [{ name: 'v1', served, storage: true }, { name: 'v2', served: true, storage: false }];
    const definition = { metadata: { name: 'things.example.com' }, spec: { group: 'example.com', scope: 'Namespaced', names, versions }, status: { acceptedNames: names } };
    return toKinds(definition as unknown as Definition, brandOf('orch'), () => Promise.reject(new Error('nobody is asked'))).at(-1)?.knownStorage;
  };
  assert.deepEqual([known(true), known(false)], ['v1', null]);
});

test('what is deleted with a definition is its own, whatever its status says', () => {
  const names = { plural: 'things', kind: 'Thing' };
  const definition = { metadata: {}, spec: { group: 'example.com', scope: 'Namespaced', names, versions: [{ name: 'v1', served: true, storage: true }] }, status: { acceptedNames: { ...names, plural: 'others' } } };
  assert.equal(toStoredKind(definition as unknown as Definition).plural, 'things');
});

test('thousands of versions take memory in proportion to how many there are', () => {
  const names = { plural: 'things', singular: 'thing', kind: 'Thing', listKind: 'ThingList' };
  const versions = Array.from({ length: 6_000 }, (_, at) => ({ name: `v${at + 1}`, served: true, storage: at === 0, schema: { openAPIV3Schema: { type: 'object' } } }));
  const definition = {
    metadata: { name: 'things.example.com', generation: 2 },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions },
    status: { acceptedNames: names },
  } as unknown as Definition;
  const kinds = toKinds(definition, brandOf('orch'), () => Promise.reject(new Error('nobody is asked')));
  assert.equal(kinds.length, 6_000);
  assert.ok(kinds.every(({ storedForms }) => storedForms !== undefined));
});
