import type { Faults } from '#api';
import { goQuoted, type FieldErrors } from '#errors';
import { validateLocalPath } from './path-checks.ts';

/** Names of seccomp and AppArmor profiles, as annotations write them. */

/** Stands before the name of a profile that is a file of the node. */
export const LOCAL_PROFILE = 'localhost/';
/** The seccomp profile of the container runtime: its name, and the one that it had before. */
export const RUNTIME_DEFAULTS: readonly string[] = ['runtime/default', 'docker/default'];

/** Checks the name of a seccomp profile. */
export function validateSeccompName(profile: string, at: FieldErrors): void {
  if (RUNTIME_DEFAULTS.includes(profile) || profile === 'unconfined') return;
  if (profile.startsWith(LOCAL_PROFILE)) validateLocalPath(profile.slice(LOCAL_PROFILE.length), at);
  else at.invalid(profile, 'must be a valid seccomp profile');
}

/** Checks the name of an AppArmor profile. */
export function checkAppArmorName(profile: string): Faults {
  const isKnown = profile === '' || profile === 'runtime/default' || profile === 'unconfined' || profile.startsWith(LOCAL_PROFILE);
  return isKnown ? undefined : [`invalid AppArmor profile name: ${goQuoted(profile)}`];
}
