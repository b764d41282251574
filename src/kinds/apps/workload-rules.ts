import { isDeepEqual } from '#base';
import { isEmptySelector, validateLabelSelector, type LabelSelector } from '#api';
import type { FieldErrors } from '#errors';
import { goLabelSelector } from '../go-values.ts';
import type { PodRules } from '../core/pod/pod-rules.ts';
import type { PodTemplateSpec } from '../core/pod/pod-template.ts';
import { validatePodTemplate } from '../core/pod/validate-pod-template.ts';
import type { Volume } from '../core/volume/volume.ts';

interface Running {
  readonly owner: 'DaemonSet' | 'ReplicaSet' | 'ReplicationController';
  /** Whether there can be several pods at the same time. */
  readonly isReplicated: boolean;
}

/** Validates the template of a workload that keeps its pods running. */
export function validateLongRunningTemplate(template: PodTemplateSpec, { owner, isReplicated }: Running, at: FieldErrors, rules: PodRules): void {
  validatePodTemplate(template, at, rules);
  if (isReplicated) validateSharedDisks(template.spec.volumes ?? [], at.child('spec', 'volumes'));
  validateEndless(template, owner, at);
}

/** Pods that are kept running always restart and have no deadline. `at`: the path of the template. */
export function validateEndless({ spec }: PodTemplateSpec, owner: Running['owner'] | 'StatefulSet', at: FieldErrors): void {
  const here = at.child('spec');
  if (spec.restartPolicy !== 'Always') here.child('restartPolicy').notSupported(spec.restartPolicy, ['Always']);
  if (spec.activeDeadlineSeconds !== undefined) here.child('activeDeadlineSeconds').forbidden(`activeDeadlineSeconds in ${owner} is not Supported`);
}

/** Disks that several pods mount must be read-only. `at`: the path of the volumes. */
function validateSharedDisks(volumes: readonly Volume[], at: FieldErrors): void {
  for (const [position, { gcePersistentDisk: disk }] of volumes.entries()) {
    if (disk === undefined || disk.readOnly === true) continue;
    at.index(position).child('gcePersistentDisk', 'readOnly').invalid(false, 'must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is read-only');
  }
}

/** Validates a selector, which must not be empty. */
export function validateSelector(selector: LabelSelector | null, kind: string, at: FieldErrors): void {
  validateLabelSelector(selector, at);
  if (selector !== null && isEmptySelector(selector)) at.invalid(goLabelSelector(selector), `empty selector is invalid for ${kind}`);
}

/** The selector of a workload is immutable. */
export function validateSelectorKept(next: LabelSelector | null, live: LabelSelector | null, at: FieldErrors): void {
  if (!isDeepEqual(next, live)) at.invalid(next && goLabelSelector(next), 'field is immutable');
}
