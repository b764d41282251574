import { badRequest } from '#errors';
import type { LocalSubjectAccessReview, SelfSubjectAccessReview, SubjectAccessReview } from '#kinds';
import type { Question, User } from '#request';
import type { VerbHandler } from '../verb-context.ts';
import { answerReview, readReview } from './review.ts';

/** Reviews of another user name that user; a self review has none of these fields. */
type Review = SelfSubjectAccessReview | SubjectAccessReview | LocalSubjectAccessReview;
type Spec = Partial<SubjectAccessReview['spec']>;

/**
 * Answers whether a user may do something, from the same authorizer that checks every request. Throws `Invalid` where the review asks about nothing
 * or about two things, `BadRequest` for another namespace than that of the path.
 * @spec 2.14
 */
export const accessReview: VerbHandler = async (context) => {
  const review = (await readReview(context)) as Review;
  const { request, env, route } = context;
  if (route.key.namespace !== '' && review.metadata.namespace !== route.key.namespace) {
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${route.key.namespace}`);
  }
  const isSelf = route.resource.kind.kind === 'SelfSubjectAccessReview';
  const user = isSelf ? request.user : userOf(review.spec);
  const { verdict, reason, failure } = await env.authorizer.authorize(questionOf(review.spec, user), request.signal);
  review.status = {
    allowed: verdict === 'allow',
    ...(verdict === 'deny' ? { denied: true } : {}),
    ...(reason === '' ? {} : { reason }),
    ...(failure === undefined ? {} : { evaluationError: failure }),
  };
  return answerReview(context, review);
};

function userOf({ user = '', groups, uid, extra }: Spec): User {
  return { name: user, groups: groups ?? [], ...(uid ? { uid } : {}), ...(extra ? { extra } : {}) };
}

/** Copies only the fields that authorizers know: nothing else in the body reaches them. */
function questionOf({ resourceAttributes, nonResourceAttributes }: Spec, user: User): Question {
  const { namespace = '', group = '', version = '', resource = '', subresource = '', name = '' } = resourceAttributes ?? {};
  const { path = '' } = nonResourceAttributes ?? {};
  const { verb = '' } = resourceAttributes ?? nonResourceAttributes ?? {};
  const isResourceRequest = Boolean(resourceAttributes);
  return { isResourceRequest, path, verb, apiPrefix: '', group, version, namespace, resource, subresource, name, parts: [], user };
}
