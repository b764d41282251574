import { checkLabelValue, compileSelectorMessage, validateLabelSelector, type LabelSelector, type Labels } from '#api';
import { FieldErrors, goTextMap } from '#errors';

/** Whether a selector can be asked at all: nothing is wrong with it, its values included. */
export function isUsableSelector(selector: LabelSelector): boolean {
  const faults = new FieldErrors();
  validateLabelSelector(selector, faults);
  const values = (selector.matchExpressions ?? []).flatMap((one) => one.values ?? []);
  return faults.isEmpty && values.every((value) => checkLabelValue(value) === undefined);
}

/** Pods made from the template must be among those the workload looks after. `at` is the place of the template. */
export function validateTemplateLabels(selector: LabelSelector | null, labels: Labels, at: FieldErrors): void {
  if (!compileSelectorMessage(selector)(labels)) at.child('metadata', 'labels').invalid(goTextMap(labels), '`selector` does not match template `labels`');
}
