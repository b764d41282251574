import type { Brand } from '#api';
import { containersOf } from '#kinds';
import type { PodLike } from './pod-like.ts';
import { containerNames, namesOf, plural, quoted, setters, sorted, type Violation } from './rule.ts';

const REASON = 'seccompProfile';
const TYPES: readonly unknown[] = ['RuntimeDefault', 'Localhost'];

/** Checks the annotations that set seccomp profiles before there was a field. */
export function seccompAnnotations(pod: PodLike, { names }: Brand): Violation | undefined {
  const keys = [names.seccompPodAnnotation, ...containersOf(pod.spec).map(({ name }) => names.seccompContainerAnnotationPrefix + name)];
  const annotations = new Map(Object.entries(pod.metadata.annotations ?? {}));
  const wrong = keys.flatMap((key) => {
    const value = annotations.get(key);
    return value === undefined || isKnown(value) ? [] : [`${key}=${JSON.stringify(value)}`];
  });
  if (wrong.length === 0) return undefined;
  const all = sorted(wrong);
  return { reason: REASON, detail: `forbidden ${plural('annotation', 'annotations', all.length)} ${all.join(', ')}` };
}

const isKnown = (profile: string): boolean => profile === 'runtime/default' || profile === 'docker/default' || profile.startsWith('localhost/');

/** Checks the seccomp profiles of pod and containers; `mustBeSet`: every container needs one, its own or the pod's. */
export function seccompFields(pod: PodLike, { mustBeSet }: { readonly mustBeSet: boolean }): Violation | undefined {
  const ofPod = pod.spec.securityContext?.seccompProfile;
  const isPodWrong = ofPod !== undefined && !TYPES.includes(ofPod.type);
  const containers = containersOf(pod.spec).map((container) => ({ container, profile: container.securityContext?.seccompProfile }));
  const wrong = containers.filter(({ profile }) => profile !== undefined && !TYPES.includes(profile.type));
  if (isPodWrong || wrong.length > 0) {
    const values = sorted([...(isPodWrong ? [ofPod.type] : []), ...wrong.map(({ profile }) => profile?.type ?? '')]);
    const who = setters(isPodWrong, namesOf(wrong.map(({ container }) => container)));
    return { reason: REASON, detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(values)}` };
  }
  const without = mustBeSet && ofPod === undefined ? containers.filter(({ profile }) => profile === undefined).map(({ container }) => container) : [];
  if (without.length === 0) return undefined;
  return {
    reason: REASON,
    detail: `pod or ${containerNames(namesOf(without))} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}
