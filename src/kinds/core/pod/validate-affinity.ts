import { checkDnsLabel, checkQualifiedName, report, validateLabelSelector } from '#api';
import type { FieldErrors } from '#errors';
import type { Affinity, NodeAffinity, PodAffinity, PodAffinityTerm, PodAntiAffinity } from './affinity.ts';
import { validateNodeSelector, validateNodeSelectorTerm } from './validate-node-selector.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution';

export function validateAffinity({ nodeAffinity, podAffinity, podAntiAffinity }: Affinity, at: FieldErrors): void {
  if (nodeAffinity) validateNodeAffinity(nodeAffinity, at.child('nodeAffinity'));
  if (podAffinity) validatePodAffinity(podAffinity, at.child('podAffinity'));
  if (podAntiAffinity) validatePodAffinity(podAntiAffinity, at.child('podAntiAffinity'));
}

function validateNodeAffinity(affinity: NodeAffinity, at: FieldErrors): void {
  const required = affinity[REQUIRED];
  if (required) validateNodeSelector(required, at.child(REQUIRED));
  for (const [position, { weight, preference }] of (affinity[PREFERRED] ?? []).entries()) {
    const here = at.child(PREFERRED).index(position);
    validateWeight(weight, here.child('weight'));
    validateNodeSelectorTerm(preference, here.child('preference'));
  }
}

function validatePodAffinity(affinity: PodAffinity | PodAntiAffinity, at: FieldErrors): void {
  for (const [position, term] of (affinity[REQUIRED] ?? []).entries()) validateTerm(term, at.child(REQUIRED).index(position));
  for (const [position, { weight, podAffinityTerm }] of (affinity[PREFERRED] ?? []).entries()) {
    const here = at.child(PREFERRED).index(position);
    validateWeight(weight, here.child('weight'));
    validateTerm(podAffinityTerm, here.child('podAffinityTerm'));
  }
}

function validateWeight(weight: number, at: FieldErrors): void {
  if (weight < 1 || weight > 100) at.invalid(weight, 'must be in the range 1-100');
}

function validateTerm({ labelSelector, namespaceSelector, namespaces, topologyKey }: PodAffinityTerm, at: FieldErrors): void {
  validateLabelSelector(labelSelector, at.child('labelSelector'));
  validateLabelSelector(namespaceSelector, at.child('namespaceSelector'));
  for (const namespace of namespaces ?? []) report(at.child('namespace'), namespace, checkDnsLabel(namespace));
  if (topologyKey === '') at.child('topologyKey').required('can not be empty');
  report(at.child('topologyKey'), topologyKey, checkQualifiedName(topologyKey));
}
