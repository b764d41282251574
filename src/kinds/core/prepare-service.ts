import { isDeepEqual } from '#base';
import { familyOf } from '#api';
import { hasClusterIp, hasHealthCheckPort, hasNodePorts, isFree, type ServiceSpec } from './service-spec.ts';
import { areFamiliesSettled, refuseAddresses } from './validate-service-addresses.ts';

/** Makes both address fields agree, keeps allocated values that the writer omits, and sets the IP families. Changes `next`. */
export function prepareServiceSpec(next: ServiceSpec, live: ServiceSpec | undefined, families: readonly string[] = ['IPv4']): void {
  joinAddresses(next, live);
  if (live !== undefined) {
    clearForType(next, live);
    keepGiven(next, live);
  }
  if (!hasClusterIp(next) || areFamiliesSettled(next, live)) return;
  next.ipFamilyPolicy ??= live?.ipFamilyPolicy ?? standardPolicy(next);
  if (live !== undefined) dropSecond(next, live);
  // Invalid addresses are left as the client sent them, so that the error shows only its own values.
  if (refuseAddresses(next, live, families).isEmpty) chooseFamilies(next, families);
}

/** Completes a service that was stored before there were IP families. Changes `spec`. */
export function fillServiceSpec(spec: ServiceSpec, [standard = 'IPv4']: readonly string[]): void {
  joinAddresses(spec, undefined);
  if ((spec.ipFamilies ?? []).length > 0) return;
  // Its address exists already, whether or not the family is still configured.
  if (!hasClusterIp(spec)) return;
  spec.ipFamilyPolicy ??= standardPolicy(spec);
  chooseFamilies(spec, standard === 'IPv4' ? ['IPv4', 'IPv6'] : ['IPv6', 'IPv4']);
}

const standardPolicy = (spec: ServiceSpec): string => (isFree(spec) ? 'RequireDualStack' : 'SingleStack');

/** Makes `clusterIP` and the first of `clusterIPs` agree. Old clients know only the former, and must not remove a second address. */
function joinAddresses(next: ServiceSpec, live: ServiceSpec | undefined): void {
  const isListKept = live !== undefined && isDeepEqual(next.clusterIPs ?? [], live.clusterIPs ?? []);
  if (next.clusterIP && (next.clusterIPs ?? []).length === 0) next.clusterIPs = live?.clusterIP === next.clusterIP && live.clusterIPs?.length ? [...live.clusterIPs] : [next.clusterIP];
  else if (live !== undefined && isListKept && (next.clusterIP ?? '') !== (live.clusterIP ?? '')) {
    if (next.clusterIP) next.clusterIPs = [next.clusterIP];
    else delete next.clusterIPs;
  }
}

/** Removes fields that only the previous type needed, unless the writer changed them. */
function clearForType(next: ServiceSpec, live: ServiceSpec): void {
  if (hasClusterIp(live) && !hasClusterIp(next)) {
    if (isDeepEqual(next.clusterIPs ?? [], live.clusterIPs ?? [])) {
      delete next.clusterIP;
      delete next.clusterIPs;
    }
    if (isDeepEqual(next.ipFamilies ?? [], live.ipFamilies ?? [])) delete next.ipFamilies;
    if (next.ipFamilyPolicy === live.ipFamilyPolicy) delete next.ipFamilyPolicy;
  }
  const portsBefore = new Set(nodePortsOf(live));
  if (hasNodePorts(live) && !hasNodePorts(next) && nodePortsOf(next).every((port) => portsBefore.has(port))) {
    for (const port of next.ports ?? []) delete port.nodePort;
  }
  const isPortKept = (next.healthCheckNodePort ?? 0) === (live.healthCheckNodePort ?? 0);
  if (hasHealthCheckPort(live) && !hasHealthCheckPort(next) && isPortKept) delete next.healthCheckNodePort;
  if (hasNodePorts(live) && !hasNodePorts(next) && next.externalTrafficPolicy === live.externalTrafficPolicy) delete next.externalTrafficPolicy;
  if (live.type !== 'LoadBalancer' || next.type === 'LoadBalancer') return;
  if (next.allocateLoadBalancerNodePorts === live.allocateLoadBalancerNodePorts) delete next.allocateLoadBalancerNodePorts;
  if (next.loadBalancerClass === live.loadBalancerClass) delete next.loadBalancerClass;
}

const nodePortsOf = ({ ports }: ServiceSpec): readonly number[] => (ports ?? []).map(({ nodePort = 0 }) => nodePort).filter((port) => port !== 0);

/** Keeps allocated values that the writer omits. */
function keepGiven(next: ServiceSpec, live: ServiceSpec): void {
  if (hasClusterIp(live) && hasClusterIp(next)) {
    if (!next.clusterIP && live.clusterIP) next.clusterIP = live.clusterIP;
    if ((next.clusterIPs ?? []).length === 0 && next.clusterIP === live.clusterIP && live.clusterIPs !== undefined) next.clusterIPs = [...live.clusterIPs];
  }
  if (hasNodePorts(live) && hasNodePorts(next)) keepNodePorts(next, live);
  if (hasHealthCheckPort(live) && hasHealthCheckPort(next) && !next.healthCheckNodePort && live.healthCheckNodePort) {
    next.healthCheckNodePort = live.healthCheckNodePort;
  }
}

/**
 * Keeps node ports by port name, unless the writer names the number for another port. Ports with the same name, or all without one, get the same
 * number: what allocates ports then refuses them, as kube-apiserver does.
 */
function keepNodePorts(next: ServiceSpec, live: ServiceSpec): void {
  const taken = new Set(nodePortsOf(next));
  const byName = new Map((live.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  for (const port of next.ports ?? []) {
    const before = byName.get(port.name ?? '') ?? 0;
    if (!port.nodePort && before !== 0 && !taken.has(before)) port.nodePort = before;
  }
}

/** A change from dual stack to `SingleStack` that leaves the lists as they are keeps only their first entries. */
function dropSecond(next: ServiceSpec, live: ServiceSpec): void {
  if (next.ipFamilyPolicy !== 'SingleStack') return;
  for (const member of ['clusterIPs', 'ipFamilies'] as const) {
    const [first, ...others] = next[member] ?? [];
    if (first !== undefined && others.length > 0 && isDeepEqual(next[member], live[member])) next[member] = [first];
  }
}

/** Completes missing families from the addresses, or with the default one, the first of `configured`. Changes `spec`. */
function chooseFamilies(spec: ServiceSpec, configured: readonly string[]): void {
  const [standard = 'IPv4'] = configured;
  const families = [...(spec.ipFamilies ?? [])];
  families.push(...(spec.clusterIPs ?? []).slice(families.length).flatMap((ip) => familyOf(ip) ?? []));
  const [only = standard, ...others] = families;
  const isDouble = spec.ipFamilyPolicy !== 'SingleStack' && (isFree(spec) || configured.length > 1);
  spec.ipFamilies = others.length > 0 ? families : isDouble ? [only, only === 'IPv4' ? 'IPv6' : 'IPv4'] : [only];
}
