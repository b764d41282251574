import type { Clock, JsonObject } from '#base';
import type { Brand, ObjectAccess } from '#api';
import type { Identity, TokenAuthenticator, TokenQuestion, User } from '#request';
import { goQuotedList } from '#errors';
import { commonAudiences, textOf, textsOf, whenOf } from '../claims.ts';
import type { CredentialObserver } from '../credential-observer.ts';
import { readUnchecked, verifyJws, type VerifyingKey } from '../jws.ts';
import { refused } from '../refused.ts';
import { accountUser } from '../service-accounts/account-user.ts';
import { whyBoundTokenEnded, whyLegacyTokenEnded } from '../service-accounts/revocation.ts';
import { readBoundClaims, readLegacyClaims } from '../service-accounts/token-claims.ts';
import { TokenCache } from '../token-cache.ts';

export interface ServiceAccountTokenOptions {
  readonly brand: Brand;
  readonly clock: Clock;
  readonly objects: Pick<ObjectAccess, 'get'>;
  /** Accepted values of the claim `iss`. */
  readonly issuers: readonly string[];
  /** Audiences of this server. */
  readonly audiences: readonly string[];
  /** Whether a legacy token must still be in its Secret. The objects of bound tokens are always looked up. */
  readonly isLookedUp: boolean;
  verifyingKeys(): readonly VerifyingKey[];
  readonly observer?: Pick<CredentialObserver, 'accountToken'>;
}

/** What is said of a token whose signature no key verifies. */
const BAD_SIGNATURE = 'square/go-jose: error in cryptographic primitive';

/** What is said of a token that does not count now. */
const NOT_NOW = {
  before: 'service account token has expired',
  later: 'service account token is not valid yet',
  unreadable: 'service account token claims could not be validated',
} as const;

function forOthers(named: readonly string[], { audiences }: TokenQuestion): string {
  return `token audiences ${goQuotedList(named)} is invalid for the target audiences ${goQuotedList(audiences)}`;
}

const LEEWAY = { expiredMs: 60_000, notBeforeMs: 60_000 };
/** How long a verified signature is cached: the keys do not change while the server runs. */
const SIGNATURE_LIFE_MS = 10 * 60_000;

/**
 * Authenticates bound and legacy (Secret) tokens of service accounts. Only the verified signature is cached; expiry, account and bound objects are
 * checked for every request, so that a deletion revokes the token at once.
 * @spec 5.9
 */
export function serviceAccountTokens(options: ServiceAccountTokenOptions): TokenAuthenticator {
  const { brand, clock, issuers } = options;
  const signed = new TokenCache<JsonObject | undefined>(clock, (claims) => (claims === undefined ? 0 : SIGNATURE_LIFE_MS));
  return {
    name: 'service-account-token',
    async authenticateToken(token, question) {
      const issuer = textOf(readUnchecked(token)?.claims ?? {}, 'iss');
      const isLegacy = issuer === brand.names.legacyTokenIssuer;
      if (issuer === undefined || (!isLegacy && !issuers.includes(issuer))) return undefined;
      const claims = await signed.remember(signed.keyOf(token), () => verifyJws(token, options.verifyingKeys()));
      if (claims === undefined) return refused(question, BAD_SIGNATURE);
      return isLegacy ? judgeLegacy(token, claims, question, options) : judgeBound(claims, question, options);
    },
  };
}

async function judgeBound(claims: JsonObject, question: TokenQuestion, options: ServiceAccountTokenOptions): Promise<Identity | undefined> {
  const { brand, objects } = options;
  const nowMs = options.clock.nowMs();
  const bound = readBoundClaims(claims, brand);
  const named = namedAudiences(claims);
  const audiences = commonAudiences(question.audiences, named ?? options.audiences);
  if (audiences.length === 0) return refused(question, forOthers(named ?? options.audiences, question));
  const when = whenOf(claims, nowMs, LEEWAY);
  if (when !== 'now') return refused(question, NOT_NOW[when]);
  if (bound === undefined) return refused(question, NOT_NOW.unreadable);
  const end = await whyBoundTokenEnded(bound, objects, nowMs);
  if (end !== undefined) return refused(question, end);
  const { namespace, account, pod, warnAfter } = bound;
  const user = accountUser(namespace, account, pod, brand);
  if (named === undefined) tellLegacy(user, question, options);
  if (warnAfter === undefined) return { user, audiences };
  const isStale = nowMs > warnAfter * 1000;
  options.observer?.accountToken(isStale ? 'stale' : 'valid');
  if (isStale) {
    const lateSeconds = Math.floor(nowMs / 1000) - warnAfter;
    question.annotate(`${brand.group('authentication')}/stale-token`, `subject: ${user.name}, seconds after warning threshold: ${lateSeconds}`);
  }
  return { user, audiences };
}

async function judgeLegacy(
  token: string,
  claims: JsonObject,
  question: TokenQuestion,
  options: ServiceAccountTokenOptions,
): Promise<Identity | undefined> {
  const { brand, objects, isLookedUp } = options;
  const legacy = readLegacyClaims(claims, brand);
  const named = namedAudiences(claims);
  const audiences = commonAudiences(question.audiences, named ?? options.audiences);
  if (audiences.length === 0) return refused(question, forOthers(named ?? options.audiences, question));
  if (legacy === undefined) return refused(question, NOT_NOW.unreadable);
  const end = isLookedUp ? await whyLegacyTokenEnded(token, legacy, objects) : undefined;
  if (end !== undefined) return refused(question, end);
  const user = accountUser(legacy.namespace, legacy.account, undefined, brand);
  if (named === undefined) tellLegacy(user, question, options);
  return { user, audiences };
}

/** Tells of a token without audiences: the audit event of the request, and the metrics. */
function tellLegacy(user: User, question: TokenQuestion, { brand, observer }: ServiceAccountTokenOptions): void {
  question.annotate(`${brand.group('authentication')}/legacy-token`, user.name);
  observer?.accountToken('legacy');
}

/** The audiences that a token names; a claim that is no list of texts names nobody. undefined: none at all, as in Secrets; it is valid for those of this server. */
function namedAudiences(claims: JsonObject): readonly string[] | undefined {
  if (!Object.hasOwn(claims, 'aud')) return undefined;
  const named = textsOf(claims, 'aud') ?? [];
  return Array.isArray(claims['aud']) && claims['aud'].length === 0 ? undefined : named;
}
