import { report } from '#api';
import type { FieldErrors } from '#errors';
import { everyContainer } from './every-container.ts';
import type { PodRules } from './pod-rules.ts';
import type { PodSpec } from './pod-spec.ts';
import { checkAppArmorName, LOCAL_PROFILE, RUNTIME_DEFAULTS, validateSeccompName } from './profile-names.ts';
import type { SeccompProfile } from './security-context.ts';
import type { Toleration } from './toleration.ts';
import { validateTolerations } from './validate-tolerations.ts';
import { memberInAnyCase, readJson } from '../../read-json.ts';

type Annotations = Readonly<Record<string, string>>;

/** Validates the annotations with a meaning for pods. `at`: the path of the annotations. */
export function validatePodAnnotations(annotations: Annotations, spec: PodSpec, at: FieldErrors, { brand, liveAnnotations: live }: PodRules): void {
  const { mirrorPodAnnotation: mirror, seccompPodAnnotation: seccomp, seccompContainerAnnotationPrefix: seccompPrefix, apparmorAnnotationPrefix: apparmor } = brand.names;
  const deletionCost = `controller.${brand.names.domain}/pod-deletion-cost`;
  const tolerations = `scheduler.alpha.${brand.names.domain}/tolerations`;
  // A deletion cost that was stored as no number may stay so.
  const isCostKept = live !== undefined && Object.hasOwn(live, deletionCost) && !isInt32(live[deletionCost] ?? '');
  const [mirrored, tolerated, cost, profile] = [mirror, tolerations, deletionCost, seccomp].map((key) => (Object.hasOwn(annotations, key) ? annotations[key] : undefined));
  if (mirrored !== undefined && !spec.nodeName) at.key(mirror).invalid(mirrored, 'must set spec.nodeName if mirror pod annotation is set');
  if (tolerated) validateTolerationsOfOld(tolerated, tolerations, at);
  if (cost !== undefined && !isCostKept && !isInt32(cost)) at.key(deletionCost).invalid(cost, 'must be a 32bit integer');
  if (profile !== undefined) validateSeccompName(profile, at.child(seccomp));
  for (const [key, value] of Object.entries(annotations)) if (key.startsWith(seccompPrefix)) validateSeccompName(value, at.child(key));
  for (const [key, value] of Object.entries(annotations)) {
    if (key.startsWith(apparmor)) validateAppArmor(key.slice(apparmor.length), value, spec, at.key(key));
  }
}

/** Validates the annotation that held tolerations before there was a field. */
function validateTolerationsOfOld(text: string, key: string, at: FieldErrors): void {
  const read = readJson(text, 'array', '[]core.Toleration');
  if ('fault' in read) at.invalid(key, read.fault);
  else validateTolerations(((read.value ?? []) as unknown[]).map(tolerationOf), at.child(key));
}

function tolerationOf(value: unknown): Toleration {
  const seconds = memberInAnyCase(value, 'tolerationSeconds');
  const texts = ['key', 'operator', 'value', 'effect'].map((name) => [name, memberInAnyCase(value, name)]).filter(([, text]) => typeof text === 'string');
  return { ...Object.fromEntries(texts), ...(typeof seconds === 'number' && { tolerationSeconds: seconds }) } as Toleration;
}

/** A positive number has neither sign nor leading zeros; a negative one may have the latter. */
const isInt32 = (text: string): boolean => /^(?:0|[1-9][0-9]*|-[0-9]+)$/.test(text) && Number(text) === (Number(text) | 0);

function validateAppArmor(container: string, profile: string, spec: PodSpec, at: FieldErrors): void {
  let isFound = false;
  everyContainer(spec, at, ({ name }) => {
    isFound ||= name === container;
  });
  if (!isFound) at.invalid(container, 'container not found');
  report(at, profile, checkAppArmorName(profile));
}

/** Checks that annotation and field name the same seccomp profile where both are set. `at`: the path of the spec. */
export function validateSeccompAgreement(annotations: Annotations, spec: PodSpec, at: FieldErrors, { brand }: PodRules): void {
  const compare = (key: string, profile: SeccompProfile | undefined, here: FieldErrors): void => {
    if (profile && Object.hasOwn(annotations, key)) validateSame(annotations[key] ?? '', profile, here.child('securityContext', 'seccompProfile'));
  };
  compare(brand.names.seccompPodAnnotation, spec.securityContext?.seccompProfile, at);
  everyContainer(spec, at, (container, here) => {
    compare(brand.names.seccompContainerAnnotationPrefix + container.name, container.securityContext?.seccompProfile, here);
  });
}

function validateSame(annotation: string, { type, localhostProfile }: SeccompProfile, at: FieldErrors): void {
  const isSameType =
    (type !== 'Unconfined' || annotation === 'unconfined') &&
    (type !== 'RuntimeDefault' || RUNTIME_DEFAULTS.includes(annotation)) &&
    (type !== 'Localhost' || annotation.startsWith(LOCAL_PROFILE));
  if (!isSameType) at.child('type').forbidden('seccomp type in annotation and field must match');
  else if (type === 'Localhost' && annotation.slice(LOCAL_PROFILE.length) !== localhostProfile) {
    at.child('localhostProfile').forbidden('seccomp profile in annotation and field must match');
  }
}
