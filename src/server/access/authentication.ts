import type { Brand, ObjectAccess } from '#api';
import {
  anonymous,
  bearerTokens,
  bootstrapTokens,
  clientCertificates,
  createTokenIssuer,
  oidc,
  refusalLog,
  requestHeader,
  serviceAccountTokens,
  staticTokens,
  tokenReviewer,
  tokenWebhook,
  websocketTokens,
  type Authentication,
  type CredentialObserver,
} from '#authentication';
import type { Reply, ReviewToken, Routed, TokenAuthenticator, TokenIssuer } from '#request';
import type { ServiceAccountOptions } from './authentication-options.ts';
import { createOidcEndpoints, JWKS_PATH } from './oidc-endpoints.ts';
import type { Settings } from '../options.ts';
import { externalAddress } from '../services/options.ts';
import { ownAuthenticator } from './own-access.ts';
import { openTokenKeys, type TokenKeys } from './token-keys.ts';

/** The authentication of a server, assembled. */
export interface BuiltAuthentication extends Authentication {
  readonly reviewToken: ReviewToken;
  readonly issuer: TokenIssuer;
  /** Answers the OIDC discovery document and the JWKS of this server; undefined for other paths. */
  readonly documents: (request: Routed) => Reply | undefined;
  /** Closes its connections. */
  close(): void;
}

/** Assembles the authenticators in the order they are tried. Opens nothing. Throws an `Error` that names the option that is wrong. */
export function buildAuthentication(settings: Settings, brand: Brand, objects: ObjectAccess, observer: CredentialObserver): BuiltAuthentication {
  const { requestHeader: proxies, serviceAccounts = {}, apiAudiences, authenticators = [] } = settings.authentication;
  const issuers = issuersOf(serviceAccounts, brand);
  const audiences = apiAudiences ?? issuers;
  const keys = openTokenKeys(serviceAccounts);
  const tokens = buildTokenMethods({ settings, brand, objects, issuers, audiences, keys, observer });
  const reviewToken = tokenReviewer(tokens, audiences);
  const { maxExpirationSeconds, extendsExpiration = true } = serviceAccounts;
  const issuer = issuers[0] ?? '';
  return {
    methods: [
      ...(proxies === undefined ? [] : [requestHeader(proxies)]),
      clientCertificates(observer),
      bearerTokens(reviewToken),
      websocketTokens(reviewToken, brand.group('authorization')),
      ...authenticators.map(ownAuthenticator),
    ],
    anonymous: settings.anonymous ? anonymous : undefined,
    note: refusalLog(settings.log, settings.clock),
    reviewToken,
    issuer: createTokenIssuer({
      brand,
      issuer,
      audiences,
      extendsExpiration,
      signingKey: () => keys.signing(),
      secretSigningKey: () => keys.signingSecrets(),
      ...(maxExpirationSeconds === undefined ? {} : { maxExpirationSeconds }),
    }),
    documents: createOidcEndpoints({ issuer, keys, address: serviceAccounts.jwksUri ?? keysAddress(settings, issuer) }),
    close: () => tokens.forEach((method) => method.close?.()),
  };
}

/** The JWKS address: at the server itself, or below the issuer where clients on other machines cannot reach this server. */
function keysAddress({ listen, services }: Settings, issuer: string): string {
  const host = listen === false || listen.tls === undefined ? undefined : externalAddress(services, listen);
  return `${host === undefined ? issuer.replace(/\/$/, '') : `https://${host}`}${JWKS_PATH}`;
}

function issuersOf({ issuers = [] }: ServiceAccountOptions, { names }: Brand): readonly string[] {
  const empty = issuers.some((issuer) => issuer === '');
  if (empty) throw new Error('service-account-issuer: an issuer must not be empty');
  // RFC 7519: what has a colon is a URI.
  const wrong = issuers.find((issuer) => issuer.includes(':') && !URL.canParse(issuer));
  if (wrong !== undefined) throw new Error(`service-account-issuer: ${JSON.stringify(wrong)} has a colon and is no address`);
  const twice = issuers.find((issuer, at) => issuers.indexOf(issuer) !== at);
  if (twice !== undefined) throw new Error(`service-account-issuer: ${JSON.stringify(twice)} is given twice`);
  return issuers.length > 0 ? issuers : [`https://${names.apiService}.default.svc`];
}

interface Parts {
  readonly settings: Settings;
  readonly brand: Brand;
  readonly objects: ObjectAccess;
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  readonly keys: TokenKeys;
  readonly observer: CredentialObserver;
}

/** The token authenticators in the order they are tried: those that call another server come last. */
function buildTokenMethods({ settings, brand, objects, issuers, audiences, keys, observer }: Parts): readonly TokenAuthenticator[] {
  const { clock, log, tokens } = settings;
  const { serviceAccounts = {}, bootstrapTokens: takesBootstrapTokens = false, oidc: provider, tokenWebhook: webhook } = settings.authentication;
  const { isLookedUp = true } = serviceAccounts;
  return [
    ...(tokens === undefined ? [] : [staticTokens(tokens, { log, audiences })]),
    serviceAccountTokens({ brand, clock, objects, issuers, audiences, isLookedUp, verifyingKeys: () => keys.verifying(), observer }),
    ...(takesBootstrapTokens ? [bootstrapTokens({ brand, clock, objects, audiences })] : []),
    ...(provider === undefined ? [] : [oidc(provider, { clock, log, audiences })]),
    ...(webhook === undefined ? [] : [tokenWebhook(webhook, { brand, clock, log, audiences })]),
  ];
}
