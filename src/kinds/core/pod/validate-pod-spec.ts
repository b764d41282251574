import { checkDnsLabel, checkDnsSubdomain, checkQualifiedName, checkRange, report, validateMatchLabels, type Faults } from '#api';
import type { FieldErrors } from '#errors';
import { validateVolumes } from '../volume/validate-volumes.ts';
import type { PodRules } from './pod-rules.ts';
import type { PodSpec } from './pod-spec.ts';
import { validateAffinity } from './validate-affinity.ts';
import { validateContainers, validateInitContainers } from './validate-container.ts';
import { validateDnsConfig, validateDnsPolicy, validateHostAliases } from './validate-dns.ts';
import { validateEphemeralContainers } from './validate-ephemeral-containers.ts';
import { validateHostProcess } from './validate-host-process.ts';
import { validateOs } from './validate-os.ts';
import { validatePodSecurityContext } from './validate-pod-security-context.ts';
import { validateResources } from './validate-resources.ts';
import { validateTolerations } from './validate-tolerations.ts';
import { validateTopologySpread } from './validate-topology-spread.ts';
import { allowOneOf, requireOneOf } from '../../value-checks.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const PREEMPTION_POLICIES = ['PreemptLowerPriority', 'Never'];
const MAX_INT32 = 2 ** 31 - 1;

/** Validates the spec of a pod or template, in the order of 1.23. `podName`: set for a pod; names of its ephemeral claims are derived from it. */
export function validatePodSpec(spec: PodSpec, at: FieldErrors, rules: PodRules, podName = ''): void {
  validateContents(spec, at, rules, podName);
  validateSurroundings(spec, at, rules);
  validateHostProcess(spec, at, rules);
  validateDetails(spec, at);
  if (spec.overhead) validateResources({ limits: spec.overhead }, at.child('overhead'), rules);
  validateOs(spec, at);
}

function validateContents(spec: PodSpec, at: FieldErrors, rules: PodRules, podName: string): void {
  const containers = spec.containers ?? [];
  const initContainers = spec.initContainers ?? [];
  const volumes = validateVolumes(spec.volumes ?? [], podName, at.child('volumes'), rules);
  validateContainers(containers, volumes, at.child('containers'), rules);
  validateInitContainers(initContainers, containers, volumes, at.child('initContainers'), rules);
  const others = [...containers, ...initContainers];
  validateEphemeralContainers(spec.ephemeralContainers ?? [], others, volumes, at.child('ephemeralContainers'), rules);
}

function validateSurroundings(spec: PodSpec, at: FieldErrors, rules: PodRules): void {
  requireOneOf(spec.restartPolicy, at.child('restartPolicy'), RESTART_POLICIES);
  validateDnsPolicy(spec.dnsPolicy, at.child('dnsPolicy'));
  validateMatchLabels(spec.nodeSelector, at.child('nodeSelector'));
  if (spec.securityContext) validatePodSecurityContext(spec.securityContext, spec, at, rules);
  if (spec.affinity) validateAffinity(spec.affinity, at.child('affinity'));
  validateDnsConfig(spec.dnsConfig, spec.dnsPolicy, at.child('dnsConfig'), rules);
  for (const [position, { conditionType }] of (spec.readinessGates ?? []).entries()) {
    report(at.child('readinessGates').index(position).child('conditionType'), conditionType, checkQualifiedName(conditionType));
  }
  validateTopologySpread(spec.topologySpreadConstraints ?? [], at.child('topologySpreadConstraints'));
}

function validateDetails(spec: PodSpec, at: FieldErrors): void {
  const named = (member: NameMember, check: (name: string) => Faults): void => {
    const name = spec[member];
    if (name) report(at.child(member), name, check(name));
  };
  named('serviceAccountName', checkDnsSubdomain);
  named('nodeName', checkDnsSubdomain);
  const { activeDeadlineSeconds: deadline, runtimeClassName } = spec;
  if (deadline !== undefined) report(at.child('activeDeadlineSeconds'), deadline, checkRange(deadline, 1, MAX_INT32));
  named('hostname', checkDnsLabel);
  named('subdomain', checkDnsLabel);
  validateTolerations(spec.tolerations ?? [], at.child('tolerations'));
  validateHostAliases(spec.hostAliases ?? [], at.child('hostAliases'));
  named('priorityClassName', checkDnsSubdomain);
  // Unlike the other names it is validated even when it is empty.
  if (runtimeClassName !== undefined) report(at.child('runtimeClassName'), runtimeClassName, checkDnsSubdomain(runtimeClassName));
  if (spec.preemptionPolicy === '') at.child('preemptionPolicy').required();
  else allowOneOf(spec.preemptionPolicy, at.child('preemptionPolicy'), PREEMPTION_POLICIES);
}

type NameMember = 'serviceAccountName' | 'nodeName' | 'hostname' | 'subdomain' | 'priorityClassName';
