export { abac } from './authorizer.ts';
export { readAbacPolicies, type AbacPolicy } from './policy-line.ts';
