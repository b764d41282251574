import type { OidcOptions, RequestHeaderOptions, TokenWebhookOptions } from '#authentication';
import type { Authenticator } from '#request';

/** Who is believed to be whom, beside static tokens, client certificates and anonymous requests; named as the flags. @spec 5.1 */
export interface AuthenticationOptions {
  /** Whom tokens must be meant for. Default: the issuer of service account tokens. */
  readonly apiAudiences?: readonly string[];
  readonly serviceAccounts?: ServiceAccountOptions;
  /** Accept bootstrap tokens. Default false. */
  readonly bootstrapTokens?: boolean;
  /** A proxy in front; `clientCa` is the PEM of who vouches for it. */
  readonly requestHeader?: RequestHeaderOptions & { readonly clientCa: string };
  readonly oidc?: OidcOptions;
  readonly tokenWebhook?: TokenWebhookOptions;
  /** Of the program that embeds the server: asked after all others. Bearer tokens that they know are not known to token reviews. Default: none. */
  readonly authenticators?: readonly Authenticator[];
}

/** Tokens of service accounts. @spec 5.9 */
export interface ServiceAccountOptions {
  /** The first one makes tokens, tokens of all are accepted. Default: `https://<name of the API's service>.default.svc`. */
  readonly issuers?: readonly string[];
  /** PEM of a private key, RSA or EC. Default: one that lives as long as the server. */
  readonly signingKey?: string;
  /** PEM of the private key of tokens that are put into Secrets. Default: the signing key. */
  readonly secretSigningKey?: string;
  /** PEM texts of the keys whose tokens are accepted. Default: the signing keys. */
  readonly verifyingKeys?: readonly string[];
  /** Whether tokens in Secrets are refused when their Secret is gone. Default true. */
  readonly isLookedUp?: boolean;
  /** Longer life is cut down to this. Default: no bound. */
  readonly maxExpirationSeconds?: number;
  /** Whether tokens that pods get by themselves live on for clients that do not read them again. Default true. */
  readonly extendsExpiration?: boolean;
  /** Where clients are told to find the keys. Default: at the address by which others reach this server, or else below the issuer. */
  readonly jwksUri?: string;
}
