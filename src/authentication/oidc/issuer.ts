import type { JsonObject } from '#base';
import { textOf } from '../claims.ts';

/** Google names itself without a scheme in some of its tokens; OpenID Connect Core 15.6.2 allows that for this issuer alone. */
const GOOGLE = 'accounts.google.com';

/** The issuer that a token names, as discovery and `--oidc-issuer-url` spell it; undefined: it names none. */
export function issuerOf(claims: JsonObject): string | undefined {
  const issuer = textOf(claims, 'iss');
  return issuer === GOOGLE ? `https://${GOOGLE}` : issuer;
}
