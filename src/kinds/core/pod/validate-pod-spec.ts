import { checkDnsLabel, checkDnsSubdomain, checkQualifiedName, checkRange, report, validateMatchLabels, type Faults } from '#api';
import type { FieldErrors } from '#errors';
import { validateVolumes } from '../volume/validate-volumes.ts';
import type { PodRules } from './pod-rules.ts';
import type { PodSpec } from './pod-spec.ts';
import { validateAffinity } from './validate-affinity.ts';
import { validateContainers, validateInitContainers } from './validate-container.ts';
import { validateDns, validateHostAliases } from './validate-dns.ts';
import { validateEphemeralContainers } from './validate-ephemeral-containers.ts';
import { validateHostProcess } from './validate-host-process.ts';
import { validatePodSecurityContext } from './validate-pod-security-context.ts';
import { validateResources } from './validate-resources.ts';
import { validateTolerations } from './validate-tolerations.ts';
import { validateTopologySpread } from './validate-topology-spread.ts';
import { allowOneOf, requireOneOf } from './value-checks.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const MAX_INT32 = 2 ** 31 - 1;

/** Members that are the name of something, and what it must look like. */
const NAMES = [
  ['serviceAccountName', checkDnsSubdomain],
  ['nodeName', checkDnsSubdomain],
  ['hostname', checkDnsLabel],
  ['subdomain', checkDnsLabel],
  ['priorityClassName', checkDnsSubdomain],
] as const satisfies readonly (readonly [keyof PodSpec, (name: string) => Faults])[];

/** The spec of a pod or of a template. `podName` is there when it is that of a pod: names of claims are made from it. */
export function validatePodSpec(spec: PodSpec, at: FieldErrors, rules: PodRules, podName = ''): void {
  const containers = spec.containers ?? [];
  const initContainers = spec.initContainers ?? [];
  const volumes = validateVolumes(spec.volumes ?? [], podName, at.child('volumes'), rules);
  validateContainers(containers, volumes, at.child('containers'), rules);
  validateInitContainers(initContainers, containers, volumes, at.child('initContainers'), rules);
  const others = [...containers, ...initContainers];
  validateEphemeralContainers(spec.ephemeralContainers ?? [], others, volumes, at.child('ephemeralContainers'), rules);
  validateNames(spec, at);
  validatePolicies(spec, at);
  validatePlacement(spec, at);
  validateDns(spec.dnsPolicy, spec.dnsConfig, at);
  validateHostAliases(spec.hostAliases ?? [], at.child('hostAliases'));
  if (spec.securityContext) validatePodSecurityContext(spec.securityContext, spec, at);
  validateHostProcess(spec, at, rules);
  if (spec.overhead) validateResources({ limits: spec.overhead }, at.child('overhead'), rules);
}

function validateNames(spec: PodSpec, at: FieldErrors): void {
  for (const [member, check] of NAMES) {
    const name = spec[member];
    if (name) report(at.child(member), name, check(name));
  }
  const { runtimeClassName } = spec;
  if (runtimeClassName !== undefined) report(at.child('runtimeClassName'), runtimeClassName, checkDnsSubdomain(runtimeClassName));
  for (const [position, { conditionType }] of (spec.readinessGates ?? []).entries()) {
    report(at.child('readinessGates').index(position).child('conditionType'), conditionType, checkQualifiedName(conditionType));
  }
}

function validatePolicies(spec: PodSpec, at: FieldErrors): void {
  requireOneOf(spec.restartPolicy, at.child('restartPolicy'), RESTART_POLICIES);
  if (spec.preemptionPolicy === '') at.child('preemptionPolicy').required();
  else allowOneOf(spec.preemptionPolicy, at.child('preemptionPolicy'), PREEMPTION_POLICIES);
  const deadline = spec.activeDeadlineSeconds;
  if (deadline !== undefined) report(at.child('activeDeadlineSeconds'), deadline, checkRange(deadline, 1, MAX_INT32));
}

function validatePlacement(spec: PodSpec, at: FieldErrors): void {
  validateMatchLabels(spec.nodeSelector, at.child('nodeSelector'));
  if (spec.affinity) validateAffinity(spec.affinity, at.child('affinity'));
  validateTolerations(spec.tolerations ?? [], at.child('tolerations'));
  validateTopologySpread(spec.topologySpreadConstraints ?? [], at.child('topologySpreadConstraints'));
}
