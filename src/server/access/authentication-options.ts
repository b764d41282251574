import type { OidcOptions, RequestHeaderOptions, TokenWebhookOptions } from '#authentication';
import type { Authenticator } from '#request';

/** Authentication beside static tokens, client certificates and anonymous requests; named as the flags. @spec 5.1 */
export interface AuthenticationOptions {
  /** Audiences of which a token must name one. Default: the issuers of service account tokens. */
  readonly apiAudiences?: readonly string[];
  readonly serviceAccounts?: ServiceAccountOptions;
  /** Accept bootstrap tokens. Default false. */
  readonly bootstrapTokens?: boolean;
  /** An authenticating proxy; `clientCa` is the PEM of the CA that issues its certificates. */
  readonly requestHeader?: RequestHeaderOptions & { readonly clientCa: string };
  readonly oidc?: OidcOptions;
  readonly tokenWebhook?: TokenWebhookOptions;
  /** Authenticators of the embedding program, tried after all others. TokenReview does not use them. Default: none. */
  readonly authenticators?: readonly Authenticator[];
}

/** Tokens of service accounts. @spec 5.9 */
export interface ServiceAccountOptions {
  /** Issuers: the first issues tokens, tokens of all are accepted. Default: `https://<name of the API's service>.default.svc`. */
  readonly issuers?: readonly string[];
  /** PEM of a private key, RSA or EC. Default: one that lives as long as the server. */
  readonly signingKey?: string;
  /** PEM of the private key of tokens that are put into Secrets. Default: the signing key. */
  readonly secretSigningKey?: string;
  /** PEM texts of the keys whose tokens are accepted. Default: the signing keys. */
  readonly verifyingKeys?: readonly string[];
  /** Whether tokens in Secrets are refused when their Secret is gone. Default true. */
  readonly isLookedUp?: boolean;
  /** Longer lifetimes are shortened to this. Default: no bound. */
  readonly maxExpirationSeconds?: number;
  /** Whether tokens that pods get automatically stay valid longer for clients that do not read them again. Default true. */
  readonly extendsExpiration?: boolean;
  /** The published JWKS address. Default: at the address by which clients on other machines reach this server, or else below the issuer. */
  readonly jwksUri?: string;
}
