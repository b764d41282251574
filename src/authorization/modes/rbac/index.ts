export { rbac } from './authorizer.ts';
export { uncovered } from './cover.ts';
export type { AnyBinding, Rule } from './policy-parts.ts';
export { POLICY_KINDS, Policy, type PolicyKind } from './policy.ts';
export { rulesAllow } from './rule-match.ts';
export type { Granted } from './rules-for.ts';
export { storedRulesFor, storedRulesOf, type StoredPolicy } from './stored-rules.ts';
