import { isUsableSelector } from '#api';
import { goStruct, type FieldErrors } from '#errors';
import type { PodRules } from '../core/pod/pod-rules.ts';
import { requireNotNegative } from '../value-checks.ts';
import { goIntOrString, goPointer } from '../go-values.ts';
import { amountOf, validateAtMostAll, validateCountOrPercent } from './count-or-percent.ts';
import type { DaemonSetSpec, DaemonSetStatus, DaemonSetUpdateStrategy, RollingUpdateDaemonSet } from './daemon-set-spec.ts';
import { validateTemplateLabels } from './selector-rules.ts';
import { validateCollisionsKept, validateCounters } from './status-rules.ts';
import { validateLongRunningTemplate, validateSelector } from './workload-rules.ts';

const STRATEGIES = ['RollingUpdate', 'OnDelete'];

/** @spec 2.10 */
export function validateDaemonSetSpec(spec: DaemonSetSpec, at: FieldErrors, rules: PodRules): void {
  validateSelector(spec.selector, 'daemonset', at.child('selector'));
  if (spec.selector === null || isUsableSelector(spec.selector)) {
    validateTemplateLabels(spec.selector, spec.template.metadata.labels, at.child('template'));
  }
  validateLongRunningTemplate(spec.template, { owner: 'DaemonSet', isReplicated: true }, at.child('template'), rules);
  requireNotNegative(spec.minReadySeconds, at.child('minReadySeconds'));
  validateStrategy(spec.updateStrategy, at.child('updateStrategy'));
  requireNotNegative(spec.revisionHistoryLimit, at.child('revisionHistoryLimit'));
}

/** An unknown type is reported at the path of the strategy, as in kube-apiserver. Parameters beside OnDelete are not validated. */
function validateStrategy({ type, rollingUpdate }: DaemonSetUpdateStrategy, at: FieldErrors): void {
  if (type === 'OnDelete') return;
  if (type !== 'RollingUpdate') at.notSupported(goStruct('apps.DaemonSetUpdateStrategy', { Type: type ?? '', RollingUpdate: goPointer('apps.RollingUpdateDaemonSet', rollingUpdate) }), STRATEGIES);
  else if (rollingUpdate === undefined) at.child('rollingUpdate').required();
  else validateRollingUpdate(rollingUpdate, at.child('rollingUpdate'));
}

/** An update either removes the old pod first or adds the new one first: exactly one of the two numbers is not zero. */
function validateRollingUpdate({ maxUnavailable, maxSurge }: RollingUpdateDaemonSet, at: FieldErrors): void {
  validateCountOrPercent(maxUnavailable, at.child('maxUnavailable'));
  validateCountOrPercent(maxSurge, at.child('maxSurge'));
  validateAtMostAll(maxUnavailable, at.child('maxUnavailable'));
  validateAtMostAll(maxSurge, at.child('maxSurge'));
  const canMiss = amountOf(maxUnavailable) !== 0;
  const canSurge = amountOf(maxSurge) !== 0;
  if (canMiss && canSurge) at.child('maxSurge').invalid(goIntOrString(maxSurge), 'may not be set when maxUnavailable is non-zero');
  if (!canMiss && !canSurge) at.child('maxUnavailable').required('cannot be 0 when maxSurge is 0');
}

const COUNTERS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
] as const;

/** @spec 2.10 */
export function validateDaemonSetStatus(next: DaemonSetStatus, live: DaemonSetStatus, at: FieldErrors): void {
  validateCounters(next, COUNTERS, at);
  validateCollisionsKept(next, live, at);
}
