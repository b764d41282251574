import { isRoutable } from '#codec';
import { methodNotAllowed, notAcceptable } from '#errors';
import type { Reply, Routed } from '#request';
import type { PublishedKey, TokenKeys } from './token-keys.ts';

export interface OidcEndpointOptions {
  readonly issuer: string;
  readonly keys: TokenKeys;
  /** The JWKS address in the discovery document. */
  readonly address: string;
}

/** The path of the JWKS. */
export const JWKS_PATH = '/openid/v1/jwks';
const DISCOVERY_PATH = '/.well-known/openid-configuration';
/** Keys change with a restart at most. */
const CACHE_CONTROL = 'public, max-age=3600';

/**
 * Serves the discovery document of the service account issuer and its public keys. An issuer without an https address cannot be discovered: neither
 * is served then. Returns undefined for other paths.
 * @spec 5.9
 */
export function createOidcEndpoints({ issuer, keys, address }: OidcEndpointOptions): (request: Routed) => Reply | undefined {
  if (!URL.canParse(issuer) || new URL(issuer).protocol !== 'https:') return () => undefined;
  return ({ info: { path: asked }, method, headers }) => {
    const path = asked.endsWith('/') ? asked.slice(0, -1) : asked;
    if (path !== JWKS_PATH && path !== DISCOVERY_PATH) return undefined;
    if (method !== 'GET') throw methodNotAllowed();
    const mediaType = path === JWKS_PATH ? 'application/jwk-set+json' : 'application/json';
    if (!isRoutable(headers.get('accept')?.[0] ?? '', [mediaType])) throw notAcceptable([mediaType]);
    const known = knownKeys(keys);
    if (path === JWKS_PATH) return reply(mediaType, { keys: known.map(jwkOf) });
    return reply(mediaType, {
      issuer,
      jwks_uri: address,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [...new Set(known.map(({ algorithm }) => algorithm))].sort(),
    });
  };
}

/** A request before the first token was issued gets the key that will sign it. */
function knownKeys(keys: TokenKeys): readonly PublishedKey[] {
  if (keys.verifying().length === 0) keys.signing();
  return keys.verifying();
}

/** The public members only. */
function jwkOf({ key, algorithm, keyId }: PublishedKey): object {
  return { use: 'sig', kid: keyId, alg: algorithm, ...key.export({ format: 'jwk' }) };
}

const reply = (contentType: string, document: object): Reply => ({
  status: 200,
  headers: { 'content-type': contentType, 'cache-control': CACHE_CONTROL },
  body: new TextEncoder().encode(JSON.stringify(document)),
});
