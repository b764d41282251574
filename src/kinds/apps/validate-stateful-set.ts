import { validateAnnotations, validateMatchLabels } from '#api';
import { goStruct, type FieldErrors, type GoValue } from '#errors';
import { isSameMeaning } from '#schema';
import type { PodRules } from '../core/pod/pod-rules.ts';
import type { PodTemplateSpec } from '../core/pod/pod-template.ts';
import { validatePodAnnotations } from '../core/pod/validate-pod-annotations.ts';
import { requireNotNegative } from '../value-checks.ts';
import { goPointer } from '../go-values.ts';
import { validateNotMoreThan } from './part-counts.ts';
import { StatefulSetSpec, type StatefulSetStatus, type StatefulSetUpdateStrategy } from './stateful-set-spec.ts';
import { validateCollisionsKept, validateCounters } from './status-rules.ts';
import { validateSelection } from './validate-selection.ts';
import { validateEndless } from './workload-rules.ts';

const RETENTIONS = ['Retain', 'Delete'];

export function validateStatefulSetSpec(spec: StatefulSetSpec, at: FieldErrors, rules: PodRules): void {
  validatePodManagement(spec.podManagementPolicy, at.child('podManagementPolicy'));
  validateStrategy(spec.updateStrategy, at.child('updateStrategy'));
  validateRetention(spec, at.child('persistentVolumeClaimRetentionPolicy'));
  requireNotNegative(spec.replicas, at.child('replicas'));
  requireNotNegative(spec.minReadySeconds, at.child('minReadySeconds'));
  if (validateSelection(spec, 'statefulset', at)) validateTemplate(spec.template, at.child('template'), rules);
  validateEndless(spec.template, 'StatefulSet', at.child('template'));
}

function validatePodManagement(policy: string | undefined, at: FieldErrors): void {
  if (!policy) at.required();
  else if (policy !== 'OrderedReady' && policy !== 'Parallel') at.invalid(policy, `must be 'OrderedReady' or 'Parallel'`);
}

function validateStrategy(strategy: StatefulSetUpdateStrategy, at: FieldErrors): void {
  const { type, rollingUpdate } = strategy;
  const here = at.child('rollingUpdate');
  if (type === 'RollingUpdate') requireNotNegative(rollingUpdate?.partition, here.child('partition'));
  else if (type !== 'OnDelete') at.invalid(showStrategy(strategy), `must be 'RollingUpdate' or 'OnDelete'`);
  else if (rollingUpdate !== undefined) here.invalid(goStruct('apps.RollingUpdateStatefulSetStrategy', { Partition: rollingUpdate.partition ?? 0 }), `only allowed for updateStrategy 'RollingUpdate'`);
}

const showStrategy = ({ type, rollingUpdate }: StatefulSetUpdateStrategy): GoValue =>
  goStruct('apps.StatefulSetUpdateStrategy', { Type: type ?? '', RollingUpdate: goPointer('apps.RollingUpdateStatefulSetStrategy', rollingUpdate) });

/** What becomes of the claims when the set is deleted or becomes smaller; both must be said. */
function validateRetention({ persistentVolumeClaimRetentionPolicy: policy }: StatefulSetSpec, at: FieldErrors): void {
  if (policy === undefined) return;
  for (const when of ['whenDeleted', 'whenScaled'] as const) {
    if (!RETENTIONS.includes(policy[when] ?? '')) at.child(when).notSupported(policy[when] ?? '', RETENTIONS);
  }
}

/** The pod spec of a StatefulSet's template is not validated; only its metadata is. */
function validateTemplate({ metadata, spec }: PodTemplateSpec, at: FieldErrors, rules: PodRules): void {
  validateMatchLabels(metadata.labels, at.child('labels'));
  validateAnnotations(metadata.annotations, at.child('annotations'));
  validatePodAnnotations(metadata.annotations ?? {}, spec, at.child('annotations'), rules);
}

const CHANGEABLE: ReadonlySet<string> = new Set(['replicas', 'template', 'updateStrategy', 'minReadySeconds', 'persistentVolumeClaimRetentionPolicy']);

/** A changed immutable field is reported once, at the path of the spec; mutable numbers are validated again, as in kube-apiserver. */
export function validateStatefulSetChange(next: StatefulSetSpec, live: StatefulSetSpec, at: FieldErrors): void {
  if (!isSameMeaning(StatefulSetSpec, fixedPartOf(next), fixedPartOf(live))) {
    at.forbidden(`updates to statefulset spec for fields other than 'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`);
  }
  requireNotNegative(next.replicas, at.child('replicas'));
  requireNotNegative(next.minReadySeconds, at.child('minReadySeconds'));
  validateRetention(next, at.child('persistentVolumeClaimRetentionPolicy'));
}

function fixedPartOf(spec: StatefulSetSpec): Partial<StatefulSetSpec> {
  return Object.fromEntries(Object.entries(spec).filter(([member]) => !CHANGEABLE.has(member)));
}

const COUNTERS = ['replicas', 'readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas', 'observedGeneration', 'collisionCount'] as const;
const PARTS = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'] as const;

export function validateStatefulSetStatus(next: StatefulSetStatus, live: StatefulSetStatus, at: FieldErrors): void {
  validateCounters(next, COUNTERS, at);
  validateNotMoreThan(next, PARTS, 'replicas', at);
  validateNotMoreThan(next, ['availableReplicas'], 'readyReplicas', at, 'readyReplicas');
  validateCollisionsKept(next, live, at);
}
