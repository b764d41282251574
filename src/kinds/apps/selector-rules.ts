import { compileSelectorMessage, type LabelSelector, type Labels } from '#api';
import { type FieldErrors, goTextMap } from '#errors';

/** The labels of the template must match the selector. `at`: the path of the template. */
export function validateTemplateLabels(selector: LabelSelector | null, labels: Labels, at: FieldErrors): void {
  if (!compileSelectorMessage(selector)(labels)) at.child('metadata', 'labels').invalid(goTextMap(labels), '`selector` does not match template `labels`');
}
