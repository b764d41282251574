import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '#api';
import type { User } from '#request';
import { Policy } from './policy.ts';

const BINDINGS = 2_000;
const USER: User = { name: 'bob', uid: '', groups: ['devs'], extra: new Map() } as unknown as User;

const namesOf = (policy: Policy): readonly string[] => policy.grantsOf(USER, 'n').flatMap((grants) => grants.map(({ binding }) => binding.metadata.name ?? ''));

test('of the bindings of a large group few are looked at when one comes or goes, and they stay sorted', () => {
  let looked = 0;
  const bindingOf = (name: string): ApiObject =>
    ({
      kind: 'RoleBinding',
      apiVersion: 'v1',
      metadata: {
        namespace: 'n',
        get name() {
          looked += 1;
          return name;
        },
      },
      roleRef: { apiGroup: '', kind: 'Role', name: 'r' },
      subjects: [{ kind: 'Group', name: 'devs' }],
    }) as ApiObject;
  const policy = new Policy();
  const names = Array.from({ length: BINDINGS }, (_, at) => `b${(at * 7919) % BINDINGS}`);
  for (const name of names) policy.put('RoleBinding', bindingOf(name));
  policy.put('RoleBinding', bindingOf('b7'));
  for (const name of ['b0', 'b1000', 'b1999', 'never']) policy.remove('RoleBinding', { namespace: 'n', name });
  assert.ok(looked < BINDINGS * 20, `${looked} looks`);
  const left = names.filter((name) => !['b0', 'b1000', 'b1999'].includes(name));
  assert.deepEqual(namesOf(policy), left.sort());
  for (const name of left) policy.remove('RoleBinding', { namespace: 'n', name });
  assert.deepEqual(policy.grantsOf(USER, 'n'), []);
});
