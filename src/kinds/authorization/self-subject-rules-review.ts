import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';

class Spec extends t.message('authorization/v1.SelfSubjectRulesReviewSpec', { namespace: t.string(1) }) {}

class ResourceRule extends t.message('authorization/v1.ResourceRule', {
  verbs: t.strings(1).required(),
  apiGroups: t.strings(2),
  resources: t.strings(3),
  resourceNames: t.strings(4),
}) {}

class NonResourceRule extends t.message('authorization/v1.NonResourceRule', {
  verbs: t.strings(1).required(),
  nonResourceURLs: t.strings(2),
}) {}

class Status extends t.message('authorization/v1.SubjectRulesReviewStatus', {
  resourceRules: t.many(1, ResourceRule).required(),
  nonResourceRules: t.many(2, NonResourceRule).required(),
  incomplete: t.bool(3).required(),
  evaluationError: t.string(4),
}) {}

class Body extends t.message('authorization/v1.SelfSubjectRulesReview', { spec: t.one(2, Spec).required(), status: t.one(3, Status) }) {}

/** Asks what the requesting user may do in a namespace. Never stored: the response has the answer. @spec 2.14 */
export const SelfSubjectRulesReview = defineKind(Body, {
  group: 'authorization',
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  scope: 'Cluster',
  verbs: ['create'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  action: 'rules-review',
});
export type SelfSubjectRulesReview = ObjectOf<typeof SelfSubjectRulesReview>;
