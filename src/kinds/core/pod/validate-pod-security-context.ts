import { checkUnixId, report } from '#api';
import type { FieldErrors } from '#errors';
import type { PodSecurityContext, Sysctl } from './pod-security-context.ts';
import type { PodSpec } from './pod-spec.ts';
import { validateHostNetworkPorts } from './validate-ports.ts';
import { validateIds, validateSeccompProfile } from './validate-security-context.ts';
import { validateWindowsOptions } from './validate-windows-options.ts';
import { allowOneOf, requireText } from '../../value-checks.ts';

const CHANGE_POLICIES = ['Always', 'OnRootMismatch'];

/** Validates the security context of a pod, and what shares host namespaces. */
export function validatePodSecurityContext(context: PodSecurityContext, spec: PodSpec, at: FieldErrors): void {
  const here = at.child('securityContext');
  if (spec.hostNetwork === true) validateHostNetworkPorts(spec.containers ?? [], at.child('containers'));
  if (context.fsGroup !== undefined) report(here.child('fsGroup'), context.fsGroup, checkUnixId(context.fsGroup));
  validateIds(context, here);
  for (const [position, group] of (context.supplementalGroups ?? []).entries()) {
    report(here.child('supplementalGroups').index(position), group, checkUnixId(group));
  }
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    here.child('shareProcessNamespace').invalid(true, 'ShareProcessNamespace and HostPID cannot both be enabled');
  }
  validateSysctls(context.sysctls ?? [], here.child('sysctls'));
  allowOneOf(context.fsGroupChangePolicy, here.child('fsGroupChangePolicy'), CHANGE_POLICIES);
  validateSeccompProfile(context.seccompProfile, here.child('seccompProfile'));
  validateWindowsOptions(context.windowsOptions, here.child('windowsOptions'));
}

const SYSCTL_PART = '[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?';
const SYSCTL = new RegExp(`^${SYSCTL_PART}(?:\\.${SYSCTL_PART})*$`);
const SHOWN_SYSCTL = '([a-z0-9]([-_a-z0-9]*[a-z0-9])?\\.)*[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const MAX_SYSCTL = 253;

function validateSysctls(sysctls: readonly Sysctl[], at: FieldErrors): void {
  const names = new Set<string>();
  for (const [position, { name }] of sysctls.entries()) {
    const here = at.index(position).child('name');
    if (!requireText(name, here)) continue;
    if (name.length > MAX_SYSCTL || !SYSCTL.test(name)) {
      here.invalid(name, `must have at most ${MAX_SYSCTL} characters and match regex ${SHOWN_SYSCTL}`);
    } else if (names.has(name)) here.duplicate(name);
    names.add(name);
  }
}
