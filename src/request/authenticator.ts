import type { Received } from './context.ts';
import type { User } from './user.ts';

/** The user that the credentials of a request belong to. */
export interface Identity {
  readonly user: User;
  /** Of the requested audiences, those the credentials are valid for; absent: those of this server. */
  readonly audiences?: readonly string[];
}

/** A plain value where the result is at hand: a promise costs more than most look-ups. */
export type Found = Identity | undefined | Promise<Identity | undefined>;

/**
 * Authenticates requests by one kind of credentials. Returns undefined for credentials of another kind, and throws `Unauthorized` for invalid ones of
 * its kind. The next authenticators are tried all the same; a request with invalid credentials that none accepts is refused, even where anonymous
 * requests are allowed.
 */
export interface Authenticator {
  readonly name: string;
  authenticate(request: Received): Found;
}

/** What to check of a token, beside whose it is. */
export interface TokenQuestion {
  /** The audiences the caller accepts; the token must be valid for at least one. */
  readonly audiences: readonly string[];
  /** Adds an audit annotation to the request. */
  annotate(key: string, value: string): void;
  /**
   * Takes why a token of a known kind is not accepted. It is for those who may review tokens, and for the log, and not for who uses one. `inLog`: what the
   * log is told instead, where others chose the words and may quote the token.
   */
  refuse?(why: string, inLog?: string): void;
}

/**
 * Authenticates tokens of one kind. Returns undefined for a token of another kind or an invalid one: who uses it does not learn which. `audiences` of
 * the result are among the requested ones.
 */
export interface TokenAuthenticator {
  readonly name: string;
  authenticateToken(token: string, question: TokenQuestion): Found;
  /** Closes its connections. */
  close?(): void;
}

/**
 * Authenticates a token by all token authenticators. Absent audiences: those of this server. undefined: no authenticator accepts the token for these
 * audiences; where it is known why, and the question does not take that, throws `Unauthorized` with the reason as its cause.
 */
export type ReviewToken = (token: string, question: Omit<TokenQuestion, 'audiences'> & { readonly audiences?: readonly string[] }) => Found;
