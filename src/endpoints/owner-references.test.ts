import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { dropRepeatedOwners } from './owner-references.ts';

const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u' };

function keptOf(ownerReferences: readonly object[]): { readonly kept: unknown; readonly warned: number } {
  const object = { metadata: { name: 'x', ownerReferences: [...ownerReferences] } } as unknown as ApiObject;
  let warned = 0;
  dropRepeatedOwners(object, () => warned++);
  return { kept: object.metadata.ownerReferences, warned };
}

test('of owner references that are the same in every part one is kept, and the caller is told', () => {
  const other = { ...owner, uid: 'v' };
  assert.deepEqual(keptOf([owner, other, { ...owner }]), { kept: [owner, other], warned: 1 });
});

test('owner references that only share their uid all stay', () => {
  const named = { ...owner, name: 'b' };
  assert.deepEqual(keptOf([owner, named, { ...owner, controller: true }]), { kept: [owner, named, { ...owner, controller: true }], warned: 0 });
});
