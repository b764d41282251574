import {
  checkDnsLabel,
  checkDnsSubdomain,
  checkIp,
  checkPortName,
  checkPortNumber,
  checkQualifiedName,
  parseCidr,
  report,
  validateMatchLabels,
  type Brand,
} from '#api';
import { goStruct, type FieldErrors, type GoValue } from '#errors';
import { goIntOrString, goList, goPointer } from '../go-values.ts';
import { repeatsIn } from '../repeats.ts';
import { PROTOCOLS } from './pod/validate-ports.ts';
import { requireOneOf } from '../value-checks.ts';
import { hasHealthCheckPort, hasNodePorts, isHeadless, type ServicePort, type ServiceSpec } from './service-spec.ts';
import { checkOrdinaryIp } from './validate-endpoints.ts';
import { validateServiceAddresses } from './validate-service-addresses.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
const TRAFFIC_POLICIES = ['Cluster', 'Local'];
const KUBELET_PORT = 10_250;
const MAX_AFFINITY_SECONDS = 86_400;

/** Validates the spec of a service. `annotations`: those of the service, which may hold source ranges. */
export function validateServiceSpec(spec: ServiceSpec, annotations: Readonly<Record<string, string>>, at: FieldErrors, metadata: FieldErrors, brand: Brand): void {
  const ports = spec.ports ?? [];
  if (ports.length === 0 && !isHeadless(spec) && spec.type !== 'ExternalName') at.child('ports').required();
  validateForType(spec, at);
  validatePorts(ports, at.child('ports'));
  validateMatchLabels(spec.selector, at.child('selector'));
  validateAffinity(spec, at);
  validateServiceAddresses(spec, at);
  for (const [position, ip] of (spec.externalIPs ?? []).entries()) {
    const here = at.child('externalIPs').index(position);
    if (report(here, ip, checkIp(ip))) report(here, ip, checkOrdinaryIp(ip));
  }
  requireOneOf(spec.type, at.child('type'), TYPES);
  validateNumbers(ports, spec.type, at.child('ports'));
  validateSourceRanges(spec, annotations, at, metadata, brand);
  validateBalancer(spec, at);
  validateTraffic(spec, at);
}

function validateForType(spec: ServiceSpec, at: FieldErrors): void {
  if (spec.type === 'LoadBalancer') {
    for (const [position, { port }] of (spec.ports ?? []).entries()) {
      if (port === KUBELET_PORT) at.child('ports').index(position).invalid(port, `may not expose port ${KUBELET_PORT} externally since it is used by kubelet`);
    }
  }
  if (hasNodePorts(spec) && isHeadless(spec)) at.child('clusterIPs').index(0).invalid('None', `may not be set to 'None' for ${spec.type} services`);
  if (spec.type === 'ExternalName') validateExternalName(spec, at);
}

function validateExternalName(spec: ServiceSpec, at: FieldErrors): void {
  for (const member of ['clusterIPs', 'ipFamilies'] as const) {
    if ((spec[member] ?? []).length > 0) at.child(member).forbidden('may not be set for ExternalName services');
  }
  if (spec.ipFamilyPolicy !== undefined) at.child('ipFamilyPolicy').forbidden('may not be set for ExternalName services');
  // A trailing dot marks a fully qualified name.
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  if (name === '') at.child('externalName').required();
  else report(at.child('externalName'), name, checkDnsSubdomain(name));
}

function validatePorts(ports: readonly ServicePort[], at: FieldErrors): void {
  const names = new Set<string>();
  for (const [position, port] of ports.entries()) validatePort(port, ports.length > 1, names, at.index(position));
}

/** Validates ports against each other: node ports only for types that have them, and every number once per protocol. */
function validateNumbers(ports: readonly ServicePort[], type: string | undefined, at: FieldErrors): void {
  const lent = [...ports.entries()].filter(([, { nodePort }]) => nodePort);
  if (type === 'ClusterIP') for (const [position] of lent) at.index(position).child('nodePort').forbidden(`may not be used when \`type\` is 'ClusterIP'`);
  const repeats = repeatsIn(lent.map(([, { protocol = '', nodePort }]) => `${protocol}/${nodePort}`));
  for (const [order, [position, { nodePort }]] of lent.entries()) if (repeats.has(order)) at.index(position).child('nodePort').duplicate(nodePort);
  for (const position of repeatsIn(ports.map(({ protocol = '', port }) => `${protocol}/${port}`))) {
    // The fault shows only protocol and port, by which they are equal.
    const { protocol = '', port = 0 } = ports[position] ?? {};
    at.index(position).duplicate(showPort({ protocol, port }));
  }
}

const showPort = ({ name, protocol, appProtocol, port, targetPort, nodePort }: ServicePort): GoValue =>
  goStruct('core.ServicePort', {
    Name: name ?? '',
    Protocol: protocol ?? '',
    AppProtocol: goPointer('string', appProtocol),
    Port: port,
    TargetPort: goIntOrString(targetPort),
    NodePort: nodePort ?? 0,
  });

function validatePort({ name = '', port, protocol, targetPort, appProtocol }: ServicePort, isOneOfMany: boolean, names: Set<string>, at: FieldErrors): void {
  if (name === '') {
    if (isOneOfMany) at.child('name').required();
  } else {
    report(at.child('name'), name, checkDnsLabel(name));
    if (names.has(name)) at.child('name').duplicate(name);
    names.add(name);
  }
  report(at.child('port'), port, checkPortNumber(port));
  requireOneOf(protocol, at.child('protocol'), PROTOCOLS);
  const target = targetPort ?? 0;
  report(at.child('targetPort'), target, typeof target === 'number' ? checkPortNumber(target) : checkPortName(target));
  if (appProtocol !== undefined) report(at.child('appProtocol'), appProtocol, checkQualifiedName(appProtocol));
}

