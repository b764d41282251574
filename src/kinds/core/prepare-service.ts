import { isDeepEqual } from '#base';
import { isIpv4, parseIp } from '#api';
import { hasClusterIp, hasHealthCheckPort, hasNodePorts, isHeadless, type ServiceSpec } from './service-spec.ts';

/** Brings the two spellings of the address together, keeps what the server once gave, and says which families are used. Changes `next`. */
export function prepareServiceSpec(next: ServiceSpec, live: ServiceSpec | undefined, families: readonly string[] = ['IPv4']): void {
  joinAddresses(next, live);
  if (live !== undefined) {
    clearForType(next, live);
    keepGiven(next, live);
    dropSecond(next, live);
  }
  chooseFamilies(next, live, families);
}

/** What is shown of a service that was stored when it had one address of no particular family. Changes `spec`. */
export function fillServiceSpec(spec: ServiceSpec, [standard = 'IPv4']: readonly string[]): void {
  joinAddresses(spec, undefined);
  if ((spec.ipFamilies ?? []).length > 0) return;
  // It has its address, whether or not there are still others of that family.
  chooseFamilies(spec, undefined, standard === 'IPv4' ? ['IPv4', 'IPv6'] : ['IPv6', 'IPv4']);
}

/** `clusterIP` and the first of `clusterIPs` are one; old clients know only the former. */
function joinAddresses(next: ServiceSpec, live: ServiceSpec | undefined): void {
  const isListKept = live !== undefined && isDeepEqual(next.clusterIPs ?? [], live.clusterIPs ?? []);
  if (next.clusterIP && (next.clusterIPs ?? []).length === 0) next.clusterIPs = [next.clusterIP];
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
  if (hasNodePorts(live) && !hasNodePorts(next) && isDeepEqual(nodePortsOf(next), nodePortsOf(live))) {
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
    if (next.ipFamilyPolicy === undefined && live.ipFamilyPolicy !== undefined) next.ipFamilyPolicy = live.ipFamilyPolicy;
    if ((next.ipFamilies ?? []).length === 0 && live.ipFamilies !== undefined) next.ipFamilies = [...live.ipFamilies];
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
  if (next.ipFamilyPolicy !== 'SingleStack' || !hasClusterIp(next)) return;
  for (const member of ['clusterIPs', 'ipFamilies'] as const) {
    const [first, ...others] = next[member] ?? [];
    if (first !== undefined && others.length > 0 && isDeepEqual(next[member], live[member])) next[member] = [first];
  }
}

/** `configured`: the default family first. Services without an address of their own may be anything to those who run them. */
function chooseFamilies(spec: ServiceSpec, live: ServiceSpec | undefined, configured: readonly string[]): void {
  if (!hasClusterIp(spec)) return;
  const [standard = 'IPv4'] = configured;
  const isFree = isHeadless(spec) && Object.keys(spec.selector ?? {}).length === 0;
  const { ipFamilyPolicy: policy } = spec;
  const isDouble = isFree ? policy !== 'SingleStack' : configured.length > 1 && (policy === 'PreferDualStack' || policy === 'RequireDualStack');
  if ((spec.ipFamilies ?? []).length === 0) {
    const given = (spec.clusterIPs ?? []).filter((ip) => parseIp(ip) !== undefined).map(familyOf);
    // One that nobody gives out addresses of is left for validation to refuse.
    if (given.every((family) => configured.includes(family))) spec.ipFamilies = given.length > 0 ? given : [standard];
  }
  const [only, ...others] = spec.ipFamilies ?? [];
  // Who takes one of two away without a word about the policy is left for validation to refuse.
  const isReduced = (live?.ipFamilies ?? []).length > 1;
  if (isDouble && !isReduced && only !== undefined && others.length === 0) spec.ipFamilies = [only, only === 'IPv4' ? 'IPv6' : 'IPv4'];
  spec.ipFamilyPolicy ??= isFree ? 'RequireDualStack' : 'SingleStack';
}

/** IPv4 where the text is no address. */
function familyOf(address: string): string {
  const ip = parseIp(address);
  return ip === undefined || isIpv4(ip) ? 'IPv4' : 'IPv6';
}
