import type { Clock, JsonObject } from '#base';
import { goQuoted, goQuotedList } from '#errors';
import { textsOf, whenOf } from '../claims.ts';
import { verifyJws } from '../jws.ts';
import type { ProviderKey, ProviderKeys } from './provider-keys.ts';

const LEEWAY = { expiredMs: 0, notBeforeMs: 60_000 };

/** The claims of a token, or why nobody believes them. */
export type Verified = { readonly claims: JsonObject } | { readonly why: string };

/** Which tokens are accepted. */
export interface AcceptedTokens {
  /** Must be among their audiences. */
  readonly clientId: string;
  readonly algorithms: readonly string[];
  readonly clock: Clock;
}

/** The claims of a token that the provider has signed, that is meant for this client and is valid at this moment. */
export async function verifyIdToken(token: string, header: JsonObject, keys: ProviderKeys, accepted: AcceptedTokens): Promise<Verified> {
  const signed = await verifySigned(token, header, keys, accepted.algorithms);
  if ('why' in signed) return signed;
  const why = whyNotForClient(signed.claims, accepted);
  return why === undefined ? signed : { why };
}

async function verifySigned(token: string, { alg, kid }: JsonObject, keys: ProviderKeys, algorithms: readonly string[]): Promise<Verified> {
  if (typeof alg !== 'string' || !algorithms.includes(alg)) {
    return { why: `oidc: id token signed with unsupported algorithm, expected ${goQuotedList(algorithms)} got ${goQuoted(typeof alg === 'string' ? alg : '')}` };
  }
  const id = typeof kid === 'string' ? kid : undefined;
  const verifyWith = (some: readonly ProviderKey[]): Promise<JsonObject | undefined> =>
    verifyJws(token, some.filter(({ algorithm = alg }) => algorithm === alg).map(({ key }) => ({ key, algorithm: alg })));
  const found = await keys.find(id);
  const claims = (await verifyWith(found)) ?? (await verifyWith(await keys.findOthers(id, found)));
  return claims === undefined ? { why: 'failed to verify signature: failed to verify id token signature' } : { claims };
}

/** What is said of a token that does not count now. */
const NOT_NOW = {
  before: 'oidc: token is expired',
  later: 'oidc: current time before the nbf (not before) time',
  unreadable: 'oidc: failed to unmarshal claims: exp, nbf and iat must be numbers',
} as const;

/** Why these claims are not meant for this client, or not valid at this moment; undefined: they are. */
export function whyNotForClient(claims: JsonObject, { clientId, clock }: Omit<AcceptedTokens, 'algorithms'>): string | undefined {
  const audiences = textsOf(claims, 'aud') ?? [];
  if (!audiences.includes(clientId)) return `oidc: expected audience ${goQuoted(clientId)} got ${goQuotedList(audiences)}`;
  const when = whenOf(claims, clock.nowMs(), LEEWAY);
  return when === 'now' ? undefined : NOT_NOW[when];
}