function validateAffinity({ sessionAffinity, sessionAffinityConfig: config }: ServiceSpec, at: FieldErrors): void {
  requireOneOf(sessionAffinity, at.child('sessionAffinity'), AFFINITIES);
  const here = at.child('sessionAffinityConfig');
  if (sessionAffinity === 'None' && config !== undefined) here.forbidden('must not be set when session affinity is None');
  if (sessionAffinity !== 'ClientIP') return;
  const seconds = config?.clientIP?.timeoutSeconds;
  if (seconds === undefined) here.child('clientIP', 'timeoutSeconds').required('when session affinity type is ClientIP');
  else if (seconds <= 0 || seconds > MAX_AFFINITY_SECONDS) {
    here.child('clientIP', 'timeoutSeconds').invalid(seconds, `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`);
  }
}

/** The path is capitalized, as in kube-apiserver. */
function validateSourceRanges({ type, loadBalancerSourceRanges }: ServiceSpec, annotations: Readonly<Record<string, string>>, at: FieldErrors, metadata: FieldErrors, { names }: Brand): void {
  const key = `service.beta.${names.domain}/load-balancer-source-ranges`;
  const isMember = (loadBalancerSourceRanges ?? []).length > 0;
  const annotation = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
  if (!isMember && annotation === undefined) return;
  const here = isMember ? at.child('LoadBalancerSourceRanges') : metadata.child('annotations').key(key);
  if (type !== 'LoadBalancer') here.forbidden(`may only be used when \`type\` is 'LoadBalancer'`);
  const ranges = isMember ? (loadBalancerSourceRanges ?? []) : (annotation ?? '').trim() === '' ? [] : (annotation ?? '').split(',');
  if (ranges.some((range) => parseCidr(range.trim()) === undefined)) {
    here.invalid(isMember ? `[${ranges.join(' ')}]` : annotation, 'must be a list of IP ranges. For example, 10.240.0.0/24,10.250.0.0/24 ');
  }
}

function validateBalancer({ type, allocateLoadBalancerNodePorts: allocates, loadBalancerClass }: ServiceSpec, at: FieldErrors): void {
  if (type !== 'LoadBalancer') {
    if (allocates !== undefined) at.child('allocateLoadBalancerNodePorts').forbidden(`may only be used when \`type\` is 'LoadBalancer'`);
    if (loadBalancerClass !== undefined) at.child('loadBalancerClass').forbidden(`may only be used when \`type\` is 'LoadBalancer'`);
    return;
  }
  if (allocates === undefined) at.child('allocateLoadBalancerNodePorts').required();
  if (loadBalancerClass !== undefined) report(at.child('loadBalancerClass'), loadBalancerClass, checkQualifiedName(loadBalancerClass));
}

export function validateBalancerKept(next: ServiceSpec, live: ServiceSpec, at: FieldErrors): void {
  const { loadBalancerClass } = next;
  if (next.type === 'LoadBalancer' && live.type === 'LoadBalancer' && loadBalancerClass !== live.loadBalancerClass) {
    at.child('loadBalancerClass').invalid(loadBalancerClass ?? null, 'may not change once set');
  }
  // kube-apiserver validates the class twice on an update.
  if (loadBalancerClass === undefined) return;
  if (next.type === 'LoadBalancer') report(at.child('loadBalancerClass'), loadBalancerClass, checkQualifiedName(loadBalancerClass));
  else at.child('loadBalancerClass').forbidden(`may only be used when \`type\` is 'LoadBalancer'`);
}

/** Load balancers with several protocols are a feature that is off; services that use it already keep it. */
export function validateOneProtocol(next: ServiceSpec, live: ServiceSpec | undefined, at: FieldErrors): void {
  const speaksSeveral = ({ ports }: ServiceSpec): boolean => new Set((ports ?? []).map(({ protocol }) => protocol)).size > 1;
  if (next.type !== 'LoadBalancer' || !speaksSeveral(next) || (live !== undefined && speaksSeveral(live))) return;
  at.child('ports').invalid(goList('core.ServicePort', next.ports?.map(showPort)), `may not contain more than 1 protocol when type is 'LoadBalancer'`);
}

/** The health check port is immutable while it is in use. */
export function validateHealthCheckKept(next: ServiceSpec, live: ServiceSpec, at: FieldErrors): void {
  if (!hasHealthCheckPort(next) || !hasHealthCheckPort(live)) return;
  if ((next.healthCheckNodePort ?? 0) !== (live.healthCheckNodePort ?? 0)) at.child('healthCheckNodePort').forbidden('field is immutable');
}

function validateTraffic(spec: ServiceSpec, at: FieldErrors): void {
  const { externalTrafficPolicy: external, internalTrafficPolicy: internal, healthCheckNodePort: port = 0 } = spec;
  if (external) {
    if (!hasNodePorts(spec)) at.child('externalTrafficPolicy').invalid(external, `may only be set when \`type\` is 'NodePort' or 'LoadBalancer'`);
    else if (!TRAFFIC_POLICIES.includes(external)) at.child('externalTrafficPolicy').notSupported(external, TRAFFIC_POLICIES);
  }
  if (port !== 0 && !hasHealthCheckPort(spec)) {
    at.child('healthCheckNodePort').invalid(port, `may only be set when \`type\` is 'LoadBalancer' and \`externalTrafficPolicy\` is 'Local'`);
  } else if (port !== 0) report(at.child('healthCheckNodePort'), port, checkPortNumber(port));
  if (internal === undefined) at.child('internalTrafficPolicy').required();
  else if (!TRAFFIC_POLICIES.includes(internal)) at.child('internalTrafficPolicy').notSupported(internal, TRAFFIC_POLICIES);
}
