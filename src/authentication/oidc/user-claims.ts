import { memberOf, type JsonObject } from '#base';
import { goQuoted } from '#errors';
import type { User } from '#request';
import { textOf, textsOf } from '../claims.ts';

/** How the claims of an ID token become a user. */
export interface UserClaims {
  readonly usernameClaim: string;
  /** Prepended to the user name; may be empty. */
  readonly usernamePrefix: string;
  /** Absent: users have no groups. */
  readonly groupsClaim?: string;
  readonly groupsPrefix: string;
  /** Claims that must be present with exactly this value. */
  readonly requiredClaims: Readonly<Record<string, string>>;
}

/** The user of an ID token; or why it has none: it lacks the user name or a required claim, has a malformed groups claim or an unverified email. */
export function userOfClaims(claims: JsonObject, rules: UserClaims): { readonly user: User } | { readonly why: string } {
  const { usernameClaim, usernamePrefix, groupsClaim, groupsPrefix, requiredClaims } = rules;
  const name = textOf(claims, usernameClaim);
  if (name === undefined) return { why: `oidc: parse username claims ${goQuoted(usernameClaim)}: ${Object.hasOwn(claims, usernameClaim) ? 'no text' : 'claim not present'}` };
  if (usernameClaim === 'email' && Object.hasOwn(claims, 'email_verified') && claims['email_verified'] !== true) return { why: 'oidc: email not verified' };
  const groups = groupsOf(claims, groupsClaim);
  if (groups === undefined) return { why: `oidc: parse groups claim ${goQuoted(groupsClaim ?? '')}: no list of texts` };
  for (const [claim, value] of Object.entries(requiredClaims)) {
    if (!Object.hasOwn(claims, claim)) return { why: `oidc: required claim ${claim} not present in ID token` };
    if (claims[claim] !== value) return { why: `oidc: required claim ${claim} value does not match, want = ${value}` };
  }
  return { user: { name: `${usernamePrefix}${name}`, groups: groups.map((group) => `${groupsPrefix}${group}`) } };
}

/** A single group may be a string; null is no group, as some providers send it. undefined: the claim has another type. */
function groupsOf(claims: JsonObject, claim: string | undefined): readonly string[] | undefined {
  if (claim === undefined) return [];
  const said = memberOf(claims, claim);
  return said === undefined || said === null ? [] : textsOf(claims, claim);
}
