import type { ObjectAccess } from '#api';
import type { ClusterRole, Role } from '#kinds';
import type { User } from '#request';
import type { AnyBinding, Rule } from './policy-parts.ts';
import { Policy } from './policy.ts';
import { rulesFor, type Granted } from './rules-for.ts';

/** What rules are read from. */
export type StoredPolicy = Pick<ObjectAccess, 'get' | 'list'>;

const kindOf = <K extends string>(kind: K) => ({ group: 'rbac', kind }) as const;

/**
 * The rules of the role that a binding in this namespace refers to, as they are stored now, whichever server on the store wrote them; undefined: the
 * role does not exist.
 */
export async function storedRulesOf(stored: StoredPolicy, roleRef: AnyBinding['roleRef'], namespace: string): Promise<readonly Rule[] | undefined> {
  const role = await roleOf(stored, roleRef, namespace);
  return role && (role.rules ?? []);
}

/** `rulesFor` as of what is stored now, whichever server on the store wrote it. Of the roles, only those of this user are read. */
export async function storedRulesFor(stored: StoredPolicy, user: User, namespace: string): Promise<Granted> {
  const policy = new Policy();
  const kinds = namespace === '' ? (['ClusterRoleBinding'] as const) : (['ClusterRoleBinding', 'RoleBinding'] as const);
  await Promise.all(
    kinds.map(async (kind) => {
      for (const binding of await stored.list(kindOf(kind), kind === 'RoleBinding' ? namespace : '')) policy.put(kind, binding);
    }),
  );
  await Promise.all(
    [...rolesOf(policy, user, namespace)].map(async ({ roleRef, namespace: at }) => {
      const role = await roleOf(stored, roleRef, at);
      if (role !== undefined) policy.put(roleRef.kind === 'Role' ? 'Role' : 'ClusterRole', role);
    }),
  );
  return rulesFor(policy, user, namespace);
}

interface Referred {
  readonly roleRef: AnyBinding['roleRef'];
  /** Of the binding; empty for a ClusterRoleBinding. */
  readonly namespace: string;
}

/** The roles that the bindings of a user refer to. */
function rolesOf(policy: Policy, user: User, place: string): Iterable<Referred> {
  const found = new Map<string, Referred>();
  for (const grants of policy.grantsOf(user, place)) {
    for (const { binding: { roleRef }, namespace } of grants) found.set(`${roleRef.kind} ${namespace}/${roleRef.name}`, { roleRef, namespace });
  }
  return found.values();
}

/** A binding without a namespace cannot refer to a role that has one. */
async function roleOf(stored: StoredPolicy, { kind, name }: AnyBinding['roleRef'], namespace: string): Promise<Role | ClusterRole | undefined> {
  if (kind === 'Role' && namespace === '') return undefined;
  const role = kind === 'Role' ? stored.get(kindOf('Role'), { namespace, name }) : stored.get(kindOf('ClusterRole'), { namespace: '', name });
  return (await role) as Role | ClusterRole | undefined;
}
