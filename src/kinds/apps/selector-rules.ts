import { compileSelectorMessage, type LabelSelector, type Labels } from '#api';
import { type FieldErrors, goTextMap } from '#errors';

/** Pods made from the template must be among those the workload looks after. `at` is the place of the template. */
export function validateTemplateLabels(selector: LabelSelector | null, labels: Labels, at: FieldErrors): void {
  if (!compileSelectorMessage(selector)(labels)) at.child('metadata', 'labels').invalid(goTextMap(labels), '`selector` does not match template `labels`');
}
