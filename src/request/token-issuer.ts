/** An object of the same namespace as the account. */
export interface TokenReference {
  readonly name: string;
  readonly uid: string;
}

/** A token that ends by itself, or with what it is bound to. */
export interface BoundTokenOrder {
  readonly namespace: string;
  readonly account: TokenReference;
  readonly boundTo?: TokenReference & { readonly kind: 'pod' | 'secret' };
  readonly audiences: readonly string[];
  /** Milliseconds since the epoch. */
  readonly issuedAtMs: number;
  readonly expirationSeconds: number;
  /** After so long its use is noted: the token lives on only for clients that do not read it again. */
  readonly warnAfterSeconds?: number;
}

/** A token that lives as long as the Secret it stands in. */
export interface LegacyTokenOrder {
  readonly namespace: string;
  readonly account: TokenReference;
  readonly secretName: string;
}

/** Makes tokens of service accounts. @spec 5.9 */
export interface TokenIssuer {
  /** Whom tokens are meant for that do not say it. */
  readonly audiences: readonly string[];
  /** Longer life is cut down to this. */
  readonly maxExpirationSeconds?: number;
  /** Tokens that pods get on their own live longer than they say, so that old clients go on. */
  readonly extendsExpiration: boolean;
  issueBound(order: BoundTokenOrder): Promise<string>;
  issueLegacy(order: LegacyTokenOrder): Promise<string>;
}
