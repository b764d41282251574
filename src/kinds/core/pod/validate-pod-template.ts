import { validateAnnotations, validateMatchLabels } from '#api';
import type { FieldErrors } from '#errors';
import type { PodRules } from './pod-rules.ts';
import type { PodTemplateSpec } from './pod-template.ts';
import { validatePodAnnotations, validateSeccompAgreement } from './validate-pod-annotations.ts';
import { validatePodSpec } from './validate-pod-spec.ts';

/** Validates the pod template of a workload. */
export function validatePodTemplate({ metadata, spec }: PodTemplateSpec, at: FieldErrors, rules: PodRules): void {
  const annotations = metadata.annotations ?? {};
  validateMatchLabels(metadata.labels, at.child('labels'));
  validateAnnotations(annotations, at.child('annotations'));
  validatePodAnnotations(annotations, spec, at.child('annotations'), rules);
  validatePodSpec(spec, at.child('spec'), rules);
  validateSeccompAgreement(annotations, spec, at.child('spec'), rules);
  if ((spec.ephemeralContainers ?? []).length > 0) at.child('spec', 'ephemeralContainers').forbidden('ephemeral containers not allowed in pod template');
}
