import { defineKind, isUsableSelector, validateLabelSelector, type ObjectOf } from '#api';
import type { FieldErrors } from '#errors';
import { t } from '#schema';
import { AggregationRule } from './aggregation-rule.ts';
import { checkAsOften } from '../check-as-often.ts';
import { PolicyRule, validatePolicyRules } from './policy-rule.ts';
import { ClusterRoleV1alpha1 } from './rbac-v1alpha1.ts';

class Body extends t.message('rbac/v1.ClusterRole', {
  rules: t.many(2, PolicyRule).always(),
  aggregationRule: t.perhaps(3, AggregationRule),
}) {}

/** Permissions in the whole cluster, or, where a RoleBinding refers to it, in one namespace. */
export const ClusterRole = defineKind(Body, {
  group: 'rbac',
  kind: 'ClusterRole',
  plural: 'clusterroles',
  scope: 'Cluster',
  repeatsMetadataRules: ['content', 'content', 'change'],
  nameForm: 'path-segment',
  createOnUpdate: true,
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: Body }, v1alpha1: { schema: ClusterRoleV1alpha1 } },
  validate(next, live, at) {
    checkAsOften(live, () => {
      validatePolicyRules(next.rules, 'Cluster', at.child('rules'));
      if (next.aggregationRule !== undefined) validateAggregation(next.aggregationRule, at.child('aggregationRule', 'clusterRoleSelectors'));
    });
  },
});
export type ClusterRole = ObjectOf<typeof ClusterRole>;

function validateAggregation({ clusterRoleSelectors }: AggregationRule, at: FieldErrors): void {
  const selectors = clusterRoleSelectors ?? [];
  if (selectors.length === 0) at.required('at least one clusterRoleSelector required if aggregationRule is non-nil');
  for (const [position, selector] of selectors.entries()) {
    const place = at.index(position);
    validateLabelSelector(selector, place);
    if (!isUsableSelector(selector)) place.invalid(undefined, 'invalid label selector.');
  }
}
