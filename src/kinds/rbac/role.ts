import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { checkAsOften } from '../check-as-often.ts';
import { PolicyRule, validatePolicyRules } from './policy-rule.ts';
import { RoleV1alpha1 } from './rbac-v1alpha1.ts';

class Body extends t.message('rbac/v1.Role', { rules: t.many(2, PolicyRule).always() }) {}

/** Permissions in one namespace. */
export const Role = defineKind(Body, {
  group: 'rbac',
  kind: 'Role',
  plural: 'roles',
  scope: 'Namespaced',
  repeatsMetadataRules: ['content', 'content', 'change'],
  nameForm: 'path-segment',
  createOnUpdate: true,
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: Body }, v1alpha1: { schema: RoleV1alpha1 } },
  validate(next, live, at) {
    checkAsOften(live, () => validatePolicyRules(next.rules, 'Namespaced', at.child('rules')));
  },
});
export type Role = ObjectOf<typeof Role>;
