import type { Clock, JsonObject } from '#base';
import { isTimely, textsOf } from '../claims.ts';
import { verifyJws } from '../jws.ts';
import type { ProviderKey, ProviderKeys } from './provider-keys.ts';

const LEEWAY = { expiredMs: 0, notBeforeMs: 60_000 };

/** The claims of a token that the provider has signed with one of `algorithms`; undefined: no key verifies it. */
export async function verifySigned(token: string, { alg, kid }: JsonObject, keys: ProviderKeys, algorithms: readonly string[]): Promise<JsonObject | undefined> {
  if (typeof alg !== 'string' || !algorithms.includes(alg)) return undefined;
  const id = typeof kid === 'string' ? kid : undefined;
  const verifyWith = (some: readonly ProviderKey[]): Promise<JsonObject | undefined> =>
    verifyJws(token, some.filter(({ algorithm = alg }) => algorithm === alg).map(({ key }) => ({ key, algorithm: alg })));
  const found = await keys.find(id);
  return (await verifyWith(found)) ?? verifyWith(await keys.findOthers(id, found));
}

/** Whether these claims have this client as an audience and are valid at this moment. */
export const isForClient = (claims: JsonObject, clientId: string, clock: Clock): boolean =>
  textsOf(claims, 'aud')?.includes(clientId) === true && isTimely(claims, clock.nowMs(), LEEWAY);
