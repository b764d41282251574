import { familyOf, type Allocation, type HeldValues } from '#api';
import { internalError, withoutReason, type FieldErrors } from '#errors';
import { hasClusterIp, hasHealthCheckPort, hasNodePorts, isHeadless, type ServicePort, type ServiceSpec } from './service-spec.ts';

const NO_ADDRESS = 'None';

/** What a service holds: its cluster IPs, and its node ports, each once, that of its health check included. */
export function heldByService({ clusterIP = '', clusterIPs, ports, healthCheckNodePort = 0 }: ServiceSpec): HeldValues {
  // Services stored before the field `clusterIPs` existed have only `clusterIP`.
  const addresses = clusterIPs?.length ? clusterIPs : [clusterIP];
  const numbers = [...(ports ?? []).map(({ nodePort = 0 }) => nodePort), healthCheckNodePort];
  return {
    addresses: addresses.filter((ip) => ip !== NO_ADDRESS && ip !== ''),
    ports: [...new Set(numbers)].filter((port) => port !== 0),
  };
}

/**
 * Allocates what `next` needs and `live` does not have, and writes it into `next`. Reports in `at` the first value that cannot be allocated, as 1.23
 * does. Throws `InternalError` when no value is left or the port of the health check is taken, and an error without reason when an existing service
 * names one port twice.
 */
export function allocateForService(next: ServiceSpec, live: ServiceSpec | undefined, allocation: Allocation, at: FieldErrors): void {
  if (needsAddress(next) && !allocateAddresses(next, live, allocation, at.child('clusterIPs'))) return;
  // A port that is left to the server may not be one that the service names for another.
  const named = new Set(heldByService(next).ports);
  if (hasNodePorts(next)) allocateNodePorts(next, live, { allocation, named }, at.child('ports'));
  if (!at.isEmpty) return;
  if (hasHealthCheckPort(next) && !(live !== undefined && hasHealthCheckPort(live))) allocateHealthCheckPort(next, { allocation, named });
}

/** Whether the service needs a cluster IP. One of a type that is not known does, too: as in 1.23 its type is refused after its address. */
const needsAddress = (spec: ServiceSpec): boolean => hasClusterIp(spec) && spec.clusterIP !== NO_ADDRESS;

/** Whether node ports are allocated for ports that name none. */
const wantsNodePorts = ({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean => type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);

/** The allocation of node ports, and those that the service names. */
interface PortAllocation {
  readonly allocation: Allocation;
  readonly named: ReadonlySet<number>;
}

/** Allocates cluster IPs; false: ports need not be allocated, because the service is refused. */
function allocateAddresses(next: ServiceSpec, live: ServiceSpec | undefined, allocation: Allocation, at: FieldErrors): boolean {
  const wanted = next.clusterIPs ?? [];
  const families = next.ipFamilies?.length ? next.ipFamilies : [allocation.defaultFamily];
  // Malformed addresses, contradicting fields, and families without a range are left for validation to refuse.
  const isSound = (wanted[0] ?? '') === (next.clusterIP ?? '') && wanted.every((ip) => allocation.hasFamily(familyOf(ip))) && families.every((one, at) => allocation.hasFamily(one) && families.indexOf(one) === at);
  if (!isSound) return false;
  // A headless service stays headless; validation refuses a change of that.
  if (live !== undefined && isHeadless(live)) return true;
  const had = live === undefined ? [] : heldByService(live).addresses;
  for (const [position, ip] of wanted.entries()) {
    // An address once allocated may not change; validation refuses that, too.
    if (had[position] !== undefined) continue;
    const refusal = allocation.allocateAddress(ip);
    if (refusal === undefined) continue;
    // Addresses that were left to the server are shown as empty.
    at.invalid([...wanted, ...families.slice(wanted.length).map(() => '')], `failed to allocate IP ${ip}: ${refusal}`);
    return false;
  }
  const missing = families.slice(wanted.length).map((family) => allocation.allocateNextAddress(family));
  if (missing.includes(undefined)) throw internalError('failed to allocate a serviceIP: range is full');
  const all = [...wanted, ...(missing as string[])];
  if (all[0] === undefined) return true;
  next.clusterIP = all[0];
  next.clusterIPs = all;
  return true;
}

function allocateNodePorts(next: ServiceSpec, live: ServiceSpec | undefined, course: PortAllocation, at: FieldErrors): void {
  const ports = next.ports ?? [];
  const wantsAll = wantsNodePorts(next);
  const allocate = live === undefined ? allocatorForNew(ports, course) : allocatorForChanged(live, course);
  for (const [position, port] of ports.entries()) {
    if (!port.nodePort && !wantsAll) continue;
    const refusal = allocate(port);
    if (refusal === undefined) continue;
    at.index(position).child('nodePort').invalid(refusal.number, refusal.why);
    return;
  }
}

/** Allocates the node port of one port, or returns why it cannot. */
type AllocateNodePort = (port: ServicePort) => { readonly number: number; readonly why: string } | undefined;

/** In a new service, a port that is listed with two protocols gets the same node port for both. */
function allocatorForNew(ports: readonly ServicePort[], course: PortAllocation): AllocateNodePort {
  const chosen = new Map<number, number>();
  return (port) => {
    const shared = chosen.get(port.port);
    if (shared !== undefined && (!port.nodePort || port.nodePort === shared)) {
      port.nodePort = shared;
      return undefined;
    }
    const number = shared === undefined ? ports.find((one) => one.port === port.port && one.nodePort)?.nodePort : port.nodePort;
    if (number !== undefined) {
      const why = course.allocation.allocatePort(number);
      if (why !== undefined) return { number, why };
    }
    port.nodePort = number ?? nextPort(course);
    if (shared === undefined) chosen.set(port.port, port.nodePort);
    return undefined;
  };
}

/** In an existing service, ports may share a node port that the client names; each port without one gets its own. */
function allocatorForChanged(live: ServiceSpec, course: PortAllocation): AllocateNodePort {
  const own = new Set((live.ports ?? []).map(({ nodePort }) => nodePort ?? 0));
  const users = new Set<string>();
  return (port) => {
    const { protocol = '' } = port;
    const number = port.nodePort || nextPort(course);
    if (port.nodePort && !own.has(number)) {
      const why = course.allocation.allocatePort(number);
      if (why !== undefined) return { number, why };
      own.add(number);
    }
    port.nodePort = number;
    const user = `{${protocol} ${number}}`;
    if (users.has(user)) throw withoutReason(`duplicate nodePort: ${user}`);
    users.add(user);
    return undefined;
  };
}

function nextPort({ allocation, named }: PortAllocation): number {
  const number = allocation.allocateNextPort(named);
  if (number === undefined) throw internalError('failed to allocate a nodePort: range is full');
  return number;
}

function allocateHealthCheckPort(next: ServiceSpec, { allocation, named }: PortAllocation): void {
  const wanted = next.healthCheckNodePort ?? 0;
  if (wanted === 0) {
    const port = allocation.allocateNextPort(named);
    if (port === undefined) throw internalError('failed to allocate a HealthCheck NodePort 0: range is full');
    next.healthCheckNodePort = port;
    return;
  }
  const refusal = allocation.allocatePort(wanted);
  if (refusal !== undefined) throw internalError(`failed to allocate requested HealthCheck NodePort ${wanted}: ${refusal}`);
}
