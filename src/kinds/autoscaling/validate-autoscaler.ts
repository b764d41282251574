import type { Brand } from '#api';
import type { FieldErrors } from '#errors';
import { allowOneOf, requireNotNegative } from '../value-checks.ts';
import type { SpecV2, StatusV2 } from './autoscaler-bodies.ts';
import type { ScalingPolicy, ScalingRules } from './behavior.ts';
import { validateMetric, validateReference } from './validate-metrics.ts';

const SELECT_POLICIES = ['Disabled', 'Max', 'Min'];
const POLICY_TYPES = ['Percent', 'Pods'];
/** Types of metrics that exist without replicas. */
const WAKING = ['Object', 'External'];
const MAX_WINDOW_SECONDS = 3_600;
const MAX_PERIOD_SECONDS = 1_800;

/** Validates the spec. Scaling to zero is a feature that is off; an autoscaler that uses it already keeps it. */
export function validateAutoscalerSpec(spec: SpecV2, live: SpecV2 | undefined, brand: Brand, at: FieldErrors): void {
  const { minReplicas, maxReplicas, behavior } = spec;
  const least = live?.minReplicas === 0 ? 0 : 1;
  if (minReplicas !== undefined && minReplicas < least) at.child('minReplicas').invalid(minReplicas, `must be greater than or equal to ${least}`);
  if (maxReplicas < 1) at.child('maxReplicas').invalid(maxReplicas, 'must be greater than 0');
  if (minReplicas !== undefined && maxReplicas < minReplicas) at.child('maxReplicas').invalid(maxReplicas, 'must be greater than or equal to `minReplicas`');
  validateReference(spec.scaleTargetRef, at.child('scaleTargetRef'));
  for (const [position, metric] of (spec.metrics ?? []).entries()) validateMetric(metric, brand, at.child('metrics').index(position));
  if (minReplicas === 0 && !(spec.metrics ?? []).some(({ type }) => WAKING.includes(type))) {
    at.child('metrics').forbidden('must specify at least one Object or External metric to support scaling to zero replicas');
  }
  if (behavior?.scaleUp) validateRules(behavior.scaleUp, at.child('behavior', 'scaleUp'));
  if (behavior?.scaleDown) validateRules(behavior.scaleDown, at.child('behavior', 'scaleDown'));
}

function validateRules({ stabilizationWindowSeconds: window, selectPolicy, policies = [] }: ScalingRules, at: FieldErrors): void {
  const here = at.child('stabilizationWindowSeconds');
  if (window !== undefined && window < 0) here.invalid(window, 'must be greater than or equal to zero');
  if (window !== undefined && window > MAX_WINDOW_SECONDS) here.invalid(window, `must be less than or equal to ${MAX_WINDOW_SECONDS}`);
  allowOneOf(selectPolicy, at.child('selectPolicy'), SELECT_POLICIES);
  if (policies.length === 0) at.child('policies').required('must specify at least one Policy');
  for (const [position, policy] of policies.entries()) validatePolicy(policy, at.child('policies').index(position));
}

function validatePolicy({ type, value, periodSeconds: period }: ScalingPolicy, at: FieldErrors): void {
  allowOneOf(type, at.child('type'), POLICY_TYPES);
  if (value <= 0) at.child('value').invalid(value, 'must be greater than zero');
  if (period <= 0) at.child('periodSeconds').invalid(period, 'must be greater than zero');
  if (period > MAX_PERIOD_SECONDS) at.child('periodSeconds').invalid(period, `must be less than or equal to ${MAX_PERIOD_SECONDS}`);
}

export function validateAutoscalerStatus(status: StatusV2, at: FieldErrors): void {
  requireNotNegative(status.currentReplicas, at.child('currentReplicas'));
  requireNotNegative(status.desiredReplicas, at.child('desiredReplicas'));
}
