import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { failureText, isJsonObject, steady, type Clock, type JsonObject, type Log } from '#base';
import { textOf } from '../claims.ts';
import { fetchText } from './fetch-text.ts';

export interface ProviderOptions {
  readonly issuer: string;
  /** PEM of the certificate authorities that its certificate is verified with. Default: those of the platform. */
  readonly authority?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the server ends: a fetch in progress is given up. */
  readonly ending: AbortSignal;
}

/** A public key from the provider's key set (JWKS). */
export interface ProviderKey {
  readonly id: string | undefined;
  /** Absent: any algorithm that fits the type of the key. */
  readonly algorithm: string | undefined;
  readonly key: KeyObject;
}

/** Minimum time between two fetches, however often tokens name unknown keys. */
const COOLDOWN_MS = 10_000;
/** Keys that are older are fetched again, so that a revoked key is dropped. */
const MAX_AGE_MS = 3_600_000;

/** The public keys of an OpenID Connect provider, found by discovery. The first token triggers the first fetch. */
export class ProviderKeys {
  readonly #options: ProviderOptions;
  #keys: readonly ProviderKey[] = [];
  #fetchedAtMs = -Infinity;
  #triedAtMs = -Infinity;
  /** Whether the last fetch failed. */
  #isAway = false;
  #running: Promise<void> | undefined;

  constructor(options: ProviderOptions) {
    this.#options = options;
  }

  /**
   * The keys with this `kid`, or all where a token names none. Fetches first where the id is unknown or the keys are too old. Never throws: a failed
   * fetch is logged and leaves the keys as they were.
   */
  async find(id: string | undefined): Promise<readonly ProviderKey[]> {
    const isFresh = this.#nowMs() - this.#fetchedAtMs < MAX_AGE_MS;
    const isKnown = this.#matching(id).length > 0;
    if (isFresh && isKnown) return this.#matching(id);
    const refreshed = this.#refresh();
    // A token whose key is known does not wait for a provider that failed before: the fetch goes on in the background.
    if (!isKnown || !this.#isAway) await refreshed;
    return this.#matching(id);
  }

  /** Fetches again, then returns the matching keys that are not among `tried`: a provider may replace a key and keep its id. Never throws. */
  async findOthers(id: string | undefined, tried: readonly ProviderKey[]): Promise<readonly ProviderKey[]> {
    await this.#refresh();
    return this.#matching(id).filter((one) => !tried.includes(one));
  }

  #nowMs(): number {
    return steady(this.#options.clock).nowMs();
  }

  #matching(id: string | undefined): readonly ProviderKey[] {
    return id === undefined ? this.#keys : this.#keys.filter((one) => one.id === id);
  }

  #refresh(): Promise<void> | undefined {
    const { log, issuer, ending } = this.#options;
    if (this.#running !== undefined || this.#nowMs() - this.#triedAtMs < COOLDOWN_MS) return this.#running;
    this.#triedAtMs = this.#nowMs();
    this.#running = this.#fetch()
      .catch((cause: unknown) => {
        this.#isAway = true;
        if (!ending.aborted) log.warn('the keys of the identity provider cannot be fetched', { issuer, error: failureText(cause) });
      })
      .finally(() => (this.#running = undefined));
    return this.#running;
  }

  async #fetch(): Promise<void> {
    const { issuer } = this.#options;
    const found = await this.#get(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
    if (textOf(found, 'issuer') !== issuer) throw new Error('its discovery document names another issuer');
    const address = textOf(found, 'jwks_uri');
    if (address === undefined) throw new Error('its discovery document has no jwks_uri');
    const { keys } = await this.#get(address);
    if (!Array.isArray(keys)) throw new Error('its key document has no list of keys');
    this.#keys = keys.flatMap(readKey);
    this.#fetchedAtMs = this.#nowMs();
    this.#isAway = false;
  }

  async #get(address: string): Promise<JsonObject> {
    const { authority, ending } = this.#options;
    const document: unknown = JSON.parse(await fetchText(address, { authority, accept: 'application/json', signal: ending }));
    if (!isJsonObject(document)) throw new Error(`${address} is no JSON object`);
    return document;
  }
}

/** An RSA or EC key for signatures; every other key, or one that cannot be parsed, is left out. */
function readKey(value: unknown): readonly ProviderKey[] {
  if (!isJsonObject(value)) return [];
  const { kty, use = 'sig' } = value;
  if (use !== 'sig' || (kty !== 'RSA' && kty !== 'EC')) return [];
  try {
    const key = createPublicKey({ key: value as JsonWebKey, format: 'jwk' });
    return [{ id: textOf(value, 'kid'), algorithm: textOf(value, 'alg'), key }];
  } catch {
    return [];
  }
}
