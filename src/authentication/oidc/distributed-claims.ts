import { failureText, GenerationCache, type Clock, type JsonObject, type Log } from '#base';
import { objectOf, textOf } from '../claims.ts';
import { readUnchecked } from '../jws.ts';
import { fetchText } from './fetch-text.ts';
import { ProviderKeys } from './provider-keys.ts';
import { isForClient, verifySigned } from './verify-id-token.ts';

export interface DistributedClaimsOptions {
  readonly clientId: string;
  readonly algorithms: readonly string[];
  /** PEM of the authorities that vouch for the places claims are at. */
  readonly authority?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Where a claim is. */
interface Source {
  readonly address: string;
  readonly accessToken: string | undefined;
}

/** Those whose keys are remembered; who vouches for a claim is said by who answers. */
const MAX_ISSUERS = 16;

/**
 * Claims that an ID token does not hold but says where they are: in a token of their own, signed by whoever answers there.
 * The ID token must have been checked before: it says who is asked.
 */
export class DistributedClaims {
  readonly #options: DistributedClaimsOptions;
  readonly #issuers = new GenerationCache<string, ProviderKeys>(MAX_ISSUERS * 2, () => 1);

  constructor(options: DistributedClaimsOptions) {
    this.#options = options;
  }

  /** The claims with this one in them, if it is somewhere else. undefined: it should be, and cannot be had. Never throws. */
  async expand(claims: JsonObject, claim: string): Promise<JsonObject | undefined> {
    if (Object.hasOwn(claims, claim) || objectOf(claims, '_claim_names') === undefined) return claims;
    try {
      const source = sourceOf(claims, claim);
      return source === undefined ? claims : { ...claims, [claim]: await this.#resolve(source, claim) };
    } catch (cause) {
      this.#options.log.warn('a claim that is somewhere else cannot be had', { claim, error: failureText(cause) });
      return undefined;
    }
  }

  async #resolve({ address, accessToken }: Source, claim: string): Promise<JsonObject[string]> {
    const { authority, algorithms, clientId, clock } = this.#options;
    const token = (await fetchText(address, { authority, accept: 'application/jwt', bearerToken: accessToken })).trim();
    const read = readUnchecked(token);
    const issuer = read && textOf(read.claims, 'iss');
    if (read === undefined || issuer === undefined) throw new Error('what stands there is no token of anybody');
    const held = await verifySigned(token, read.header, this.#keysOf(issuer), algorithms);
    if (held === undefined || !isForClient(held, clientId, clock)) throw new Error('the token that stands there is not signed by its issuer, or not meant for this server now');
    if (!Object.hasOwn(held, claim)) throw new Error('the token that stands there has no such claim');
    return held[claim];
  }

  #keysOf(issuer: string): ProviderKeys {
    const { authority, clock, log } = this.#options;
    const known = this.#issuers.get(issuer) ?? new ProviderKeys({ issuer, authority, clock, log });
    this.#issuers.set(issuer, known);
    return known;
  }
}

/** undefined: nothing is said about this claim, or it is held in a way that needs no address. Throws an `Error` for what makes no sense. */
function sourceOf(claims: JsonObject, claim: string): Source | undefined {
  const name = textOf(objectOf(claims, '_claim_names') ?? {}, claim);
  const sources = objectOf(claims, '_claim_sources');
  if (sources === undefined) throw new Error('the token names sources and does not describe them');
  if (name === undefined) return undefined;
  const source = objectOf(sources, name);
  if (source === undefined) throw new Error('the token names a source and does not describe it');
  const address = textOf(source, 'endpoint');
  return address === undefined ? undefined : { address, accessToken: textOf(source, 'access_token') };
}
