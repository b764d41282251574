import { checkUnixId, report } from '#api';
import type { FieldErrors } from '#errors';
import { validateLocalPath } from './path-checks.ts';
import type { PodRules } from './pod-rules.ts';
import type { SeccompProfile, SecurityContext } from './security-context.ts';
import { allowOneOf, requireOneOf } from './value-checks.ts';
import { validateWindowsOptions } from './validate-windows-options.ts';

const PROC_MOUNTS = ['Default', 'Unmasked'];
const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

export function validateSecurityContext(context: SecurityContext, at: FieldErrors, rules: PodRules): void {
  if (context.privileged === true && !rules.allowsPrivileged) at.child('privileged').forbidden('disallowed by cluster policy');
  validateIds(context, at);
  allowOneOf(context.procMount, at.child('procMount'), PROC_MOUNTS);
  validateSeccompProfile(context.seccompProfile, at.child('seccompProfile'));
  if (context.allowPrivilegeEscalation === false) validateNoEscalation(context, at);
  validateWindowsOptions(context.windowsOptions, at.child('windowsOptions'));
}

/** User and group, of a container or a pod. */
export function validateIds(context: { readonly runAsUser?: number | bigint; readonly runAsGroup?: number | bigint }, at: FieldErrors): void {
  for (const name of ['runAsUser', 'runAsGroup'] as const) {
    const id = context[name];
    if (id !== undefined) report(at.child(name), id, checkUnixId(id));
  }
}

function validateNoEscalation(context: SecurityContext, at: FieldErrors): void {
  if (context.privileged === true) at.invalid(context, 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
  for (const capability of context.capabilities?.add ?? []) {
    if (capability === 'CAP_SYS_ADMIN') at.invalid(context, 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN');
  }
}

export function validateSeccompProfile(profile: SeccompProfile | undefined, at: FieldErrors): void {
  if (profile === undefined) return;
  requireOneOf(profile.type, at.child('type'), PROFILE_TYPES, 'type is required when seccompProfile is set');
  const file = profile.localhostProfile;
  const here = at.child('localhostProfile');
  if (profile.type !== 'Localhost') {
    if (file !== undefined) here.invalid(profile, 'can only be set when seccomp type is Localhost');
  } else if (file === undefined) here.required('must be set when seccomp type is Localhost');
  else validateLocalPath(file, here);
}
