import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
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

const write = fc.record({
  namespace: fc.constantFrom('', 'n', 'm'),
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  /** undefined: it is removed. */
  subjects: fc.option(fc.subarray(['User bob', 'User eve', 'Group devs', 'Group ops', 'User devs']), { nil: undefined }),
});

test('whatever was written before, also twice, a user has the bindings that are there for it, and every write is told', () => {
  fc.assert(
    fc.property(fc.array(write, { maxLength: 40, size: 'max' }), (writes) => {
      const policy = new Policy();
      const stored = new Map<string, readonly string[]>();
      for (const { namespace, name, subjects } of writes) {
        const { revision } = policy;
        const kind = namespace === '' ? 'ClusterRoleBinding' : 'RoleBinding';
        stored.set(`${namespace}/${name}`, subjects ?? []);
        if (subjects === undefined) policy.remove(kind, { namespace, name });
        else {
          const read = subjects.map((text) => ({ kind: text.split(' ')[0], name: text.split(' ')[1] }));
          policy.put(kind, { kind, apiVersion: 'v1', metadata: { namespace, name }, roleRef: { kind: 'ClusterRole', name: 'r' }, subjects: read } as unknown as ApiObject);
        }
        assert.notEqual(policy.revision, revision);
        const expected = [...stored].filter(([key, texts]) => !key.startsWith('m/') && (texts.includes('User bob') || texts.includes('Group devs')));
        const found = policy.grantsOf(USER, 'n').flatMap((grants) => grants.map((grant) => `${grant.namespace}/${grant.binding.metadata.name}`));
        assert.deepEqual([...new Set(found)].sort(), expected.map(([key]) => key).sort());
      }
    }),
  );
});
