import { report, type Brand } from '#api';
import type { FieldErrors } from '#errors';
import { checkAppArmorName, validateSeccompName } from '../core/pod/profile-names.ts';

/** `shown`: the whole text of the annotation, for the fault. */
type Check = (profile: string, at: FieldErrors, shown: string) => void;

const validateAppArmor: Check = (profile, at, shown) => void report(at, shown, checkAppArmorName(profile));

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
  check(`seccomp.security.alpha.${names.domain}`, validateSeccompName, '*');
}
