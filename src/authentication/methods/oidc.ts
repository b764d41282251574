import type { Clock, JsonObject, Log } from '#base';
import type { TokenAuthenticator } from '#request';
import { commonAudiences, isTimely, textOf, textsOf } from '../claims.ts';
import { readUnchecked, verifyJws } from '../jws.ts';
import { ProviderKeys } from '../oidc/provider-keys.ts';
import { userOfClaims, type UserClaims } from '../oidc/user-claims.ts';
import { TokenCache } from '../token-cache.ts';

/** An identity provider whose ID tokens are accepted; named as the `--oidc-*` flags. */
export interface OidcOptions {
  /** https only. */
  readonly issuerUrl: string;
  /** Tokens must be meant for it. */
  readonly clientId: string;
  /** PEM of the authorities that vouch for the provider. Default: those that come with the platform. */
  readonly authority?: string;
  /** Default `sub`. */
  readonly usernameClaim?: string;
  /** Default: the issuer and `#`, save for `email`; `-` is none. */
  readonly usernamePrefix?: string;
  readonly groupsClaim?: string;
  readonly groupsPrefix?: string;
  /** Claims that must be there with this value. */
  readonly requiredClaims?: Readonly<Record<string, string>>;
  /** Default RS256 alone. */
  readonly signingAlgorithms?: readonly string[];
}

interface Surroundings {
  readonly clock: Clock;
  readonly log: Log;
  /** Those of this server. */
  readonly audiences: readonly string[];
}

const ALGORITHMS: readonly string[] = ['RS256', 'RS384', 'RS512', 'ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512'];
const LEEWAY = { expiredMs: 0, notBeforeMs: 5 * 60_000 };
/** A key that the provider takes back is believed at most so much longer. */
const SIGNATURE_LIFE_MS = 10_000;

/** ID tokens of an OpenID Connect provider. Throws an `Error` that names the flag for options that make no sense. @spec 5.4 */
export function oidc(options: OidcOptions, { clock, log, audiences: own }: Surroundings): TokenAuthenticator {
  check(options);
  const { issuerUrl: issuer, clientId, signingAlgorithms = ['RS256'] } = options;
  const rules = rulesOf(options);
  const keys = new ProviderKeys({ issuer, clock, log, ...(options.authority === undefined ? {} : { authority: options.authority }) });
  const signed = new TokenCache<JsonObject>(clock);
  const verify = async (token: string, { alg, kid }: JsonObject): Promise<JsonObject | undefined> => {
    if (typeof alg !== 'string' || !signingAlgorithms.includes(alg)) return undefined;
    const found = await keys.find(typeof kid === 'string' ? kid : undefined);
    const fitting = found.filter(({ algorithm = alg }) => algorithm === alg);
    return verifyJws(token, fitting.map(({ key }) => ({ key, algorithm: alg })));
  };
  return {
    name: 'oidc',
    async authenticateToken(token, question) {
      const read = readUnchecked(token);
      const audiences = commonAudiences(question.audiences, own);
      if (read === undefined || textOf(read.claims, 'iss') !== issuer || audiences.length === 0) return undefined;
      const claims = await signed.remember(signed.keyOf(token), () => verify(token, read.header), SIGNATURE_LIFE_MS);
      if (claims === undefined) return undefined;
      const isForUs = textsOf(claims, 'aud')?.includes(clientId) === true && isTimely(claims, clock.nowMs(), LEEWAY);
      const user = isForUs ? userOfClaims(claims, rules) : undefined;
      return user === undefined ? undefined : { user, audiences };
    },
  };
}

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
