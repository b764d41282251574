export { escalationCheck, type EscalationCheck, type PolicyWrite } from './escalation.ts';
export { impersonationStage, type Refuse } from './impersonate.ts';
export { privilegedGroup } from './modes/always.ts';
export { POLICY_KINDS, Policy, rbac, type PolicyKind } from './modes/rbac/index.ts';
export { authorizationStage } from './stage.ts';
export { union } from './union.ts';
