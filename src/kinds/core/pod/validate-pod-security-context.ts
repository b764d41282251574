import { checkUnixId, report } from '#api';
import type { FieldErrors } from '#errors';
import type { PodSecurityContext, Sysctl } from './pod-security-context.ts';
import type { PodRules } from './pod-rules.ts';
import type { PodSpec } from './pod-spec.ts';
import { validateHostNetworkPorts } from './validate-ports.ts';
import { validateIds, validateSeccompProfile } from './validate-security-context.ts';
import { validateWindowsOptions } from './validate-windows-options.ts';
import { allowOneOf, requireText } from '../../value-checks.ts';

const CHANGE_POLICIES = ['Always', 'OnRootMismatch'];

/** Validates the security context of a pod, and what shares host namespaces. */
export function validatePodSecurityContext(context: PodSecurityContext, spec: PodSpec, at: FieldErrors, { live }: PodRules): void {
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
  validateSysctls(context.sysctls ?? [], live?.securityContext?.sysctls ?? [], here.child('sysctls'));
  allowOneOf(context.fsGroupChangePolicy, here.child('fsGroupChangePolicy'), CHANGE_POLICIES);
  validateSeccompProfile(context.seccompProfile, here.child('seccompProfile'));
  validateWindowsOptions(context.windowsOptions, here.child('windowsOptions'));
}

const SYSCTL_PART = '[a-z0-9](?:[-_a-z0-9]*[a-z0-9])?';
/** The form of names, and how faults show it: with dots alone, and with slashes as well, which 1.24 allows. */
const DOTTED = { form: new RegExp(`^${SYSCTL_PART}(?:\\.${SYSCTL_PART})*$`), shown: '([a-z0-9]([-_a-z0-9]*[a-z0-9])?\\.)*[a-z0-9]([-_a-z0-9]*[a-z0-9])?' };
const SLASHED = { form: new RegExp(`^${SYSCTL_PART}(?:[./]${SYSCTL_PART})*$`), shown: '([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?' };
const MAX_SYSCTL = 253;

/** `live`: the stored ones; where one of them has a slash, all may. */
function validateSysctls(sysctls: readonly Sysctl[], live: readonly Sysctl[], at: FieldErrors): void {
  const { form, shown } = live.some(({ name }) => name.includes('/')) ? SLASHED : DOTTED;
  const names = new Set<string>();
  for (const [position, { name }] of sysctls.entries()) {
    const here = at.index(position).child('name');
    if (!requireText(name, here)) continue;
    if (name.length > MAX_SYSCTL || !form.test(name)) {
      here.invalid(name, `must have at most ${MAX_SYSCTL} characters and match regex ${shown}`);
    } else if (names.has(name)) here.duplicate(name);
    names.add(name);
  }
}
