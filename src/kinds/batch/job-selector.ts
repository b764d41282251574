import { compileSelectorMessage, isUsableSelector, labelOf, type ObjectMeta } from '#api';
import { goTextMap, type FieldErrors } from '#errors';
import { goLabelSelector } from '../go-values.ts';
import type { JobSpec } from './job-spec.ts';

interface Selecting {
  readonly metadata: ObjectMeta;
  readonly spec: JobSpec;
}

/** Labels that identify the pods of a job. */
const UID_LABEL = 'controller-uid';
const NAME_LABEL = 'job-name';

/** Generates the selector of a new job from its uid, unless `manualSelector` is set. Changes `job`. */
export function generateSelector({ metadata, spec }: Selecting): void {
  if (spec.manualSelector === true) return;
  const { uid = '', name = '' } = metadata;
  const pods = spec.template.metadata;
  const labels = { [NAME_LABEL]: name, [UID_LABEL]: uid, ...pods.labels };
  // Labels that the job shares with its pods remain the same object.
  if (metadata.labels !== undefined && metadata.labels === pods.labels) metadata.labels = labels;
  pods.labels = labels;
  spec.selector ??= {};
  spec.selector.matchLabels = { [UID_LABEL]: uid, ...spec.selector.matchLabels };
}

/** Validates that a generated selector and the labels of the template match the job's uid and name. `at`: the path of the object. */
export function validateGeneratedSelector({ metadata, spec }: Selecting, at: FieldErrors): void {
  if (spec.manualSelector === true || spec.selector === undefined) return;
  const { uid = '', name = '' } = metadata;
  if (uid === '') at.child('metadata', 'uid').required();
  const labels = spec.template.metadata.labels;
  const here = at.child('spec', 'template', 'metadata', 'labels');
  validateHas(labels, UID_LABEL, uid, here);
  validateHas(labels, NAME_LABEL, name, here);
  if (!isUsableSelector(spec.selector)) return;
  if (!compileSelectorMessage(spec.selector)({ [UID_LABEL]: uid, [NAME_LABEL]: name })) {
    at.child('spec', 'selector').invalid(goLabelSelector(spec.selector), '`selector` not auto-generated');
  }
}

function validateHas(labels: Readonly<Record<string, string>> | undefined, key: string, expected: string, at: FieldErrors): void {
  const value = labelOf(labels, key);
  if (value === undefined) at.key(key).required(`must be '${expected}'`);
  else if (value !== expected) at.key(key).invalid(goTextMap(labels), `must be '${expected}'`);
}
