import type { ApiObject, Brand, Column } from '#api';
import { t } from '#schema';

/** A subject of a binding: a user or a group by name, or a service account. */
export class Subject extends t.message(
  'rbac/v1.Subject',
  {
    kind: t.string(1).required(),
    apiGroup: t.string(2),
    name: t.string(3).required(),
    namespace: t.string(4),
  },
  { isAtomic: true },
) {}

export class RoleRef extends t.message(
  'rbac/v1.RoleRef',
  {
    apiGroup: t.string(1).required(),
    kind: t.string(2).required(),
    name: t.string(3).required(),
  },
  { isAtomic: true },
) {}

/** The fields of bindings of both scopes. */
export interface Binding extends Pick<ApiObject, 'metadata'> {
  subjects?: Subject[] | null | undefined;
  roleRef: RoleRef;
}

/** The neutral name of the group that roles and users belong to. */
export const RBAC_GROUP = 'rbac';

/** Sets missing API groups: roles, users and groups are in the group of roles, service accounts in the core group. Changes `binding`. */
export function completeBinding({ subjects, roleRef }: Binding, brand: Brand): void {
  const group = brand.group(RBAC_GROUP);
  roleRef.apiGroup ||= group;
  for (const subject of subjects ?? []) {
    if (!subject.apiGroup && (subject.kind === 'User' || subject.kind === 'Group')) subject.apiGroup = group;
  }
}

const named = ({ subjects }: Binding, kind: string, show: (subject: Subject) => string): string =>
  (subjects ?? [])
    .filter((subject) => subject.kind === kind)
    .map(show)
    .join(', ');

/** The columns of bindings. Users and groups have the descriptions of kube-apiserver, as parameters. */
export const bindingColumns = (users: string, groups: string): readonly Column<Binding>[] => [
  { name: 'Role', type: 'string', description: 'The role that is granted, as kind and name.', cell: ({ roleRef }) => `${roleRef.kind}/${roleRef.name}` },
  { name: 'Users', type: 'string', priority: 1, description: users, cell: (binding) => named(binding, 'User', ({ name }) => name) },
  { name: 'Groups', type: 'string', priority: 1, description: groups, cell: (binding) => named(binding, 'Group', ({ name }) => name) },
  {
    name: 'ServiceAccounts',
    type: 'string',
    priority: 1,
    description: 'The service accounts that receive the role, as namespace and name.',
    cell: (binding) => named(binding, 'ServiceAccount', ({ namespace, name }) => `${namespace ?? ''}/${name}`),
  },
];
