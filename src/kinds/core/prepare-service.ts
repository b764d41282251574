import { isDeepEqual } from '#base';
import { isIpv4, parseIp } from '#api';
import { hasClusterIp, hasHealthCheckPort, hasNodePorts, isFree, type ServiceSpec } from './service-spec.ts';
import { areFamiliesSettled, refuseAddresses } from './validate-service-addresses.ts';

/** Brings the two spellings of the address together, keeps what the server once gave, and says which families are used. Changes `next`. */
export function prepareServiceSpec(next: ServiceSpec, live: ServiceSpec | undefined, families: readonly string[] = ['IPv4']): void {
  joinAddresses(next, live);
  if (live !== undefined) {
    clearForType(next, live);
    keepGiven(next, live);
  }
  if (!hasClusterIp(next) || areFamiliesSettled(next, live)) return;
  next.ipFamilyPolicy ??= live?.ipFamilyPolicy ?? standardPolicy(next);
  if (live !== undefined) dropSecond(next, live);
  // What cannot be is refused in the words of the client: nothing is added to it.
  if (refuseAddresses(next, live, families).isEmpty) chooseFamilies(next, families);
}

/** What is shown of a service that was stored when it had one address of no particular family. Changes `spec`. */
export function fillServiceSpec(spec: ServiceSpec, [standard = 'IPv4']: readonly string[]): void {
  joinAddresses(spec, undefined);
  if ((spec.ipFamilies ?? []).length > 0) return;
  // It has its address, whether or not there are still others of that family.
  if (!hasClusterIp(spec)) return;
  spec.ipFamilyPolicy ??= standardPolicy(spec);
  chooseFamilies(spec, standard === 'IPv4' ? ['IPv4', 'IPv6'] : ['IPv6', 'IPv4']);
}

const standardPolicy = (spec: ServiceSpec): string => (isFree(spec) ? 'RequireDualStack' : 'SingleStack');

/** `clusterIP` and the first of `clusterIPs` are one; old clients know only the former, and take no second address away. */
function joinAddresses(next: ServiceSpec, live: ServiceSpec | undefined): void {
  const isListKept = live !== undefined && isDeepEqual(next.clusterIPs ?? [], live.clusterIPs ?? []);
  if (next.clusterIP && (next.clusterIPs ?? []).length === 0) next.clusterIPs = live?.clusterIP === next.clusterIP && live.clusterIPs?.length ? [...live.clusterIPs] : [next.clusterIP];
  else if (live !== undefined && isListKept && (next.clusterIP ?? '') !== (live.clusterIP ?? '')) {
    if (next.clusterIP) next.clusterIPs = [next.clusterIP];
    else delete next.clusterIPs;
  }
}

/** What only the former type needed goes with it, unless the writer changed it. */
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

/** What a writer leaves out stays as the server gave it. */
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

/** By the name of the port; a number that another port took stays there. */
function keepNodePorts(next: ServiceSpec, live: ServiceSpec): void {
  const taken = new Set(nodePortsOf(next));
  const byName = new Map((live.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  for (const port of next.ports ?? []) {
    const before = byName.get(port.name ?? '') ?? 0;
    if (port.nodePort || before === 0 || taken.has(before)) continue;
    port.nodePort = before;
    taken.add(before);
  }
}

/** Who asks for one family where there were two, and leaves the rest as it is, means the first. */
function dropSecond(next: ServiceSpec, live: ServiceSpec): void {
  if (next.ipFamilyPolicy !== 'SingleStack') return;
  for (const member of ['clusterIPs', 'ipFamilies'] as const) {
    const [first, ...others] = next[member] ?? [];
    if (first !== undefined && others.length > 0 && isDeepEqual(next[member], live[member])) next[member] = [first];
  }
}

/** Families not named are those of the addresses, or the standard one, which is the first of `configured`. Changes `spec`. */
function chooseFamilies(spec: ServiceSpec, configured: readonly string[]): void {
  const [standard = 'IPv4'] = configured;
  const families = [...(spec.ipFamilies ?? [])];
  for (const ip of (spec.clusterIPs ?? []).slice(families.length)) if (parseIp(ip) !== undefined) families.push(familyOf(ip));
  const [only = standard, ...others] = families;
  const isDouble = spec.ipFamilyPolicy !== 'SingleStack' && (isFree(spec) || configured.length > 1);
  spec.ipFamilies = others.length > 0 ? families : isDouble ? [only, only === 'IPv4' ? 'IPv6' : 'IPv4'] : [only];
}

/** IPv4 where the text is no address. */
function familyOf(address: string): string {
  const ip = parseIp(address);
  return ip === undefined || isIpv4(ip) ? 'IPv4' : 'IPv6';
}
