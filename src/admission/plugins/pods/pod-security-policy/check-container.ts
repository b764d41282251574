import type { Brand } from '#api';
import { goTexts, type FieldErrors } from '#errors';
import type { Pod, PodSecurityPolicy } from '#kinds';
import { effective, type Container } from './container.ts';
import { checkLabels } from './labels.ts';
import { checkAppArmor, checkSeccomp } from './profiles.ts';
import { checkGroups, isInRanges, showRanges } from './ranges.ts';

type Spec = PodSecurityPolicy['spec'];
type Context = NonNullable<Container['securityContext']>;

/** A container, and what it is checked by. */
interface Checked {
  readonly pod: Pod;
  readonly container: Container;
  readonly policy: PodSecurityPolicy;
  readonly brand: Brand;
  readonly root: FieldErrors;
}

/** Reports what a policy does not allow of a container. `here`: the path of the container. */
export function checkContainer({ pod, container, policy, brand, root }: Checked, here: FieldErrors): void {
  const { spec } = policy;
  const context: Context = container.securityContext ?? {};
  const at = here.child('securityContext');
  checkUser(context, pod, spec, at);
  const group = effective(context, pod.spec, 'runAsGroup');
  checkGroups(spec.runAsGroup ?? {}, group === undefined ? [] : [group], at);
  checkLabels(spec.seLinux, effective(context, pod.spec, 'seLinuxOptions'), at.child('seLinuxOptions'));
  checkAppArmor(pod, container, policy, brand, root);
  checkSeccomp(pod, container, policy, brand, root);
  if (context.privileged === true && spec.privileged !== true) at.child('privileged').invalid(true, 'Privileged containers are not allowed');
  const mount = context.procMount ?? 'Default';
  const mounts = spec.allowedProcMountTypes ?? [];
  if (!(mounts.length === 0 ? ['Default'] : mounts).includes(mount)) at.child('procMount').invalid(mount, 'ProcMountType is not allowed');
  checkCapabilities(context.capabilities, spec, at.child('capabilities'));
  checkHostPorts(container, spec, here.child('hostPort'));
  checkRootFilesystem(context.readOnlyRootFilesystem, spec, at.child('readOnlyRootFilesystem'));
  if (spec.allowPrivilegeEscalation === false && context.allowPrivilegeEscalation !== false) {
    at.child('allowPrivilegeEscalation').invalid(context.allowPrivilegeEscalation ?? null, 'Allowing privilege escalation for containers is not allowed');
  }
}

function checkUser(context: Context, pod: Pod, { runAsUser: { rule, ranges } }: Spec, at: FieldErrors): void {
  const user = effective(context, pod.spec, 'runAsUser');
  const nonRoot = effective(context, pod.spec, 'runAsNonRoot');
  const here = at.child('runAsUser');
  if (rule === 'MustRunAs') {
    if (user === undefined) here.required();
    else if (!isInRanges(user, ranges)) here.invalid(user, `must be in the ranges: ${showRanges(ranges)}`);
  } else if (rule === 'MustRunAsNonRoot') {
    if (nonRoot === undefined && user === undefined) at.child('runAsNonRoot').required('must be true');
    else if (nonRoot === false) at.child('runAsNonRoot').invalid(false, 'must be true');
    else if (user !== undefined && Number(user) === 0) here.invalid(user, 'running with the root UID is forbidden');
  }
}

function checkCapabilities(capabilities: Context['capabilities'], spec: Spec, at: FieldErrors): void {
  const [byDefault, toDrop, allowed] = [spec.defaultAddCapabilities ?? [], spec.requiredDropCapabilities ?? [], spec.allowedCapabilities ?? []];
  if (!capabilities) {
    if (byDefault.length > 0 || toDrop.length > 0) at.invalid(null, 'required capabilities are not set on the securityContext');
    return;
  }
  if (allowed.includes('*')) return;
  const may = new Set([...byDefault, ...allowed]);
  for (const one of capabilities.add ?? []) if (!may.has(one)) at.child('add').invalid(one, 'capability may not be added');
  const dropped = new Set(capabilities.drop);
  for (const one of toDrop) {
    if (!dropped.has(one)) at.child('drop').invalid(goTexts(capabilities.drop, 'core.Capability'), `${one} is required to be dropped but was not found`);
  }
}

function checkHostPorts({ ports }: Container, { hostPorts }: Spec, at: FieldErrors): void {
  const ranges = hostPorts ?? [];
  const shown = ranges.map(({ min, max }) => (min === max ? `${min}` : `${min}-${max}`)).join(',');
  for (const { hostPort = 0 } of ports ?? []) {
    if (hostPort > 0 && !isInRanges(hostPort, ranges)) at.invalid(hostPort, `Host port ${hostPort} is not allowed to be used. Allowed ports: [${shown}]`);
  }
}

function checkRootFilesystem(isReadOnly: boolean | undefined, { readOnlyRootFilesystem }: Spec, at: FieldErrors): void {
  if (readOnlyRootFilesystem !== true || isReadOnly === true) return;
  if (isReadOnly === undefined) at.invalid(null, 'ReadOnlyRootFilesystem may not be nil and must be set to true');
  else at.invalid(false, 'ReadOnlyRootFilesystem must be set to true');
}
