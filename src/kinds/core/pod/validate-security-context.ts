import { checkUnixId, report } from '#api';
import { goStruct, type FieldErrors, type GoValue } from '#errors';
import { goPointer } from '../../go-values.ts';
import { validateLocalPath } from './path-checks.ts';
import type { PodRules } from './pod-rules.ts';
import type { SeccompProfile, SecurityContext } from './security-context.ts';
import { allowOneOf, requireOneOf } from '../../value-checks.ts';
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

/** Validates the user and group ids of a container or a pod. */
export function validateIds(context: { readonly runAsUser?: number | bigint; readonly runAsGroup?: number | bigint }, at: FieldErrors): void {
  for (const name of ['runAsUser', 'runAsGroup'] as const) {
    const id = context[name];
    if (id !== undefined) report(at.child(name), id, checkUnixId(id));
  }
}

function validateNoEscalation(context: SecurityContext, at: FieldErrors): void {
  if (context.privileged === true) at.invalid(showContext(context), 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true');
  for (const capability of context.capabilities?.add ?? []) {
    if (capability === 'CAP_SYS_ADMIN') at.invalid(showContext(context), 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN');
  }
}

function showContext(context: SecurityContext): GoValue {
  return goStruct('core.SecurityContext', {
    Capabilities: goPointer('core.Capabilities', context.capabilities),
    Privileged: goPointer('bool', context.privileged),
    SELinuxOptions: goPointer('core.SELinuxOptions', context.seLinuxOptions),
    WindowsOptions: goPointer('core.WindowsSecurityContextOptions', context.windowsOptions),
    RunAsUser: goPointer('int64', context.runAsUser),
    RunAsGroup: goPointer('int64', context.runAsGroup),
    RunAsNonRoot: goPointer('bool', context.runAsNonRoot),
    ReadOnlyRootFilesystem: goPointer('bool', context.readOnlyRootFilesystem),
    AllowPrivilegeEscalation: goPointer('bool', context.allowPrivilegeEscalation),
    ProcMount: goPointer('core.ProcMountType', context.procMount),
    SeccompProfile: goPointer('core.SeccompProfile', context.seccompProfile),
  });
}

export function validateSeccompProfile(profile: SeccompProfile | undefined, at: FieldErrors): void {
  if (profile === undefined) return;
  requireOneOf(profile.type, at.child('type'), PROFILE_TYPES, 'type is required when seccompProfile is set');
  const file = profile.localhostProfile;
  const here = at.child('localhostProfile');
  if (profile.type !== 'Localhost') {
    if (file !== undefined) here.invalid(goStruct('core.SeccompProfile', { Type: profile.type, LocalhostProfile: goPointer('string', file) }), 'can only be set when seccomp type is Localhost');
  } else if (file === undefined) here.required('must be set when seccomp type is Localhost');
  else validateLocalPath(file, here);
}
