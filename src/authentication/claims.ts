import { isJsonObject, isTexts, memberOf, type JsonObject } from '#base';

/** A claim that is a non-empty string; undefined: absent or another type. */
export function textOf(claims: JsonObject, name: string): string | undefined {
  const value = memberOf(claims, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A claim that is an object; undefined: absent or another type. */
export function objectOf(claims: JsonObject, name: string): JsonObject | undefined {
  const value = memberOf(claims, name);
  return isJsonObject(value) ? value : undefined;
}

/** A claim that is a string or a list of strings, as `aud` may be. undefined: absent or another type. */
export function textsOf(claims: JsonObject, name: string): readonly string[] | undefined {
  const value = memberOf(claims, name);
  if (typeof value === 'string') return [value];
  return isTexts(value) ? value : undefined;
}

/** Tolerated clock skew between the issuer of a token and this server, by claim. */
export interface Leeway {
  readonly expiredMs: number;
  readonly notBeforeMs: number;
}

/**
 * When a token counts, as seen at `nowMs`: `exp` is required, `nbf` and `iat` are optional. A claim of them that is no number makes the token `unreadable`.
 * The value of `iat` does not limit its use.
 */
export function whenOf(claims: JsonObject, nowMs: number, { expiredMs, notBeforeMs }: Leeway): 'now' | 'before' | 'later' | 'unreadable' {
  const { exp, nbf = 0, iat = 0 } = claims;
  if (typeof exp !== 'number' || typeof nbf !== 'number' || typeof iat !== 'number') return 'unreadable';
  if (nowMs - expiredMs > exp * 1000) return 'before';
  return nowMs + notBeforeMs >= nbf * 1000 ? 'now' : 'later';
}

/** The wanted audiences that are also offered. Both may be very many: a review and a token may name as many as they have room for. */
export function commonAudiences(wanted: readonly string[], offered: readonly string[]): readonly string[] {
  const known = new Set(offered);
  return wanted.filter((one) => known.has(one));
}
