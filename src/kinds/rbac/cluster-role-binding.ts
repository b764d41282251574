import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { bindingColumns, completeBinding, RoleRef, Subject } from './binding-parts.ts';
import { bindingToV1, ClusterRoleBindingV1alpha1 } from './rbac-v1alpha1.ts';
import { validateBinding } from './validate-binding.ts';

class Body extends t.message('rbac/v1.ClusterRoleBinding', {
  subjects: t.many(2, Subject),
  roleRef: t.one(3, RoleRef).required(),
}) {}

/** Grants a role in the whole cluster. */
export const ClusterRoleBinding = defineKind(Body, {
  group: 'rbac',
  kind: 'ClusterRoleBinding',
  plural: 'clusterrolebindings',
  scope: 'Cluster',
  repeatsMetadataRules: ['content', 'content', 'change'],
  nameForm: 'path-segment',
  createOnUpdate: true,
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: Body }, v1alpha1: { schema: ClusterRoleBindingV1alpha1, up: bindingToV1 } },
  columns: bindingColumns('The users that receive the role by name.', 'The groups whose members receive the role.'),
  complete: completeBinding,
  validate(next, live, at, context) {
    validateBinding(next, live, 'Cluster', at, context);
  },
});
export type ClusterRoleBinding = ObjectOf<typeof ClusterRoleBinding>;
