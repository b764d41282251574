import type { User } from '#request';
import type { AnyBinding, Rule } from './policy-parts.ts';
import type { Grant, Policy } from './policy.ts';

/** Limit, in characters, for repeating the rules of a role that several bindings refer to: repeats carry no information. */
const MAX_REPEATED = 256 * 1024;

/** What the bindings of a user grant. */
export interface Granted {
  readonly rules: readonly Rule[];
  /** The roles that they refer to and that do not exist. */
  readonly missing: readonly AnyBinding['roleRef'][];
}

/**
 * All rules that a user has in a namespace, or cluster-wide where that is empty, in the order of the bindings. A binding with several matching
 * subjects counts once. Where many bindings refer to the same role, its rules are not repeated for all of them.
 */
export function rulesFor(policy: Policy, user: User, namespace: string): Granted {
  const rules: Rule[] = [];
  const missing: AnyBinding['roleRef'][] = [];
  const seen = new Set<Grant['binding']>();
  const told = new Set<readonly Rule[]>();
  let left = MAX_REPEATED;
  for (const grants of policy.grantsOf(user, namespace)) {
    for (const { binding, namespace: at } of grants) {
      if (seen.has(binding)) continue;
      seen.add(binding);
      const granted = policy.rulesOf(binding.roleRef, at);
      if (granted === undefined) {
        missing.push(binding.roleRef);
        continue;
      }
      if (told.has(granted) && (left -= sizeOf(granted)) < 0) continue;
      told.add(granted);
      for (const rule of granted) rules.push(rule);
    }
  }
  return { rules, missing };
}

/** In characters, the JSON syntax around them included. */
const sizeOf = (rules: readonly Rule[]): number => rules.reduce((sum, rule) => sum + sizeOfRule(rule), 0);
const sizeOfRule = (rule: Rule): number => MEMBERS.reduce((sum, name) => (rule[name] ?? []).reduce((so, text) => so + text.length + 3, sum), 32);
const MEMBERS = ['verbs', 'apiGroups', 'resources', 'resourceNames', 'nonResourceURLs'] as const;
