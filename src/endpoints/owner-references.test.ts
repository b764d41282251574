import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import { dropRepeatedOwners } from './owner-references.ts';

const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u' };

function keptOf(ownerReferences: readonly object[]): { readonly kept: unknown; readonly warned: number } {
  const object = { metadata: { name: 'x', ownerReferences: [...ownerReferences] } } as unknown as ApiObject;
  let warned = 0;
  dropRepeatedOwners(object, 'sent', () => warned++);
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

test('who is named again is told in words that clients know, for each time', () => {
  const told = (state: 'sent' | 'admitted'): readonly string[] => {
    const warnings: string[] = [];
    const object = { metadata: { name: 'x', ownerReferences: [owner, { ...owner }, { ...owner }] } } as unknown as ApiObject;
    dropRepeatedOwners(object, state, (text) => warnings.push(text));
    return warnings;
  };
  const end = '; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: u, u';
  assert.deepEqual(told('sent'), [`.metadata.ownerReferences contains duplicate entries${end}`]);
  assert.deepEqual(told('admitted'), [`.metadata.ownerReferences contains duplicate entries after mutating admission happens${end}`]);
});
