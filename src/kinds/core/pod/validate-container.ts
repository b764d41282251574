import { checkDnsLabel } from '#api';
import { trimSpace } from '#base';
import { goStruct, type FieldErrors, type GoValue } from '#errors';
import { goPointer } from '../../go-values.ts';
import type { Container } from './container.ts';
import type { Lifecycle } from './lifecycle.ts';
import type { PodRules } from './pod-rules.ts';
import type { Probe } from './probe.ts';
import { validateEnv, validateEnvFrom } from './validate-env.ts';
import { refuseGrace, requireOneSuccess, validateLifecycle, validateProbe } from './validate-handlers.ts';
import { validateDevices, validateMounts, type Volumes } from './validate-mounts.ts';
import { validateHostPorts, validatePorts } from './validate-ports.ts';
import { validateResources } from './validate-resources.ts';
import { validateSecurityContext } from './validate-security-context.ts';
import { requireOneOf, requireText, requireValid } from '../../value-checks.ts';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const MESSAGE_POLICIES = ['File', 'FallbackToLogsOnError'];
const MESSAGE_POLICY_FAULT = `must be 'File' or 'FallbackToLogsOnError'`;

/** Validates the regular containers of a pod, which run at the same time. */
export function validateContainers(containers: readonly Container[], volumes: Volumes, at: FieldErrors, rules: PodRules): void {
  validateEach(containers, volumes, at, rules);
  validateHostPorts(containers, at);
}

function validateEach(containers: readonly Container[], volumes: Volumes, at: FieldErrors, rules: PodRules): void {
  if (containers.length === 0) at.required();
  const names = new Set<string>();
  for (const [position, container] of containers.entries()) {
    const here = at.index(position);
    requireValid(container.name, here.child('name'), checkDnsLabel);
    if (names.has(container.name)) here.child('name').duplicate(container.name);
    names.add(container.name);
    validateContainer(container, volumes, here, rules);
  }
}

function validateContainer(container: Container, volumes: Volumes, at: FieldErrors, rules: PodRules): void {
  requireText(container.image, at.child('image'));
  validateBehaviour(container, at);
  validatePorts(container.ports ?? [], at.child('ports'));
  validateEnv(container.env ?? [], at.child('env'));
  validateEnvFrom(container.envFrom ?? [], at.child('envFrom'));
  validateMounts(container, volumes, at.child('volumeMounts'));
  validateDevices(container, volumes, at.child('volumeDevices'));
  requireOneOf(container.imagePullPolicy, at.child('imagePullPolicy'), PULL_POLICIES);
  validateResources(container.resources, at.child('resources'), rules);
  if (container.securityContext) validateSecurityContext(container.securityContext, at.child('securityContext'), rules);
}

function validateMessagePolicy(policy: string | undefined, at: FieldErrors): void {
  if (requireText(policy, at, MESSAGE_POLICY_FAULT) && !MESSAGE_POLICIES.includes(policy)) at.invalid(policy, MESSAGE_POLICY_FAULT);
}

/** Faults are in the order of 1.23, which reports those of a startup probe twice. */
function validateBehaviour({ lifecycle, livenessProbe, readinessProbe, startupProbe, terminationMessagePolicy }: Container, at: FieldErrors): void {
  if (lifecycle) validateLifecycle(lifecycle, at.child('lifecycle'));
  if (livenessProbe) validateProbe(livenessProbe, at.child('livenessProbe'));
  if (readinessProbe) refuseGrace(readinessProbe, at.child('readinessProbe'));
  if (startupProbe) validateProbe(startupProbe, at.child('startupProbe'));
  if (livenessProbe) requireOneSuccess(livenessProbe, at.child('livenessProbe'));
  if (startupProbe) validateProbe(startupProbe, at.child('startupProbe'));
  if (startupProbe) requireOneSuccess(startupProbe, at.child('startupProbe'));
  validateMessagePolicy(terminationMessagePolicy, at.child('terminationMessagePolicy'));
  if (readinessProbe) validateProbe(readinessProbe, at.child('readinessProbe'));
}

/** Validates the init containers, which run one after the other before the regular ones. */
export function validateInitContainers(
  init: readonly Container[],
  containers: readonly Container[],
  volumes: Volumes,
  at: FieldErrors,
  rules: PodRules,
): void {
  if (init.length === 0) return;
  validateEach(init, volumes, at, rules);
  for (const container of init) validateHostPorts([container], at);
  const names = new Set(containers.map(({ name }) => name));
  for (const [position, container] of init.entries()) {
    const here = at.index(position);
    if (names.has(container.name)) here.child('name').duplicate(container.name);
    if (container.name) names.add(container.name);
    if (container.lifecycle !== undefined) here.child('lifecycle').invalid(showLifecycle(container.lifecycle), NOT_FOR_INIT);
    for (const member of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
      const probe = container[member];
      if (probe !== undefined) here.child(member).invalid(showProbe(probe), NOT_FOR_INIT);
    }
  }
}

const NOT_FOR_INIT = 'must not be set for init containers';

const showLifecycle = ({ postStart, preStop }: Lifecycle): GoValue =>
  goStruct('core.Lifecycle', { PostStart: goPointer('core.LifecycleHandler', postStart), PreStop: goPointer('core.LifecycleHandler', preStop) });

function showProbe(probe: Probe): GoValue {
  const ProbeHandler = goStruct('core.ProbeHandler', {
    Exec: goPointer('core.ExecAction', probe.exec),
    HTTPGet: goPointer('core.HTTPGetAction', probe.httpGet),
    TCPSocket: goPointer('core.TCPSocketAction', probe.tcpSocket),
    GRPC: goPointer('core.GRPCAction', probe.grpc),
  });
  return goStruct('core.Probe', {
    ProbeHandler,
    InitialDelaySeconds: probe.initialDelaySeconds ?? 0,
    TimeoutSeconds: probe.timeoutSeconds ?? 0,
    PeriodSeconds: probe.periodSeconds ?? 0,
    SuccessThreshold: probe.successThreshold ?? 0,
    FailureThreshold: probe.failureThreshold ?? 0,
    TerminationGracePeriodSeconds: goPointer('int64', probe.terminationGracePeriodSeconds),
  });
}

/** Checks images for surrounding spaces: invalid in pods, but still valid in templates for compatibility. */
export function validateImageSpaces(containers: readonly Container[], at: FieldErrors): void {
  for (const [position, { image }] of containers.entries()) validateImageSpace(image, at.index(position).child('image'));
}

export function validateImageSpace(image: string | undefined, at: FieldErrors): void {
  if (image !== undefined && trimSpace(image) !== image) at.invalid(image, 'must not have leading or trailing whitespace');
}
