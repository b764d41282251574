import { goStruct, type FieldErrors } from '#errors';
import type { PodRules } from '../core/pod/pod-rules.ts';
import { requireNotNegative } from '../value-checks.ts';
import { goIntOrString, goPointer } from '../go-values.ts';
import { amountOf, validateAtMostAll, validateCountOrPercent } from './count-or-percent.ts';
import type { DeploymentSpec, DeploymentStatus, DeploymentStrategy, RollingUpdateDeployment } from './deployment-spec.ts';
import { validateNotMoreThan } from './part-counts.ts';
import { validateCollisionsKept, validateCounters } from './status-rules.ts';
import { validateSelection } from './validate-selection.ts';
import { validateLongRunningTemplate } from './workload-rules.ts';

const STRATEGIES = ['Recreate', 'RollingUpdate'];

export function validateDeploymentSpec(spec: DeploymentSpec, at: FieldErrors, rules: PodRules): void {
  requireNotNegative(spec.replicas, at.child('replicas'));
  // An invalid selector hides faults of the template.
  const running = { owner: 'ReplicaSet', isReplicated: (spec.replicas ?? 0) > 1 } as const;
  if (validateSelection(spec, 'deployment', at)) validateLongRunningTemplate(spec.template, running, at.child('template'), rules);
  validateStrategy(spec.strategy, at.child('strategy'));
  requireNotNegative(spec.minReadySeconds, at.child('minReadySeconds'));
  requireNotNegative(spec.revisionHistoryLimit, at.child('revisionHistoryLimit'));
  validateDeadline(spec, at.child('progressDeadlineSeconds'));
}

/** An unknown type is reported at the path of the strategy, as in kube-apiserver. */
function validateStrategy({ type, rollingUpdate }: DeploymentStrategy, at: FieldErrors): void {
  const here = at.child('rollingUpdate');
  if (type === 'Recreate') {
    if (rollingUpdate !== undefined) here.forbidden(`may not be specified when strategy \`type\` is 'Recreate'`);
  } else if (type !== 'RollingUpdate') at.notSupported(goStruct('apps.DeploymentStrategy', { Type: type ?? '', RollingUpdate: goPointer('apps.RollingUpdateDeployment', rollingUpdate) }), STRATEGIES);
  else if (rollingUpdate === undefined) here.required('this should be defaulted and never be nil');
  else validateRollingUpdate(rollingUpdate, here);
}

function validateRollingUpdate({ maxUnavailable, maxSurge }: RollingUpdateDeployment, at: FieldErrors): void {
  validateCountOrPercent(maxUnavailable, at.child('maxUnavailable'));
  validateCountOrPercent(maxSurge, at.child('maxSurge'));
  if (amountOf(maxUnavailable) === 0 && amountOf(maxSurge) === 0) at.child('maxUnavailable').invalid(goIntOrString(maxUnavailable), 'may not be 0 when `maxSurge` is 0');
  validateAtMostAll(maxUnavailable, at.child('maxUnavailable'));
}

/** The progress deadline must be later than the earliest availability of a pod. */
function validateDeadline({ progressDeadlineSeconds: deadline, minReadySeconds = 0 }: DeploymentSpec, at: FieldErrors): void {
  if (deadline === undefined) return;
  requireNotNegative(deadline, at);
  if (deadline <= minReadySeconds) at.invalid(deadline, 'must be greater than minReadySeconds');
}

const COUNTERS = ['observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas', 'unavailableReplicas', 'collisionCount'] as const;
const PARTS = ['updatedReplicas', 'readyReplicas', 'availableReplicas'] as const;

export function validateDeploymentStatus(next: DeploymentStatus, live: DeploymentStatus, at: FieldErrors): void {
  validateCounters(next, COUNTERS, at);
  validateNotMoreThan(next, PARTS, 'replicas', at);
  validateNotMoreThan(next, ['availableReplicas'], 'readyReplicas', at, 'readyReplicas');
  validateCollisionsKept(next, live, at);
}
