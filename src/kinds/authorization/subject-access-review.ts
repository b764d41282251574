import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { SubjectAccessReviewSpec, SubjectAccessReviewStatus, validateNoMetadata, validateSubject } from './review-messages.ts';

class Body extends t.message('authorization/v1.SubjectAccessReview', {
  spec: t.one(2, SubjectAccessReviewSpec).required(),
  status: t.one(3, SubjectAccessReviewStatus),
}) {}

/** Asks whether a user may act. Never stored: the response has the answer. @spec 2.14 */
export const SubjectAccessReview = defineKind(Body, {
  group: 'authorization',
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  scope: 'Cluster',
  verbs: ['create'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  action: 'access-review',
  validate(next, _live, at) {
    validateSubject(next.spec, at.child('spec'));
    validateNoMetadata(next, [], at);
  },
});
export type SubjectAccessReview = ObjectOf<typeof SubjectAccessReview>;
