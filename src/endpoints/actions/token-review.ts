import { badRequest } from '#errors';
import type { TokenReview } from '#kinds';
import type { User } from '#request';
import type { VerbHandler } from '../verb-context.ts';
import { answerReview, readReview } from './review.ts';

/**
 * Authenticates a token for a client. An unknown token gets a result, too, which does not say what is wrong with it. Throws `BadRequest` without a
 * token.
 * @spec 2.13
 */
export const tokenReview: VerbHandler = async (context) => {
  const review = (await readReview(context)) as TokenReview;
  const { token = '', audiences } = review.spec;
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const { request, env } = context;
  const wanted = audiences ?? [];
  const identity = await env.tokens.review(token, {
    annotate: (key, value) => request.annotate(key, value),
    ...(wanted.length === 0 ? {} : { audiences: wanted }),
  });
  review.status = identity === undefined ? unknown(review) : { authenticated: true, user: userInfo(identity.user), audiences: [...(identity.audiences ?? [])] };
  return answerReview(context, review);
};

/** The status that the client sent stays, except `authenticated`. */
function unknown({ status }: Pick<TokenReview, 'status'>): TokenReview['status'] {
  const { authenticated: _, ...said } = status;
  return { ...said, error: 'invalid bearer token' };
}

/** The response gets lists of its own; those of the user are shared. */
function userInfo({ name, uid, groups, extra }: User): TokenReview['status']['user'] {
  return {
    username: name,
    ...(uid === undefined ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups: [...groups] }),
    ...(extra === undefined ? {} : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}
