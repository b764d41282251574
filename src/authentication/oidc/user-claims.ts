import { memberOf, type JsonObject } from '#base';
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

/** The user of an ID token. undefined: the token lacks the user name or a required claim, has a malformed groups claim or an unverified email. */
export function userOfClaims(claims: JsonObject, rules: UserClaims): User | undefined {
  const name = textOf(claims, rules.usernameClaim);
  const groups = groupsOf(claims, rules.groupsClaim);
  if (name === undefined || groups === undefined) return undefined;
  if (rules.usernameClaim === 'email' && Object.hasOwn(claims, 'email_verified') && claims['email_verified'] !== true) return undefined;
  const isComplete = Object.entries(rules.requiredClaims).every(([claim, value]) => Object.hasOwn(claims, claim) && claims[claim] === value);
  if (!isComplete) return undefined;
  return { name: `${rules.usernamePrefix}${name}`, groups: groups.map((group) => `${rules.groupsPrefix}${group}`) };
}

/** A single group may be a string; null is no group, as some providers send it. undefined: the claim has another type. */
function groupsOf(claims: JsonObject, claim: string | undefined): readonly string[] | undefined {
  if (claim === undefined) return [];
  const said = memberOf(claims, claim);
  return said === undefined || said === null ? [] : textsOf(claims, claim);
}
