import { checkDnsSubdomain, checkIp, checkQualifiedName, isIpv4, parseIp, report } from '#api';
import { goStruct, type FieldErrors, type GoValue } from '#errors';
import { goList } from '../../go-values.ts';
import type { ContainerStatus, PodCondition, PodStatus } from './pod-status.ts';
import { repeatsIn } from '../../repeats.ts';

/** Validates a status update. `at`: the path of the status; `restartPolicy`: that of the pod. */
export function validatePodStatus(next: PodStatus, live: PodStatus, restartPolicy: string | undefined, at: FieldErrors): void {
  const { nominatedNodeName } = next;
  if (nominatedNodeName && nominatedNodeName !== live.nominatedNodeName) {
    report(at.child('nominatedNodeName'), nominatedNodeName, checkDnsSubdomain(nominatedNodeName));
  }
  for (const list of ['containerStatuses', 'initContainerStatuses'] as const) {
    validateStates(next[list] ?? [], live[list] ?? [], restartPolicy, at.child(list));
  }
  // Ephemeral containers are never restarted.
  validateStates(next.ephemeralContainerStatuses ?? [], live.ephemeralContainerStatuses ?? [], 'Never', at.child('ephemeralContainerStatuses'));
  validateAddresses((next.podIPs ?? []).map(({ ip = '' }) => ip), at.child('podIPs'));
}

/** Condition types must be qualified names. `at`: the path of the metadata, where kube-apiserver reports this fault. */
export function validateConditions(conditions: readonly PodCondition[], at: FieldErrors): void {
  for (const [position, { type }] of conditions.entries()) report(at.child('conditions').index(position).child('Type'), type, checkQualifiedName(type));
}

/** A container that will not be restarted stays terminated. */
function validateStates(next: readonly ContainerStatus[], live: readonly ContainerStatus[], policy: string | undefined, at: FieldErrors): void {
  if (policy === 'Always') return;
  const going = new Set(next.filter((one) => !one.state.terminated).map((one) => one.name));
  for (const [position, { name, state }] of live.entries()) {
    if (!state.terminated || (policy === 'OnFailure' && state.terminated.exitCode !== 0)) continue;
    if (going.has(name)) at.index(position).child('state').forbidden('may not be transitioned to non-terminated state');
  }
}

/** Pods have one address, or one of each family. */
function validateAddresses(addresses: readonly string[], at: FieldErrors): void {
  for (const [position, address] of addresses.entries()) report(at.index(position), address, checkIp(address));
  if (addresses.length < 2) return;
  const parsed = addresses.map((address) => parseIp(address));
  const isReadable = !parsed.includes(undefined);
  if (!isReadable) at.internal('failed to check for dual stack with error:ip <nil> is invalid');
  const families = new Set(parsed.map((bytes) => bytes !== undefined && isIpv4(bytes)));
  if (!isReadable || families.size < 2 || addresses.length > 2) at.invalid(goList('core.PodIP', addresses.map(showAddress)), 'may specify no more than one IP for each IP family');
  for (const position of repeatsIn(addresses)) at.index(position).duplicate(showAddress(addresses[position] ?? ''));
}

const showAddress = (ip: string): GoValue => goStruct('core.PodIP', { IP: ip });
