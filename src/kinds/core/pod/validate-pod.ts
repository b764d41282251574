import { isDeepEqual } from '#base';
import { differenceText, type FieldErrors } from '#errors';
import { isSameMeaning } from '#schema';
import type { Container } from './container.ts';
import type { PodLike, PodRules } from './pod-rules.ts';
import { PodSpec } from './pod-spec.ts';
import { validateImageSpace, validateImageSpaces } from './validate-container.ts';
import { validatePodAnnotations, validateSeccompAgreement } from './validate-pod-annotations.ts';
import { validatePodSpec } from './validate-pod-spec.ts';
import { validateTolerations } from './validate-tolerations.ts';
import { requireText } from '../../value-checks.ts';

/** Validates a create or update of the pod itself, without subresource. `at`: the path of the object. */
export function validatePod(next: PodLike, live: PodLike | undefined, at: FieldErrors, rules: PodRules): void {
  const annotations = next.metadata.annotations ?? {};
  const spec = at.child('spec');
  validatePodAlone(next, at, rules);
  if (live !== undefined) {
    validateAnnotationsKept(next, live, at, rules);
    validateSpecKept(next.spec, live.spec, spec);
    return;
  }
  if ((next.spec.ephemeralContainers ?? []).length > 0) spec.child('ephemeralContainers').forbidden('cannot be set on create');
  validateSeccompAgreement(annotations, next.spec, spec, rules);
}

/**
 * Validates a pod without comparison to the stored spec: the spec, and the rules that templates need not follow. `at`: the path of the object.
 * Of the metadata only the annotations with a meaning for pods are validated.
 */
export function validatePodAlone({ metadata, spec }: PodLike, at: FieldErrors, rules: PodRules): void {
  const here = at.child('spec');
  validatePodAnnotations(metadata.annotations ?? {}, spec, at.child('metadata', 'annotations'), rules);
  validatePodSpec(spec, here, rules, metadata.name);
  validateTokens(spec, here);
  validateImageSpaces(spec.containers ?? [], here.child('containers'));
  validateImageSpaces(spec.initContainers ?? [], here.child('initContainers'));
}

/** A projected service account token requires a service account. */
function validateTokens(spec: PodSpec, at: FieldErrors): void {
  if (spec.serviceAccountName) return;
  for (const [position, { projected }] of (spec.volumes ?? []).entries()) {
    for (const [sourcePosition, { serviceAccountToken }] of (projected?.sources ?? []).entries()) {
      if (serviceAccountToken === undefined) continue;
      const here = at.child('volumes').index(position).child('projected', 'sources').index(sourcePosition).child('serviceAccountToken');
      here.forbidden('must not be specified when serviceAccountName is not set');
    }
  }
}

type Annotations = Readonly<Record<string, string>>;

/**
 * Checks that annotations that a kubelet reads when it starts the pod do not change, then validates the annotations (again). `at`: the path of the
 * object.
 */
export function validateAnnotationsKept(next: PodLike, live: PodLike, at: FieldErrors, rules: PodRules): void {
  const { mirrorPodAnnotation: mirror, apparmorAnnotationPrefix: apparmor } = rules.brand.names;
  const here = at.child('metadata', 'annotations');
  const [after, before] = [next.metadata.annotations ?? {}, live.metadata.annotations ?? {}];
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const fixed = key === mirror ? 'mirror pod annotation' : key.startsWith(apparmor) ? 'AppArmor annotations' : undefined;
    const valueIn = (from: Annotations): string | undefined => (Object.hasOwn(from, key) ? from[key] : undefined);
    if (fixed !== undefined && valueIn(before) !== valueIn(after)) here.key(key).forbidden(`may not ${valueIn(before) === undefined ? 'add' : 'remove or update'} ${fixed}`);
  }
  validatePodAnnotations(after, next.spec, here, rules);
}

/**
 * The spec of a pod is immutable except for images, a smaller deadline and additional tolerations. Those fields are validated again here, so that
 * their faults are repeated, as in kube-apiserver.
 */
function validateSpecKept(next: PodSpec, live: PodSpec, at: FieldErrors): void {
  for (const list of ['containers', 'initContainers'] as const) {
    if (!validateImages(next[list] ?? [], live[list] ?? [], at.child(list))) return;
  }
  if (!validateDeadline(next.activeDeadlineSeconds, live.activeDeadlineSeconds, at.child('activeDeadlineSeconds'))) return;
  validateTolerationsKept(next, live, at.child('tolerations'));
  if (isDeepEqual(next, live)) return;
  const [sent, kept] = [withoutChangeable(next, live), withoutChangeable(live, live)];
  if (!isSameMeaning(PodSpec, sent, kept)) {
    at.forbidden(
      'pod updates may not change fields other than `spec.containers[*].image`, `spec.initContainers[*].image`, `spec.activeDeadlineSeconds`, ' +
        '`spec.tolerations` (only additions to existing tolerations) or `spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)' +
        differenceText(sent, kept),
    );
  }
}

/** Returns whether both lists have the same length. */
function validateImages(next: readonly Container[], live: readonly Container[], at: FieldErrors): boolean {
  if (next.length !== live.length) {
    at.forbidden('pod updates may not add or remove containers');
    return false;
  }
  for (const [position, { image }] of next.entries()) {
    const here = at.index(position).child('image');
    requireText(image, here);
    validateImageSpace(image, here);
  }
  return true;
}

type Seconds = number | bigint | undefined;

/** A deadline may be set or reduced. Returns whether validation goes on. */
function validateDeadline(next: Seconds, live: Seconds, at: FieldErrors): boolean {
  if (next === undefined) {
    if (live !== undefined) at.invalid(null, 'must not update from a positive integer to nil value');
    return true;
  }
  if (next < 0 || next > 2 ** 31 - 1) {
    at.invalid(next, 'must be between 0 and 2147483647, inclusive');
    return false;
  }
  if (live === undefined || live >= next) return true;
  at.invalid(next, 'must be less than or equal to previous value');
  return false;
}

function validateTolerationsKept(next: PodSpec, live: PodSpec, at: FieldErrors): void {
  // As texts in a set: comparing every toleration with every other one would take minutes for the longest lists.
  const withoutTime = ({ tolerations }: PodSpec): readonly string[] =>
    (tolerations ?? []).map(({ key, operator, value, effect }) => JSON.stringify({ key, operator, value, effect }));
  const found = new Set(withoutTime(next));
  const isKept = withoutTime(live).every((old) => found.has(old));
  if (isKept) validateTolerations(next.tolerations ?? [], at);
  else at.forbidden('existing toleration can not be modified except its tolerationSeconds');
}

function withoutChangeable(spec: PodSpec, live: PodSpec): object {
  const { activeDeadlineSeconds: _, tolerations: __, containers, initContainers, terminationGracePeriodSeconds: grace, ...rest } = spec;
  const withoutImages = (list: readonly Container[] | null | undefined): readonly object[] => (list ?? []).map(({ image: ___, ...others }) => others);
  const isMended = grace === 1 && (live.terminationGracePeriodSeconds ?? 0) < 0;
  return {
    ...rest,
    containers: withoutImages(containers),
    initContainers: withoutImages(initContainers),
    terminationGracePeriodSeconds: isMended ? live.terminationGracePeriodSeconds : grace,
  };
}
