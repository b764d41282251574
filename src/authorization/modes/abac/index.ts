export { abac } from './authorizer.ts';
export { readAbacPolicies } from './policy-line.ts';
