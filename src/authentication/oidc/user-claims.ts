import { memberOf, type JsonObject } from '#base';
import type { User } from '#request';
import { textOf, textsOf } from '../claims.ts';

/** How the claims of an ID token become a user. */
export interface UserClaims {
  readonly usernameClaim: string;
  /** Stands before the name; empty: nothing does. */
  readonly usernamePrefix: string;
  /** Absent: users have no groups. */
  readonly groupsClaim?: string;
  readonly groupsPrefix: string;
  /** Claims that must be there with exactly this value. */
  readonly requiredClaims: Readonly<Record<string, string>>;
}

/** The user an ID token is about. undefined: it does not say, or lacks what is required. */
export function userOfClaims(claims: JsonObject, rules: UserClaims): User | undefined {
  const name = textOf(claims, rules.usernameClaim);
  const groups = groupsOf(claims, rules.groupsClaim);
  if (name === undefined || groups === undefined) return undefined;
  if (rules.usernameClaim === 'email' && Object.hasOwn(claims, 'email_verified') && claims['email_verified'] !== true) return undefined;
  const isComplete = Object.entries(rules.requiredClaims).every(([claim, value]) => Object.hasOwn(claims, claim) && claims[claim] === value);
  if (!isComplete) return undefined;
  return { name: `${rules.usernamePrefix}${name}`, groups: groups.map((group) => `${rules.groupsPrefix}${group}`) };
}

/** One group may stand without a list; null is none, as some providers say it. undefined: there is something else. */
function groupsOf(claims: JsonObject, claim: string | undefined): readonly string[] | undefined {
  if (claim === undefined) return [];
  const said = memberOf(claims, claim);
  return said === undefined || said === null ? [] : textsOf(claims, claim);
}
