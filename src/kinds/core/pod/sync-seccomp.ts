import type { Brand, ObjectMeta } from '#api';
import { FieldErrors } from '#errors';
import { everyContainer } from './every-container.ts';
import type { PodSpec } from './pod-spec.ts';
import { LOCAL_PROFILE, RUNTIME_DEFAULTS } from './profile-names.ts';
import type { SeccompProfile } from './security-context.ts';

/**
 * Copies the seccomp profiles of a new pod between annotation and field, whichever is missing: nodes before 1.19 read the annotations, later ones the
 * fields. Changes the pod.
 */
export function syncSeccomp({ metadata, spec }: { readonly metadata: ObjectMeta; readonly spec: PodSpec }, { names }: Brand): void {
  const annotations = new Map(Object.entries(metadata.annotations ?? {}));
  const before = annotations.size;
  syncOne(annotations, names.seccompPodAnnotation, spec);
  everyContainer(spec, new FieldErrors(), (container) => {
    syncOne(annotations, names.seccompContainerAnnotationPrefix + container.name, container);
  });
  // `fromEntries` defines properties: a container may be called `__proto__` until validation refuses it.
  if (annotations.size > before) metadata.annotations = Object.fromEntries(annotations);
}

interface Owner {
  securityContext?: { seccompProfile?: SeccompProfile | null } | null;
}

function syncOne(annotations: Map<string, string>, key: string, owner: Owner): void {
  const written = annotations.get(key);
  const profile = owner.securityContext?.seccompProfile ?? undefined;
  if (profile !== undefined && written === undefined) {
    const text = seccompText(profile);
    if (text !== undefined) annotations.set(key, text);
  } else if (profile === undefined && written !== undefined) {
    const meant = profileOf(written);
    if (meant !== undefined) owner.securityContext = { ...owner.securityContext, seccompProfile: meant };
  }
}

/** A profile as annotations write it; undefined: they have no word for it. */
export function seccompText({ type, localhostProfile }: SeccompProfile): string | undefined {
  if (type === 'Unconfined') return 'unconfined';
  if (type === 'RuntimeDefault') return 'runtime/default';
  return type === 'Localhost' && localhostProfile !== undefined ? LOCAL_PROFILE + localhostProfile : undefined;
}

function profileOf(text: string): SeccompProfile | undefined {
  if (text === 'unconfined') return { type: 'Unconfined' };
  if (RUNTIME_DEFAULTS.includes(text)) return { type: 'RuntimeDefault' };
  return text.startsWith(LOCAL_PROFILE) && text.length > LOCAL_PROFILE.length
    ? { type: 'Localhost', localhostProfile: text.slice(LOCAL_PROFILE.length) }
    : undefined;
}
