import type { User } from '#request';
import type { Rule } from './policy-parts.ts';
import type { Policy } from './policy.ts';

/** Every rule this user has in a namespace, or, where that is empty, in the whole cluster; in the order of the bindings. */
export function rulesFor(policy: Policy, user: User, namespace: string): readonly Rule[] {
  const rules: Rule[] = [];
  for (const grants of policy.grantsOf(user, namespace)) {
    for (const { binding, namespace: at } of grants) rules.push(...(policy.rulesOf(binding.roleRef, at) ?? []));
  }
  return rules;
}
