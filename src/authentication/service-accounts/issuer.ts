import type { Brand } from '#api';
import type { TokenIssuer } from '#request';
import { signJws, type SigningKey } from '../jws.ts';
import { boundClaims, legacyClaims } from './token-claims.ts';

export interface TokenIssuerOptions {
  readonly brand: Brand;
  /** The claim `iss` of bound tokens. */
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly maxExpirationSeconds?: number;
  readonly extendsExpiration: boolean;
  /** Called for every token: the key may be generated with the first one. */
  signingKey(): SigningKey;
  /** The key for legacy tokens, which are stored in Secrets. */
  secretSigningKey(): SigningKey;
}

/** Creates the issuer of service account tokens. @spec 5.9 */
export function createTokenIssuer(options: TokenIssuerOptions): TokenIssuer {
  const { brand, issuer, audiences, maxExpirationSeconds, extendsExpiration } = options;
  return {
    audiences,
    extendsExpiration,
    ...(maxExpirationSeconds === undefined ? {} : { maxExpirationSeconds }),
    issueBound: (order) => signJws(boundClaims(order, issuer, brand), options.signingKey()),
    issueLegacy: (order) => signJws(legacyClaims(order, brand), options.secretSigningKey()),
  };
}
