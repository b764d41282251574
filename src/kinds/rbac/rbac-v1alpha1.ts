import { AUTHENTICATED_GROUP, type ApiObject, type Brand, type KindObject } from '#api';
import { t } from '#schema';
import { AggregationRule } from './aggregation-rule.ts';
import { completeBinding, RoleRef, type Subject } from './binding-parts.ts';

/** Its numbers in protobuf are not those of v1. */
class RuleV1alpha1 extends t.message('rbac/v1alpha1.PolicyRule', {
  verbs: t.strings(1).required(),
  apiGroups: t.strings(3),
  resources: t.strings(4),
  resourceNames: t.strings(5),
  nonResourceURLs: t.strings(6),
}) {}

class SubjectV1alpha1 extends t.message('rbac/v1alpha1.Subject', {
  kind: t.string(1).required(),
  apiVersion: t.string(2),
  name: t.string(3).required(),
  namespace: t.string(4),
}) {}

const rules = t.many(2, RuleV1alpha1).always();
const binding = { subjects: t.many(2, SubjectV1alpha1), roleRef: t.one(3, RoleRef).required() };

export class RoleV1alpha1 extends t.message('rbac/v1alpha1.Role', { rules }) {}
export class ClusterRoleV1alpha1 extends t.message('rbac/v1alpha1.ClusterRole', { rules, aggregationRule: t.perhaps(3, AggregationRule) }) {}
export class RoleBindingV1alpha1 extends t.message('rbac/v1alpha1.RoleBinding', binding) {}
export class ClusterRoleBindingV1alpha1 extends t.message('rbac/v1alpha1.ClusterRoleBinding', binding) {}

/** Converts a binding of v1alpha1 to v1, whose subjects have a group without a version. */
export function bindingToV1(object: ApiObject, brand: Brand): ApiObject {
  const { subjects, ...rest } = object as KindObject<RoleBindingV1alpha1>;
  const next = { ...rest, ...(subjects ? { subjects: subjects.map(toSubject) } : {}) };
  completeBinding(next, brand);
  return next;
}

/** Of the kinds that have no group of their own, the group is said when the binding is completed. */
const OWN_KINDS = ['User', 'Group', 'ServiceAccount'];

function toSubject({ apiVersion = '', ...subject }: SubjectV1alpha1): Subject {
  // The user `*` was everybody who is known.
  if (subject.kind === 'User' && subject.name === '*') return { ...subject, kind: 'Group', name: AUTHENTICATED_GROUP };
  const [group = '', version] = apiVersion.split('/');
  return OWN_KINDS.includes(subject.kind) || version === undefined ? subject : { ...subject, apiGroup: group };
}
