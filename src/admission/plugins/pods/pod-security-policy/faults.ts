import type { Brand } from '#api';
import { FieldErrors, goQuoted } from '#errors';
import { everyContainer, type Pod, type PodSecurityPolicy } from '#kinds';
import { checkContainer } from './check-container.ts';
import { checkSeccomp } from './profiles.ts';
import { checkGroups } from './ranges.ts';
import { checkLabels } from './labels.ts';
import { checkVolumes } from './check-volumes.ts';

type Spec = PodSecurityPolicy['spec'];

/** What a policy does not allow of a pod, each with its path. */
export function faultsOf(pod: Pod, policy: PodSecurityPolicy, brand: Brand): readonly string[] {
  const root = new FieldErrors();
  const { spec } = policy;
  const context = pod.spec.securityContext ?? {};
  const at = root.child('spec', 'securityContext');
  checkGroups(spec.fsGroup, context.fsGroup === undefined ? [] : [context.fsGroup], at.child('fsGroup'));
  checkGroups(spec.supplementalGroups, context.supplementalGroups ?? [], at.child('supplementalGroups'));
  checkSeccomp(pod, undefined, policy, brand, root);
  checkLabels(spec.seLinux, context.seLinuxOptions, at.child('seLinuxOptions'));
  checkHost(pod, spec, at);
  checkSysctls(context.sysctls ?? [], spec, root.child('pod', 'spec', 'securityContext', 'sysctls'));
  checkVolumes(pod.spec, spec, brand, root);
  checkRuntimeClass(pod, spec, root);
  everyContainer(pod.spec, root.child('spec'), (container, here) => checkContainer({ pod, container, policy, brand, root }, here));
  return root.texts;
}

const NAMESPACES = [['hostNetwork', 'Host network'], ['hostPID', 'Host PID'], ['hostIPC', 'Host IPC']] as const;

function checkHost(pod: Pod, spec: Spec, at: FieldErrors): void {
  for (const [member, words] of NAMESPACES) {
    if (pod.spec[member] === true && spec[member] !== true) at.child(member).invalid(true, `${words} is not allowed to be used`);
  }
}

/** What nodes allow to every pod. */
const SAFE_SYSCTLS: readonly string[] = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];

function checkSysctls(sysctls: readonly { readonly name: string }[], spec: Spec, at: FieldErrors): void {
  for (const [position, { name }] of sysctls.entries()) {
    const isIn = (patterns: readonly string[] | null | undefined): boolean => (patterns ?? []).some((one) => (one.endsWith('*') ? name.startsWith(one.slice(0, -1)) : name === one));
    if (isIn(spec.forbiddenSysctls)) at.index(position).forbidden(`sysctl ${goQuoted(name)} is not allowed`);
    else if (!isIn(SAFE_SYSCTLS) && !isIn(spec.allowedUnsafeSysctls)) at.index(position).forbidden(`unsafe sysctl ${goQuoted(name)} is not allowed`);
  }
}

function checkRuntimeClass({ spec: { runtimeClassName: name } }: Pod, { runtimeClass }: Spec, root: FieldErrors): void {
  if (!runtimeClass || name === undefined) return;
  const allowed = runtimeClass.allowedRuntimeClassNames ?? [];
  if (!allowed.includes('*') && !allowed.includes(name)) root.child('spec', 'runtimeClassName').invalid(name, '');
}
