import type { ClusterRoleBinding, RoleBinding } from '#kinds';

/** A PolicyRule as stored or as requested: lists may be absent. */
export interface Rule {
  readonly verbs: readonly string[] | null;
  readonly apiGroups?: readonly string[] | null | undefined;
  readonly resources?: readonly string[] | null | undefined;
  readonly resourceNames?: readonly string[] | null | undefined;
  readonly nonResourceURLs?: readonly string[] | null | undefined;
}
export type AnyBinding = Pick<RoleBinding & ClusterRoleBinding, 'metadata' | 'subjects' | 'roleRef'>;
export type Subject = NonNullable<AnyBinding['subjects']>[number];
