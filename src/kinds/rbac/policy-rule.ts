import type { KindDefinition } from '#api';
import type { FieldErrors } from '#errors';
import { t } from '#schema';

/** A rule: verbs on resources or on non-resource paths. */
export class PolicyRule extends t.message('rbac/v1.PolicyRule', {
  verbs: t.strings(1).required(),
  apiGroups: t.strings(2),
  resources: t.strings(3),
  resourceNames: t.strings(4),
  nonResourceURLs: t.strings(5),
}) {}

type Scope = KindDefinition['scope'];

/** Validates rules. `scope`: that of their role; those of one namespace cannot be about paths. `at`: the path of the list. */
export function validatePolicyRules(rules: readonly PolicyRule[] | null, scope: Scope, at: FieldErrors): void {
  for (const [position, rule] of (rules ?? []).entries()) validatePolicyRule(rule, scope, at.index(position));
}

const has = (list: readonly string[] | null | undefined): boolean => (list?.length ?? 0) > 0;

function validatePolicyRule(rule: PolicyRule, scope: Scope, at: FieldErrors): void {
  if (!has(rule.verbs)) at.child('verbs').required('verbs must contain at least one value');
  if (has(rule.nonResourceURLs)) validatePathRule(rule, scope, at.child('nonResourceURLs'));
  else validateResourceRule(rule, at);
}

function validatePathRule({ nonResourceURLs, apiGroups, resources, resourceNames }: PolicyRule, scope: Scope, at: FieldErrors): void {
  if (scope === 'Namespaced') at.invalid(nonResourceURLs, 'namespaced rules cannot apply to non-resource URLs');
  if (has(apiGroups) || has(resources) || has(resourceNames)) at.invalid(nonResourceURLs, 'rules cannot apply to both regular resources and non-resource URLs');
}

function validateResourceRule({ apiGroups, resources }: PolicyRule, at: FieldErrors): void {
  if (!has(apiGroups)) at.child('apiGroups').required('resource rules must supply at least one api group');
  if (!has(resources)) at.child('resources').required('resource rules must supply at least one resource');
}
