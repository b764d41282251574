import type { FieldErrors } from '#errors';
import { everyContainer } from './every-container.ts';
import type { PodSpec } from './pod-spec.ts';

const SYSTEMS = ['linux', 'windows'];
const NOT_WINDOWS = 'cannot be set for a windows pod';
const NOT_LINUX = 'windows options cannot be set for a linux pod';

/** What has no meaning on Windows, in the order of 1.23: members of the spec or of its security context, and of the security context of a container. */
const UNIX_OF_POD = [
  'seLinuxOptions',
  'hostPID',
  'hostIPC',
  'seccompProfile',
  'fsGroup',
  'fsGroupChangePolicy',
  'sysctls',
  'shareProcessNamespace',
  'runAsUser',
  'runAsGroup',
  'supplementalGroups',
] as const;
const UNIX_OF_CONTAINER = ['seLinuxOptions', 'seccompProfile', 'capabilities', 'readOnlyRootFilesystem', 'privileged', 'allowPrivilegeEscalation', 'procMount', 'runAsUser', 'runAsGroup'] as const;

/** Validates the operating system that a pod names, and that it sets nothing which is of another one. `at`: the path of the spec. */
export function validateOs(spec: PodSpec, at: FieldErrors): void {
  const { name } = spec.os ?? {};
  if (name === undefined) return;
  if (name === '') at.child('os', 'name').required('cannot be empty');
  else if (!SYSTEMS.includes(name)) at.child('os').notSupported(name, SYSTEMS);
  else if (name === 'linux') validateLinux(spec, at);
  else validateWindows(spec, at);
}

function validateLinux(spec: PodSpec, at: FieldErrors): void {
  if (spec.securityContext?.windowsOptions !== undefined) at.child('securityContext', 'windowsOptions').forbidden(NOT_LINUX);
  everyContainer(spec, at, ({ securityContext }, here) => {
    if (securityContext?.windowsOptions !== undefined) here.child('securityContext', 'windowsOptions').forbidden(NOT_LINUX);
  });
}

function validateWindows(spec: PodSpec, at: FieldErrors): void {
  const { hostPID, hostIPC, shareProcessNamespace, securityContext: context } = spec;
  const ofSpec = { hostPID, hostIPC, shareProcessNamespace };
  const all = { ...context, ...ofSpec };
  for (const member of UNIX_OF_POD) {
    const here = member in ofSpec ? at : at.child('securityContext');
    if (all[member] !== undefined) here.child(member).forbidden(NOT_WINDOWS);
  }
  everyContainer(spec, at, ({ securityContext }, here) => {
    for (const member of UNIX_OF_CONTAINER) if (securityContext?.[member] !== undefined) here.child('securityContext', member).forbidden(NOT_WINDOWS);
  });
}
