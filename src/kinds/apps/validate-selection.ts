import { isUsableSelector, type LabelSelector } from '#api';
import type { FieldErrors } from '#errors';
import type { PodTemplateSpec } from '../core/pod/pod-template.ts';
import { goLabelSelector } from '../go-values.ts';
import { validateTemplateLabels } from './selector-rules.ts';
import { validateSelector } from './workload-rules.ts';

interface Selecting {
  readonly selector: LabelSelector | null;
  readonly template: PodTemplateSpec;
}

/** Validates the selector, and that it matches the labels of the template. `at`: the path of the spec. Returns whether the selector is valid. */
export function validateSelection({ selector, template }: Selecting, kind: 'deployment' | 'statefulset', at: FieldErrors): boolean {
  const here = at.child('selector');
  if (selector === null) here.required();
  validateSelector(selector, kind, here);
  if (selector !== null && !isUsableSelector(selector)) {
    here.invalid(goLabelSelector(selector), kind === 'statefulset' ? '' : 'invalid label selector');
    return false;
  }
  validateTemplateLabels(selector, template.metadata.labels, at.child('template'));
  return true;
}
