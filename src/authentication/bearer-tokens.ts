import { unauthorized } from '#errors';
import type { Authenticator, Identity, ReviewToken, TokenAuthenticator, TokenQuestion } from '#request';
import { asMember } from './member.ts';
import { bearerToken } from './methods/bearer-token.ts';
import { websocketToken } from './methods/websocket-token.ts';

/** Nobody makes longer ones: they are not looked at. */
const MAX_TOKEN_LENGTH = 64 * 1024;

/** Asks those who know tokens, one after the other. `audiences` are those of this server. */
export function tokenReviewer(methods: readonly TokenAuthenticator[], audiences: readonly string[]): ReviewToken {
  return async (token, question) => {
    if (token === '' || token.length > MAX_TOKEN_LENGTH) return undefined;
    const asked: TokenQuestion = {
      audiences: question.audiences ?? audiences,
      annotate: (key, value) => question.annotate(key, value),
    };
    return firstKnown(methods, token, asked);
  };
}

async function firstKnown(methods: readonly TokenAuthenticator[], token: string, question: TokenQuestion): Promise<Identity | undefined> {
  for (const method of methods) {
    const identity = await method.authenticateToken(token, question);
    if (identity !== undefined) return { ...identity, user: asMember(identity.user) };
  }
  return undefined;
}

/**
 * The token in `Authorization: Bearer …`, or in the protocols of a WebSocket for browsers, which cannot send that header.
 * @spec 5.3
 */
export function bearerTokens(review: ReviewToken, authorizationGroup: string): Authenticator {
  return {
    name: 'bearer-token',
    async authenticate(request) {
      const token = bearerToken(request) ?? websocketToken(request, authorizationGroup);
      if (token === undefined) return undefined;
      const identity = await review(token, request);
      if (identity === undefined) throw unauthorized();
      return identity;
    },
  };
}
