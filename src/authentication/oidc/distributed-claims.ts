import { failureText, GenerationCache, type JsonObject, type Log } from '#base';
import { objectOf, textOf } from '../claims.ts';
import { readUnchecked } from '../jws.ts';
import { fetchText } from './fetch-text.ts';
import { issuerOf } from './issuer.ts';
import { ProviderKeys } from './provider-keys.ts';
import { verifyIdToken, type AcceptedTokens } from './verify-id-token.ts';

export interface DistributedClaimsOptions extends AcceptedTokens {
  /** PEM of the certificate authorities that the claim endpoints are verified with. Default: those of the platform. */
  readonly authority?: string | undefined;
  readonly log: Log;
  /** Aborted when the server ends: a fetch in progress is given up. */
  readonly ending: AbortSignal;
}

/** The endpoint that serves a claim. */
interface Source {
  readonly address: string;
  readonly accessToken: string | undefined;
}

/** Issuers whose keys are cached. Their number is bounded since the response of an endpoint names its issuer. */
const MAX_ISSUERS = 16;

/**
 * Resolves distributed claims (OpenID Connect Core 5.6.2): an ID token names an endpoint instead of the claim, and the endpoint answers with a JWT
 * signed by its issuer.
 * The ID token must have been verified before: it decides which endpoint is called.
 */
export class DistributedClaims {
  readonly #options: DistributedClaimsOptions;
  readonly #issuers = new GenerationCache<string, ProviderKeys>(MAX_ISSUERS * 2, () => 1);

  constructor(options: DistributedClaimsOptions) {
    this.#options = options;
  }

  /** The claims, completed by this one where it is distributed. undefined: it is distributed and cannot be resolved (logged). Never throws. */
  async expand(claims: JsonObject, claim: string): Promise<JsonObject | undefined> {
    if (Object.hasOwn(claims, claim) || !Object.hasOwn(claims, '_claim_names')) return claims;
    try {
      const source = sourceOf(claims, claim);
      return source === undefined ? claims : { ...claims, [claim]: await this.#resolve(source, claim) };
    } catch (cause) {
      const { log, ending } = this.#options;
      if (!ending.aborted) log.warn('a claim that is somewhere else cannot be had', { claim, error: failureText(cause) });
      return undefined;
    }
  }

  async #resolve({ address, accessToken }: Source, claim: string): Promise<JsonObject[string]> {
    const { authority, ending } = this.#options;
    const token = (await fetchText(address, { authority, accept: 'application/jwt', bearerToken: accessToken, signal: ending })).trim();
    const read = readUnchecked(token);
    const issuer = read && issuerOf(read.claims);
    if (read === undefined || issuer === undefined) throw new Error('what stands there is no token of anybody');
    const held = await verifyIdToken(token, read.header, this.#keysOf(issuer), this.#options);
    if ('why' in held) throw new Error(`the token that stands there is not accepted: ${held.why}`);
    if (!Object.hasOwn(held.claims, claim)) throw new Error('the token that stands there has no such claim');
    return held.claims[claim];
  }

  #keysOf(issuer: string): ProviderKeys {
    const { authority, clock, log, ending } = this.#options;
    const known = this.#issuers.get(issuer) ?? new ProviderKeys({ issuer, authority, clock, log, ending });
    this.#issuers.set(issuer, known);
    return known;
  }
}

/** undefined: the claim is not distributed, or its source has no endpoint. Throws an `Error` for a malformed reference. */
function sourceOf(claims: JsonObject, claim: string): Source | undefined {
  const [names, sources] = [objectOf(claims, '_claim_names'), objectOf(claims, '_claim_sources')];
  if (names === undefined || sources === undefined) throw new Error('the token names sources and does not describe them');
  if (!Object.hasOwn(names, claim)) return undefined;
  const source = objectOf(sources, textOf(names, claim) ?? '');
  if (source === undefined) throw new Error('the token names a source and does not describe it');
  const address = textOf(source, 'endpoint');
  return address === undefined ? undefined : { address, accessToken: textOf(source, 'access_token') };
}
