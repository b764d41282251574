import type { Brand } from '#api';
import { goQuoted, type FieldErrors } from '#errors';
import { validateLocalPath } from '../core/pod/path-checks.ts';

const LOCALHOST = 'localhost/';

/** `shown`: the whole text of the annotation, for the fault. */
type Check = (profile: string, at: FieldErrors, shown: string) => void;

function validateAppArmor(profile: string, at: FieldErrors, shown: string): void {
  const isKnown = profile === '' || profile === 'runtime/default' || profile === 'unconfined' || profile.startsWith(LOCALHOST);
  if (!isKnown) at.invalid(shown, `invalid AppArmor profile name: ${goQuoted(profile)}`);
}

function validateSeccomp(profile: string, at: FieldErrors): void {
  if (profile.startsWith(LOCALHOST)) validateLocalPath(profile.slice(LOCALHOST.length), at);
  else if (!['runtime/default', 'docker/default', 'unconfined'].includes(profile)) at.invalid(profile, 'must be a valid seccomp profile');
}

/** Validates the annotations with the allowed profiles and the default one. `at`: the path of the annotations. */
export function validateProfileAnnotations(annotations: Readonly<Record<string, string>> | undefined, at: FieldErrors, { names }: Brand): void {
  const of = (key: string): string => (annotations !== undefined && Object.hasOwn(annotations, key) ? (annotations[key] ?? '') : '');
  const check = (prefix: string, validate: Check, any?: string): void => {
    const defaultKey = `${prefix}/defaultProfileName`;
    const allowedKey = `${prefix}/allowedProfileNames`;
    if (of(defaultKey) !== '') validate(of(defaultKey), at.key(defaultKey), of(defaultKey));
    for (const profile of of(allowedKey) === '' ? [] : of(allowedKey).split(',')) if (profile !== any) validate(profile, at.key(allowedKey), of(allowedKey));
  };
  check(`apparmor.security.beta.${names.domain}`, validateAppArmor);
  check(`seccomp.security.alpha.${names.domain}`, validateSeccomp, '*');
}
