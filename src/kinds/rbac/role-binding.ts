import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { bindingColumns, completeBinding, RoleRef, Subject } from './binding-parts.ts';
import { bindingToV1, RoleBindingV1alpha1 } from './rbac-v1alpha1.ts';
import { validateBinding } from './validate-binding.ts';

class Body extends t.message('rbac/v1.RoleBinding', {
  subjects: t.many(2, Subject),
  roleRef: t.one(3, RoleRef).required(),
}) {}

/** Grants a role in one namespace. */
export const RoleBinding = defineKind(Body, {
  group: 'rbac',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  scope: 'Namespaced',
  repeatsMetadataRules: ['content', 'content', 'change'],
  nameForm: 'path-segment',
  createOnUpdate: true,
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: Body }, v1alpha1: { schema: RoleBindingV1alpha1, up: bindingToV1 } },
  columns: bindingColumns('Users in the roleBinding', 'Groups in the roleBinding'),
  complete: completeBinding,
  validate(next, live, at, context) {
    validateBinding(next, live, 'Namespaced', at, context);
  },
});
export type RoleBinding = ObjectOf<typeof RoleBinding>;
