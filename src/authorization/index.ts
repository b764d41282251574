export { escalationCheck, type EscalationCheck } from './escalation.ts';
export { impersonationStage, type Refuse } from './impersonate.ts';
export { abac, readAbacPolicies } from './modes/abac/index.ts';
export { alwaysAllow, alwaysDeny, privilegedGroup } from './modes/always.ts';
export { nodeAuthorizer } from './modes/node/index.ts';
export { POLICY_KINDS, Policy, rbac, uncovered, type PolicyKind, type Rule } from './modes/rbac/index.ts';
export { authorizationWebhook, type AuthorizationWebhookOptions } from './modes/webhook.ts';
export { authorizationStage } from './stage.ts';
export { union } from './union.ts';
