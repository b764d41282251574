import { isPromised, when } from '#base';
import { unauthorized } from '#errors';
import type { Authenticator, Found, Identity, Received, ReviewToken, TokenAuthenticator, TokenQuestion } from '#request';
import { asMember } from './member.ts';
import { bearerToken } from './methods/bearer-token.ts';
import { websocketToken } from './methods/websocket-token.ts';

/** Longer tokens, in characters, are ignored: no issuer makes them. */
const MAX_TOKEN_LENGTH = 64 * 1024;

/** Tries token authenticators in order. `audiences`: those of this server, used where a question names none. */
export function tokenReviewer(methods: readonly TokenAuthenticator[], audiences: readonly string[]): ReviewToken {
  const ofMember = memberOnce();
  return (token, question) => {
    if (token === '' || token.length > MAX_TOKEN_LENGTH) return undefined;
    const asked: TokenQuestion = {
      audiences: question.audiences ?? audiences,
      annotate: (key, value) => question.annotate(key, value),
      refuse: question.refuse,
    };
    return firstKnown(methods, token, asked, 0, ofMember);
  };
}

type OfMember = (identity: Identity) => Identity;

/** Tries the methods from index `from` on. */
function firstKnown(methods: readonly TokenAuthenticator[], token: string, question: TokenQuestion, from: number, ofMember: OfMember): Found {
  for (let at = from; at < methods.length; at++) {
    const said = (methods[at] as TokenAuthenticator).authenticateToken(token, question);
    if (isPromised(said)) return said.then((identity) => (identity === undefined ? firstKnown(methods, token, question, at + 1, ofMember) : ofMember(identity)));
    if (said !== undefined) return ofMember(said);
  }
  return undefined;
}

/** `asMember` for identities, memoizing the last one: static tokens return the same identity object every time. */
function memberOnce(): OfMember {
  let last: { readonly given: Identity; readonly member: Identity } | undefined;
  return (given) => {
    if (last?.given === given) return last.member;
    const user = asMember(given.user);
    if (user === given.user) return given;
    last = { given, member: { ...given, user } };
    return last.member;
  };
}

/** Authenticates by the token in `Authorization: Bearer …`. @spec 5.3 */
export const bearerTokens = (review: ReviewToken): Authenticator => byToken('bearer-token', review, bearerToken);

/** Authenticates by a token among the WebSocket subprotocols, since browsers cannot send `Authorization` there. @spec 5.3 */
export const websocketTokens = (review: ReviewToken, authorizationGroup: string): Authenticator =>
  byToken('websocket-token', review, (request) => websocketToken(request, authorizationGroup));

function byToken(name: string, review: ReviewToken, tokenOf: (request: Received) => string | undefined): Authenticator {
  return {
    name,
    authenticate(request) {
      const token = tokenOf(request);
      if (token === undefined) return undefined;
      return when(review(token, request), orRefused);
    },
  };
}

/** The identity; throws `Unauthorized` where no authenticator recognized the token. */
function orRefused(identity: Identity | undefined): Identity {
  if (identity === undefined) throw unauthorized();
  return identity;
}
