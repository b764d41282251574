import type { User } from '#request';
import type { Rule } from './policy-parts.ts';
import type { Grant, Policy } from './policy.ts';

/**
 * Every rule this user has in a namespace, or, where that is empty, in the whole cluster; in the order of the bindings. A binding that names
 * the user several times, itself and its groups, grants once.
 */
export function rulesFor(policy: Policy, user: User, namespace: string): readonly Rule[] {
  const rules: Rule[] = [];
  const seen = new Set<Grant['binding']>();
  for (const grants of policy.grantsOf(user, namespace)) {
    for (const { binding, namespace: at } of grants) {
      if (seen.has(binding)) continue;
      seen.add(binding);
      rules.push(...(policy.rulesOf(binding.roleRef, at) ?? []));
    }
  }
  return rules;
}
