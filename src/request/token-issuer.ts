/** Refers to the service account, or to an object in its namespace. */
export interface TokenReference {
  readonly name: string;
  readonly uid: string;
}

/** The claims of a token that expires, and that is revoked with the object it is bound to. */
export interface BoundTokenOrder {
  readonly namespace: string;
  readonly account: TokenReference;
  readonly boundTo?: TokenReference & { readonly kind: 'pod' | 'secret' };
  readonly audiences: readonly string[];
  /** Milliseconds since the epoch. */
  readonly issuedAtMs: number;
  readonly expirationSeconds: number;
  /** From this age on, each use is recorded: the token only still works for clients that do not read it again. */
  readonly warnAfterSeconds?: number;
}

/** The claims of a token that is valid as long as the Secret that holds it. */
export interface LegacyTokenOrder {
  readonly namespace: string;
  readonly account: TokenReference;
  readonly secretName: string;
}

/** Issues tokens of service accounts. @spec 5.9 */
export interface TokenIssuer {
  /** Audiences of tokens that are requested without any. */
  readonly audiences: readonly string[];
  /** The longest lifetime; longer ones are shortened to it. */
  readonly maxExpirationSeconds?: number;
  /** Whether tokens that pods get automatically stay valid beyond the expiration they report, so that old clients keep working. */
  readonly extendsExpiration: boolean;
  issueBound(order: BoundTokenOrder): Promise<string>;
  issueLegacy(order: LegacyTokenOrder): Promise<string>;
}
