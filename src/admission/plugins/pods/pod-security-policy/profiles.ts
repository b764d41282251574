import type { Brand } from '#api';
import { goQuoted, type FieldErrors } from '#errors';
import { seccompText, type Pod, type PodSecurityPolicy } from '#kinds';
import type { Container } from './container.ts';

type Annotations = Readonly<Record<string, string>> | undefined;
type Names = Brand['names'];

const annotationOf = (annotations: Annotations, key: string): string | undefined =>
  annotations !== undefined && Object.hasOwn(annotations, key) ? annotations[key] : undefined;

const appArmorKey = (names: Names, kind: 'default' | 'allowed'): string => `apparmor.security.beta.${names.domain}/${kind}ProfileName${kind === 'allowed' ? 's' : ''}`;
const seccompKey = (names: Names, kind: 'default' | 'allowed'): string => `seccomp.security.alpha.${names.domain}/${kind}ProfileName${kind === 'allowed' ? 's' : ''}`;

/** Sets annotations as own properties, whatever their keys. */
function annotate(pod: Pod, more: readonly (readonly [key: string, value: string])[]): void {
  if (more.length > 0) pod.metadata.annotations = Object.fromEntries([...Object.entries(pod.metadata.annotations ?? {}), ...more]);
}

/** Annotates a pod with its seccomp profile, or else with the default one of the policy. */
export function fillInSeccomp(pod: Pod, policy: PodSecurityPolicy, { names }: Brand): void {
  const key = names.seccompPodAnnotation;
  if (annotationOf(pod.metadata.annotations, key)) return;
  const own = pod.spec.securityContext?.seccompProfile;
  const profile = own ? seccompText(own) : annotationOf(policy.metadata.annotations, seccompKey(names, 'default'));
  if (profile) annotate(pod, [[key, profile]]);
}

/** Annotates a pod with the default AppArmor profile of the policy for those of its containers without one. */
export function fillInAppArmor(pod: Pod, containers: readonly Container[], policy: PodSecurityPolicy, { names }: Brand): void {
  const profile = annotationOf(policy.metadata.annotations, appArmorKey(names, 'default'));
  if (!profile) return;
  const keys = containers.map(({ name }) => names.apparmorAnnotationPrefix + name);
  annotate(pod, keys.filter((key) => !annotationOf(pod.metadata.annotations, key)).map((key) => [key, profile]));
}

/** Reports an AppArmor profile of a container that the policy does not allow. */
export function checkAppArmor(pod: Pod, { name }: Container, policy: PodSecurityPolicy, { names }: Brand, root: FieldErrors): void {
  const allowed = annotationOf(policy.metadata.annotations, appArmorKey(names, 'allowed'));
  if (allowed === undefined) return;
  const key = names.apparmorAnnotationPrefix + name;
  const at = root.child('pod', 'metadata', 'annotations').key(key);
  const profile = annotationOf(pod.metadata.annotations, key) ?? '';
  if (profile === '') at.forbidden('AppArmor profile must be set');
  else if (!allowed.split(',').includes(profile)) at.forbidden(`${profile} is not an allowed profile. Allowed values: ${goQuoted(allowed)}`);
}

/** Reports seccomp profiles that the policy does not allow: that of a pod, or that of one of its containers. */
export function checkSeccomp(pod: Pod, container: Container | undefined, policy: PodSecurityPolicy, { names }: Brand, root: FieldErrors): void {
  const key = container === undefined ? names.seccompPodAnnotation : names.seccompContainerAnnotationPrefix + container.name;
  const profile = container === undefined ? profileOfPod(pod, names) : profileOfContainer(pod, container, names);
  const at = root.child('pod', 'metadata', 'annotations').key(key);
  const said = annotationOf(policy.metadata.annotations, seccompKey(names, 'allowed'));
  const allowed = said?.split(',') ?? [];
  if (allowed.includes('*')) return;
  if (allowed.length === 0) {
    if (profile !== '') at.forbidden('seccomp may not be set');
    return;
  }
  if (!withSynonyms(allowed).includes(profile)) at.forbidden(`${profile} is not an allowed seccomp profile. Valid values are ${said}`);
}

const DEFAULTS: readonly string[] = ['runtime/default', 'docker/default'];

const withSynonyms = (profiles: readonly string[]): readonly string[] => (profiles.some((one) => DEFAULTS.includes(one)) ? [...profiles, ...DEFAULTS] : profiles);

function profileOfPod(pod: Pod, names: Names): string {
  const field = pod.spec.securityContext?.seccompProfile;
  return annotationOf(pod.metadata.annotations, names.seccompPodAnnotation) || (field ? (seccompText(field) ?? '') : '');
}

function profileOfContainer(pod: Pod, { name, securityContext }: Container, names: Names): string {
  if (securityContext?.seccompProfile) return seccompText(securityContext.seccompProfile) ?? '';
  const own = annotationOf(pod.metadata.annotations, names.seccompContainerAnnotationPrefix + name);
  if (own !== undefined) return own;
  const ofPod = pod.spec.securityContext?.seccompProfile;
  return ofPod ? (seccompText(ofPod) ?? '') : (annotationOf(pod.metadata.annotations, names.seccompPodAnnotation) ?? '');
}
