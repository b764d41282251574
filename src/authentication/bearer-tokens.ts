import { isPromised, when } from '#base';
import { inOneMessage, unauthorized } from '#errors';
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
    return firstKnown(methods, token, new Asked(question, question.audiences ?? audiences), 0, ofMember);
  };
}

/** A question to all token authenticators, and why those that know the token refuse it: another may accept it. */
class Asked implements TokenQuestion {
  readonly audiences: readonly string[];
  readonly #question: Parameters<ReviewToken>[1];
  /** By what reviews say, what the log says. */
  #reasons: Map<string, string> | undefined = undefined;

  constructor(question: Parameters<ReviewToken>[1], audiences: readonly string[]) {
    this.audiences = audiences;
    this.#question = question;
  }

  annotate(key: string, value: string): void {
    this.#question.annotate(key, value);
  }

  refuse(why: string, inLog = why): void {
    this.#reasons = (this.#reasons ?? new Map<string, string>()).set(why, inLog);
  }

  /** The result where nobody accepts the token: tells why. Throws `Unauthorized` with the reasons where there are some that the question does not take. */
  nobody(): undefined {
    if (this.#reasons === undefined) return undefined;
    if (this.#question.refuse === undefined) throw unauthorized(inOneMessage([...this.#reasons.values()]));
    for (const why of this.#reasons.keys()) this.#question.refuse(why);
    return undefined;
  }
}

type OfMember = (identity: Identity) => Identity;

/** Tries the methods from index `from` on. */
function firstKnown(methods: readonly TokenAuthenticator[], token: string, question: Asked, from: number, ofMember: OfMember): Found {
  for (let at = from; at < methods.length; at++) {
    const said = (methods[at] as TokenAuthenticator).authenticateToken(token, question);
    if (isPromised(said)) return said.then((identity) => (identity === undefined ? firstKnown(methods, token, question, at + 1, ofMember) : ofMember(identity)));
    if (said !== undefined) return ofMember(said);
  }
  return question.nobody();
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
