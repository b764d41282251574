import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { showPathAttributes, SubjectAccessReviewSpec, SubjectAccessReviewStatus, validateNoMetadata, validateSubject } from './review-messages.ts';

class Body extends t.message('authorization/v1.LocalSubjectAccessReview', {
  spec: t.one(2, SubjectAccessReviewSpec).required(),
  status: t.one(3, SubjectAccessReviewStatus),
}) {}

/** Asks whether a user may act in one namespace. Never stored: the response has the answer. @spec 2.14 */
export const LocalSubjectAccessReview = defineKind(Body, {
  group: 'authorization',
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  scope: 'Namespaced',
  verbs: ['create'],
  versions: { v1: { schema: Body } },
  storage: 'v1',
  action: 'access-review',
  validate(next, _live, at) {
    const spec = at.child('spec');
    validateSubject(next.spec, spec);
    validateNoMetadata(next, ['namespace'], at);
    const { resourceAttributes, nonResourceAttributes } = next.spec;
    if (resourceAttributes && (resourceAttributes.namespace ?? '') !== (next.metadata.namespace ?? '')) {
      spec.child('resourceAttributes', 'namespace').invalid(resourceAttributes.namespace ?? '', 'must match metadata.namespace');
    }
    if (nonResourceAttributes) spec.child('nonResourceAttributes').invalid(showPathAttributes(nonResourceAttributes), 'disallowed on this kind of request');
  },
});
export type LocalSubjectAccessReview = ObjectOf<typeof LocalSubjectAccessReview>;
