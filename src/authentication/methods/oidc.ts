import type { Clock, Log } from '#base';
import type { TokenAuthenticator } from '#request';
import { commonAudiences } from '../claims.ts';
import { readUnchecked, type UncheckedToken } from '../jws.ts';
import { DistributedClaims } from '../oidc/distributed-claims.ts';
import { issuerOf } from '../oidc/issuer.ts';
import { ProviderKeys } from '../oidc/provider-keys.ts';
import { userOfClaims, type UserClaims } from '../oidc/user-claims.ts';
import { verifyIdToken, whyNotForClient, type Verified } from '../oidc/verify-id-token.ts';
import { refused } from '../refused.ts';
import { TokenCache } from '../token-cache.ts';

/** An OpenID Connect provider whose ID tokens are accepted; options are named like the `--oidc-*` flags. */
export interface OidcOptions {
  /** https only. */
  readonly issuerUrl: string;
  /** Must be among the audiences (`aud`) of a token. */
  readonly clientId: string;
  /** PEM of the certificate authorities that the provider is verified with. Default: those of the platform. */
  readonly authority?: string;
  /** Default `sub`. */
  readonly usernameClaim?: string;
  /** Default: the issuer and `#`, except for `email`, which has none; `-` means no prefix. */
  readonly usernamePrefix?: string;
  /** May be a distributed claim, which is then fetched from its endpoint. */
  readonly groupsClaim?: string;
  readonly groupsPrefix?: string;
  /** Claims that must be present with this value. */
  readonly requiredClaims?: Readonly<Record<string, string>>;
  /** Default: RS256 only. */
  readonly signingAlgorithms?: readonly string[];
}

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  /** Audiences of this server. */
  readonly audiences: readonly string[];
}

const ALGORITHMS: readonly string[] = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'];
/** How long verified claims are cached: a revoked key and a changed distributed claim take effect at most this much later. */
const SIGNATURE_LIFE_MS = 10_000;

/** Authenticates ID tokens of an OpenID Connect provider. Throws an `Error` that names the flag for invalid options. @spec 5.4 */
export function oidc(options: OidcOptions, { clock, log, audiences: own }: Surroundings): TokenAuthenticator {
  check(options);
  const { issuerUrl: issuer, clientId, signingAlgorithms = ['RS256'] } = options;
  const rules = rulesOf(options);
  const { authority } = options;
  const closing = new AbortController();
  const surroundings = { authority, clock, log, ending: closing.signal };
  const keys = new ProviderKeys({ issuer, ...surroundings });
  const accepted = { clientId, algorithms: signingAlgorithms, clock };
  const elsewhere = new DistributedClaims({ ...accepted, ...surroundings });
  const verified = new TokenCache<Verified>(clock, (result) => ('claims' in result ? SIGNATURE_LIFE_MS : 0));
  /** The verified claims, distributed ones resolved; only a verified token for this client makes the server call an endpoint. */
  const verify = async (token: string, { header }: UncheckedToken): Promise<Verified> => {
    const signed = await verifyIdToken(token, header, keys, accepted);
    if ('why' in signed) return { why: notVerified(signed.why) };
    if (rules.groupsClaim === undefined) return signed;
    const claims = await elsewhere.expand(signed.claims, rules.groupsClaim);
    return claims === undefined ? { why: 'oidc: could not expand distributed claims' } : { claims };
  };
  return {
    name: 'oidc',
    async authenticateToken(token, question) {
      const read = readUnchecked(token);
      const audiences = commonAudiences(question.audiences, own);
      if (read === undefined || issuerOf(read.claims) !== issuer || audiences.length === 0) return undefined;
      const result = await verified.remember(verified.keyOf(token), () => verify(token, read));
      if ('why' in result) return refused(question, result.why);
      // Its time may have ended since.
      const why = whyNotForClient(result.claims, accepted);
      if (why !== undefined) return refused(question, notVerified(why));
      const found = userOfClaims(result.claims, rules);
      return 'why' in found ? refused(question, found.why) : { user: found.user, audiences };
    },
    close: () => closing.abort(),
  };
}

const notVerified = (why: string): string => `oidc: verify token: ${why}`;

function check({ issuerUrl, clientId, signingAlgorithms = [] }: OidcOptions): void {
  if (!URL.canParse(issuerUrl) || new URL(issuerUrl).protocol !== 'https:') {
    throw new Error(`oidc-issuer-url: ${JSON.stringify(issuerUrl)} is no https address`);
  }
  if (clientId === '') throw new Error('oidc-client-id: is needed beside oidc-issuer-url');
  const unknown = signingAlgorithms.find((name) => !ALGORITHMS.includes(name));
  if (unknown !== undefined) throw new Error(`oidc-signing-algs: ${JSON.stringify(unknown)} is none of ${ALGORITHMS.join(', ')}`);
}

function rulesOf({ issuerUrl, usernameClaim = 'sub', usernamePrefix, groupsClaim, groupsPrefix = '', requiredClaims = {} }: OidcOptions): UserClaims {
  const prefix = usernamePrefix ?? (usernameClaim === 'email' ? '' : `${issuerUrl}#`);
  return {
    usernameClaim,
    usernamePrefix: prefix === '-' ? '' : prefix,
    ...(groupsClaim === undefined ? {} : { groupsClaim }),
    groupsPrefix,
    requiredClaims,
  };
}
