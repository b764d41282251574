import type { Brand } from '#api';
import { containersOf } from '#kinds';
import type { PodLike } from './pod-like.ts';
import { containerNames, namesOf, plural, quoted, setters, sorted, type Container, type Rule, type Violation } from './rule.ts';
import { seccompAnnotations, seccompFields } from './seccomp.ts';

/** Rules of the level `baseline`, in the order of their messages. They forbid what only pods that manage their node need. */
export const BASELINE: readonly Rule[] = [
  { id: 'appArmorProfile', since: [[0, appArmor]] },
  { id: 'capabilities_baseline', since: [[0, capabilities]] },
  { id: 'hostNamespaces', since: [[0, hostNamespaces]] },
  { id: 'hostPathVolumes', since: [[0, hostPaths]] },
  { id: 'hostPorts', since: [[0, hostPorts]] },
  { id: 'privileged', since: [[0, privileged]] },
  { id: 'procMount', since: [[0, procMount]] },
  { id: 'seLinuxOptions', since: [[0, seLinux]] },
  { id: 'seccompProfile_baseline', since: [[0, seccompAnnotations], [19, (pod) => seccompFields(pod, { mustBeSet: false })]] },
  { id: 'sysctls', since: [[0, sysctls]] },
  { id: 'windowsHostProcess', since: [[0, hostProcess]] },
];

const CAPABILITIES: readonly string[] = [
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
];
const SELINUX_TYPES: readonly string[] = ['', 'container_t', 'container_init_t', 'container_kvm_t'];
const SYSCTLS: readonly string[] = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
];

function appArmor({ metadata }: PodLike, { names }: Brand): Violation | undefined {
  const isKnown = (profile: string): boolean => profile === '' || profile === 'runtime/default' || profile.startsWith('localhost/');
  const wrong = Object.entries(metadata.annotations ?? {})
    .filter(([key, profile]) => key.startsWith(names.apparmorAnnotationPrefix) && !isKnown(profile))
    .map(([key, profile]) => `${key}=${JSON.stringify(profile)}`);
  if (wrong.length === 0) return undefined;
  return { reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', wrong.length), detail: wrong.sort().join(', ') };
}

function capabilities(pod: PodLike): Violation | undefined {
  const added = ({ securityContext }: Container): readonly string[] => (securityContext?.capabilities?.add ?? []).filter((one) => !CAPABILITIES.includes(one));
  const wrong = containersOf(pod.spec).filter((container) => added(container).length > 0);
  if (wrong.length === 0) return undefined;
  const which = quoted(sorted(wrong.flatMap(added)));
  return { reason: 'non-default capabilities', detail: `${containerNames(namesOf(wrong))} must not include ${which} in securityContext.capabilities.add` };
}

function hostNamespaces({ spec }: PodLike): Violation | undefined {
  const set = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((member) => spec[member] === true);
  return set.length === 0 ? undefined : { reason: 'host namespaces', detail: set.map((member) => `${member}=true`).join(', ') };
}

function hostPaths({ spec }: PodLike): Violation | undefined {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name }) => name);
  return names.length === 0 ? undefined : { reason: 'hostPath volumes', detail: `${plural('volume', 'volumes', names.length)} ${quoted(names)}` };
}

function hostPorts(pod: PodLike): Violation | undefined {
  const portsOf = ({ ports }: Container): readonly string[] => (ports ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const wrong = containersOf(pod.spec).filter((container) => portsOf(container).length > 0);
  if (wrong.length === 0) return undefined;
  const ports = sorted(wrong.flatMap(portsOf));
  const uses = `${plural('uses', 'use', wrong.length)} ${plural('hostPort', 'hostPorts', ports.length)}`;
  return { reason: 'hostPort', detail: `${containerNames(namesOf(wrong))} ${uses} ${ports.join(', ')}` };
}

function privileged(pod: PodLike): Violation | undefined {
  const wrong = containersOf(pod.spec).filter(({ securityContext }) => securityContext?.privileged === true);
  return wrong.length === 0 ? undefined : { reason: 'privileged', detail: `${containerNames(namesOf(wrong))} must not set securityContext.privileged=true` };
}

function procMount(pod: PodLike): Violation | undefined {
  const wrong = containersOf(pod.spec).filter(({ securityContext }) => (securityContext?.procMount ?? 'Default') !== 'Default');
  if (wrong.length === 0) return undefined;
  const which = quoted(sorted(wrong.map(({ securityContext }) => securityContext?.procMount ?? '')));
  return { reason: 'procMount', detail: `${containerNames(namesOf(wrong))} must not set securityContext.procMount to ${which}` };
}

type SELinux = NonNullable<NonNullable<Container['securityContext']>['seLinuxOptions']>;

function seLinux(pod: PodLike): Violation | undefined {
  const isTypeWrong = ({ type }: SELinux): boolean => !SELINUX_TYPES.includes(type ?? '');
  const isWrong = (one: SELinux | undefined): one is SELinux => one !== undefined && (isTypeWrong(one) || Boolean(one.user) || Boolean(one.role));
  const ofPod = pod.spec.securityContext?.seLinuxOptions;
  const containers = containersOf(pod.spec).filter(({ securityContext }) => isWrong(securityContext?.seLinuxOptions));
  const wrong = [ofPod, ...containers.map(({ securityContext }) => securityContext?.seLinuxOptions)].filter(isWrong);
  if (wrong.length === 0) return undefined;
  const types = sorted(wrong.filter(isTypeWrong).map(({ type }) => type ?? ''));
  const why = [
    ...(types.length > 0 ? [`${plural('type', 'types', types.length)} ${quoted(types)}`] : []),
    ...(wrong.some(({ user }) => user) ? ['user may not be set'] : []),
    ...(wrong.some(({ role }) => role) ? ['role may not be set'] : []),
  ];
  const who = setters(isWrong(ofPod), namesOf(containers));
  return { reason: 'seLinuxOptions', detail: `${who} set forbidden securityContext.seLinuxOptions: ${why.join('; ')}` };
}

function sysctls({ spec }: PodLike): Violation | undefined {
  const wrong = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !SYSCTLS.includes(name));
  return wrong.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: wrong.join(', ') };
}

function hostProcess(pod: PodLike): Violation | undefined {
  const isPod = pod.spec.securityContext?.windowsOptions?.hostProcess === true;
  const wrong = containersOf(pod.spec).filter(({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  if (!isPod && wrong.length === 0) return undefined;
  return { reason: 'hostProcess', detail: `${setters(isPod, namesOf(wrong))} must not set securityContext.windowsOptions.hostProcess=true` };
}
