import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brandOf } from '#api';
import type { Definition } from './definition.ts';
import { toKinds } from './to-kinds.ts';

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
