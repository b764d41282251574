import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { SelfSubjectAccessReviewSpec, SubjectAccessReviewStatus, validateAsked, validateNoMetadata } from './review-messages.ts';

class Body extends t.message('authorization/v1.SelfSubjectAccessReview', {
  spec: t.one(2, SelfSubjectAccessReviewSpec).required(),
  status: t.one(3, SubjectAccessReviewStatus),
}) {}

/** Asks whether the requesting user may act. Never stored: the response has the answer. @spec 2.14 */
export const SelfSubjectAccessReview = defineKind(Body, {
  group: 'authorization',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  scope: 'Cluster',
  verbs: ['create'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  action: 'access-review',
  validate(next, _live, at) {
    validateAsked(next.spec, at.child('spec'));
    validateNoMetadata(next, [], at);
  },
});
export type SelfSubjectAccessReview = ObjectOf<typeof SelfSubjectAccessReview>;
