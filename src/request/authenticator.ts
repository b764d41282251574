import type { Received } from './context.ts';
import type { User } from './user.ts';

/** Who the credentials of a request are of. */
export interface Identity {
  readonly user: User;
  /** Whom the credentials are meant for, as far as that was asked; absent: for this server. */
  readonly audiences?: readonly string[];
}

/** At once where it is at hand: a promise costs more than most look-ups. */
export type Found = Identity | undefined | Promise<Identity | undefined>;

/**
 * undefined: these credentials are not mine. Throw `Unauthorized`: they are mine and they are bad. The others are asked all the same; a
 * request with bad credentials that nobody knows is refused, even where anonymous requests are not.
 */
export interface Authenticator {
  readonly name: string;
  authenticate(request: Received): Found;
}

/** What a token is asked, beside whose it is. */
export interface TokenQuestion {
  /** Whom the token should be meant for; one of them is enough. */
  readonly audiences: readonly string[];
  /** An audit annotation. */
  annotate(key: string, value: string): void;
}

/** Knows one sort of tokens. undefined: not of mine, or bad: nobody is told the difference. `audiences` of the answer are among those asked for. */
export interface TokenAuthenticator {
  readonly name: string;
  authenticateToken(token: string, question: TokenQuestion): Found;
  /** Lets go of connections. */
  close?(): void;
}

/** Whose a token is, by everyone who knows tokens. Absent audiences: those of this server. undefined: nobody's, or for other audiences. */
export type ReviewToken = (token: string, question: Omit<TokenQuestion, 'audiences'> & { readonly audiences?: readonly string[] }) => Found;
