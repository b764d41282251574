import { badRequest, inOneMessage } from '#errors';
import type { TokenReview } from '#kinds';
import type { User } from '#request';
import type { VerbHandler } from '../verb-context.ts';
import { answerReview, readReview } from './review.ts';

/**
 * Authenticates a token for a client. A token that is not accepted gets a result, too, which says why where that is known. Throws `BadRequest` without
 * a token.
 * @spec 2.13
 */
export const tokenReview: VerbHandler = async (context) => {
  const review = (await readReview(context)) as TokenReview;
  const { token = '', audiences } = review.spec;
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const { request, env } = context;
  const wanted = audiences ?? [];
  const reasons = new Set<string>();
  const identity = await env.tokens.review(token, {
    annotate: (key, value) => request.annotate(key, value),
    refuse: (why) => reasons.add(why),
    ...(wanted.length === 0 ? {} : { audiences: wanted }),
  });
  review.status = identity === undefined ? unknown(review, reasons) : { authenticated: true, user: userInfo(identity.user), audiences: [...(identity.audiences ?? [])] };
  return answerReview(context, review);
};

/** The status that the client sent stays, except `authenticated`. */
function unknown({ status }: Pick<TokenReview, 'status'>, reasons: ReadonlySet<string>): TokenReview['status'] {
  const { authenticated: _, ...said } = status;
  return { ...said, error: inOneMessage(['invalid bearer token', ...reasons]) };
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
