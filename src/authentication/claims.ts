import { isJsonObject, memberOf, type JsonObject } from '#base';

/** A member that is a text and not empty; undefined: absent or something else. */
export function textOf(claims: JsonObject, name: string): string | undefined {
  const value = memberOf(claims, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A member that is an object; undefined: absent or something else. */
export function objectOf(claims: JsonObject, name: string): JsonObject | undefined {
  const value = memberOf(claims, name);
  return isJsonObject(value) ? value : undefined;
}

/** A text or a list of texts, as `aud` may be. undefined: absent or something else. */
export function textsOf(claims: JsonObject, name: string): readonly string[] | undefined {
  const value = memberOf(claims, name);
  if (typeof value === 'string') return [value];
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? (value as readonly string[]) : undefined;
}

/** How far the clocks of those who make and check tokens may be apart, by claim. */
export interface Leeway {
  readonly expiredMs: number;
  readonly notBeforeMs: number;
}

/**
 * Whether the moment lies in the life of a token: `exp` must be there, `nbf` and `iat` may. Claims that are no numbers make a token bad.
 * When it was made says nothing about when it may be used.
 */
export function isTimely(claims: JsonObject, nowMs: number, { expiredMs, notBeforeMs }: Leeway): boolean {
  const { exp, nbf = 0, iat = 0 } = claims;
  if (typeof exp !== 'number' || typeof nbf !== 'number' || typeof iat !== 'number') return false;
  return nowMs - expiredMs <= exp * 1000 && nowMs + notBeforeMs >= nbf * 1000;
}

/** Those of the wanted audiences that the other list has. */
export const commonAudiences = (wanted: readonly string[], offered: readonly string[]): readonly string[] =>
  wanted.filter((one) => offered.includes(one));
