import type { FieldErrors } from '#errors';
import type { PodRules } from '../core/pod/pod-rules.ts';
import { requireNotNegative } from '../value-checks.ts';
import { validateNotMoreThan } from './part-counts.ts';
import type { ReplicaSetSpec, ReplicaSetStatus } from './replica-set-spec.ts';
import { validateCounters } from './status-rules.ts';
import { validateSelection } from './validate-selection.ts';
import { validateLongRunningTemplate } from './workload-rules.ts';

export function validateReplicaSetSpec(spec: ReplicaSetSpec, at: FieldErrors, rules: PodRules): void {
  requireNotNegative(spec.replicas, at.child('replicas'));
  requireNotNegative(spec.minReadySeconds, at.child('minReadySeconds'));
  // An invalid selector hides faults of the template.
  const running = { owner: 'ReplicaSet', isReplicated: (spec.replicas ?? 0) > 1 } as const;
  if (validateSelection(spec, 'deployment', at)) validateLongRunningTemplate(spec.template, running, at.child('template'), rules);
}

const COUNTERS = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'] as const;
const PARTS = ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'] as const;

export function validateReplicaSetStatus(next: ReplicaSetStatus, at: FieldErrors): void {
  validateCounters(next, COUNTERS, at);
  validateNotMoreThan(next, PARTS, 'replicas', at);
  validateNotMoreThan(next, ['availableReplicas'], 'readyReplicas', at, 'readyReplicas');
}
