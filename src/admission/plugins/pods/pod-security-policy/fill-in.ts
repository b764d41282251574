import type { Brand } from '#api';
import { FieldErrors } from '#errors';
import { everyContainer, type Pod, type PodSecurityPolicy } from '#kinds';
import { effective, type Container } from './container.ts';
import { fillInAppArmor, fillInSeccomp } from './profiles.ts';
import { defaultId } from './ranges.ts';

type Spec = PodSecurityPolicy['spec'];
type Context = NonNullable<Container['securityContext']>;

/** Fills in what a pod does not say and the policy has a value for. Changes the pod. */
export function fillIn(pod: Pod, policy: PodSecurityPolicy, brand: Brand): void {
  const { spec } = policy;
  const context = { ...pod.spec.securityContext };
  const group = defaultId(spec.supplementalGroups);
  if ((context.supplementalGroups ?? []).length === 0 && group !== undefined) context.supplementalGroups = [group];
  setAbsent(context, 'fsGroup', defaultId(spec.fsGroup));
  setAbsent(context, 'seLinuxOptions', wantedLabels(spec));
  fillInSeccomp(pod, policy, brand);
  if (Object.keys(context).length > 0) pod.spec.securityContext = context;
  setAbsent(pod.spec, 'runtimeClassName', spec.runtimeClass?.defaultRuntimeClassName);
  const containers: Container[] = [];
  everyContainer(pod.spec, new FieldErrors(), (container) => {
    const own = filledContext(container, pod, spec);
    if (Object.keys(own).length > 0) container.securityContext = own;
    containers.push(container);
  });
  fillInAppArmor(pod, containers, policy, brand);
}

function filledContext(container: Container, pod: Pod, spec: Spec): Context {
  const context: Context = { ...container.securityContext };
  const lacks = (member: 'runAsUser' | 'runAsGroup' | 'runAsNonRoot'): boolean => effective(context, pod.spec, member) === undefined;
  if (lacks('runAsUser')) setAbsent(context, 'runAsUser', defaultId(spec.runAsUser));
  if (lacks('runAsGroup')) setAbsent(context, 'runAsGroup', spec.runAsGroup && defaultId(spec.runAsGroup));
  if (spec.runAsUser.rule === 'MustRunAsNonRoot' && lacks('runAsNonRoot') && lacks('runAsUser')) context.runAsNonRoot = true;
  const capabilities = withCapabilities(context.capabilities, spec);
  if (capabilities !== undefined) context.capabilities = capabilities;
  if (spec.readOnlyRootFilesystem === true) setAbsent(context, 'readOnlyRootFilesystem', true);
  setAbsent(context, 'allowPrivilegeEscalation', spec.defaultAllowPrivilegeEscalation ?? undefined);
  if (spec.allowPrivilegeEscalation === false) setAbsent(context, 'allowPrivilegeEscalation', false);
  return context;
}

function setAbsent<T extends object, M extends keyof T>(into: T, member: M, value: T[M] | undefined): void {
  if (value !== undefined && (into[member] ?? undefined) === undefined) into[member] = value;
}

const wantedLabels = ({ seLinux }: Spec): Context['seLinuxOptions'] => (seLinux.rule === 'MustRunAs' && seLinux.seLinuxOptions ? { ...seLinux.seLinuxOptions } : undefined);

/** The capabilities of a container with those that the policy adds and drops; undefined: it changes none. */
function withCapabilities(own: Context['capabilities'], spec: Spec): Context['capabilities'] {
  const [added, dropped] = [new Set(own?.add), new Set(own?.drop)];
  const add = new Set([...(spec.defaultAddCapabilities ?? []).filter((one) => !dropped.has(one)), ...added]);
  const drop = new Set([...(spec.requiredDropCapabilities ?? []), ...dropped]);
  if (add.size === added.size && drop.size === dropped.size) return undefined;
  return { ...(add.size === 0 ? {} : { add: [...add].sort() }), ...(drop.size === 0 ? {} : { drop: [...drop].sort() }) };
}
