import { checkIp } from '#api';
import type { FieldErrors } from '#errors';
import type { Holding } from './holding.ts';
import {
  addressesOf,
  mayHaveNodePorts,
  needsAddress,
  needsHealthCheckPort,
  nodePortsOf,
  wantsNodePorts,
  type ScarcePort,
  type ScarceSpec,
} from './service-needs.ts';

/** Takes what `next` needs and `live` does not have already, and writes it into `next`. Says in `at` what cannot be had. */
export function takeForService(next: ScarceSpec, live: ScarceSpec | undefined, holding: Holding, at: FieldErrors): void {
  if (needsAddress(next)) takeAddresses(next, live, holding, at.child('clusterIPs'));
  if (!at.isEmpty) return;
  if (mayHaveNodePorts(next)) takeNodePorts(next, live, holding, at.child('ports'));
  if (needsHealthCheckPort(next)) takeHealthCheckPort(next, live, holding, at.child('healthCheckNodePort'));
}

const familyOf = (ip: string): string => (ip.includes(':') ? 'IPv6' : 'IPv4');

function takeAddresses(next: ScarceSpec, live: ScarceSpec | undefined, holding: Holding, at: FieldErrors): void {
  const wanted = next.clusterIPs ?? [];
  const families = next.ipFamilies?.length ? next.ipFamilies : [holding.defaultFamily];
  // Texts that are no addresses, addresses that do not go together, and families that are not there are left for validation to refuse.
  const isSound = (wanted[0] ?? '') === (next.clusterIP ?? '') && wanted.every((ip) => checkIp(ip) === undefined && holding.gives(familyOf(ip))) && families.every((one, at) => holding.gives(one) && families.indexOf(one) === at);
  if (!isSound) return;
  const had = addressesOf(live);
  for (const [position, ip] of wanted.entries()) {
    // An address once given may not change: that, too, is for validation to say.
    if (had[position] !== undefined) continue;
    const refusal = holding.takeAddress(ip);
    if (refusal !== undefined) at.invalid(wanted, `failed to allocate IP ${ip}: ${refusal}`);
  }
  if (!at.isEmpty) return;
  const missing = families.slice(wanted.length).map((family) => holding.takeAnyAddress(family));
  if (missing.includes(undefined)) {
    at.invalid([], 'failed to allocate a serviceIP: range is full');
    return;
  }
  const all = [...wanted, ...(missing as string[])];
  if (all[0] === undefined) return;
  next.clusterIP = all[0];
  next.clusterIPs = all;
}

function takeNodePorts(next: ScarceSpec, live: ScarceSpec | undefined, holding: Holding, at: FieldErrors): void {
  const had = new Set(nodePortsOf(live));
  /** Numbers of this service, with the protocols that use them: two protocols can share a number. */
  const own = new Map<number, Set<string>>();
  const byPort = new Map<number, number>();
  for (const [position, port] of (next.ports ?? []).entries()) {
    if (port.nodePort) takeNodePort(port, port.nodePort, had, own, holding, at.index(position).child('nodePort'));
  }
  for (const { port, nodePort } of next.ports ?? []) if (nodePort) byPort.set(port, nodePort);
  if (!wantsNodePorts(next)) return;
  for (const [position, port] of (next.ports ?? []).entries()) {
    if (!port.nodePort) chooseNodePort(port, own, byPort, holding, at.index(position).child('nodePort'));
  }
}

type Own = Map<number, Set<string>>;

function takeNodePort(port: ScarcePort, number: number, had: ReadonlySet<number>, own: Own, holding: Holding, at: FieldErrors): void {
  const { protocol = '' } = port;
  const users = own.get(number);
  if (users?.has(protocol) === true) at.invalid(number, 'provided port is already allocated');
  else if (users === undefined && !had.has(number)) {
    const refusal = holding.takePort(number);
    if (refusal !== undefined) at.invalid(number, refusal);
  }
  own.set(number, (users ?? new Set()).add(protocol));
}

/** A port that is there in two protocols gets one number. */
function chooseNodePort(port: ScarcePort, own: Own, byPort: Map<number, number>, holding: Holding, at: FieldErrors): void {
  const { protocol = '' } = port;
  const shared = byPort.get(port.port);
  const number = shared !== undefined && own.get(shared)?.has(protocol) !== true ? shared : holding.takeAnyPort();
  if (number === undefined) {
    at.invalid(0, 'failed to allocate a nodePort: range is full');
    return;
  }
  port.nodePort = number;
  byPort.set(port.port, number);
  own.set(number, (own.get(number) ?? new Set()).add(protocol));
}

function takeHealthCheckPort(next: ScarceSpec, live: ScarceSpec | undefined, holding: Holding, at: FieldErrors): void {
  const wanted = next.healthCheckNodePort ?? 0;
  if (wanted === 0) {
    const port = holding.takeAnyPort();
    if (port === undefined) at.invalid(0, 'failed to allocate a HealthCheck NodePort: range is full');
    else next.healthCheckNodePort = port;
  } else if (wanted !== live?.healthCheckNodePort) {
    const refusal = holding.takePort(wanted);
    if (refusal !== undefined) at.invalid(wanted, `failed to allocate requested HealthCheck NodePort ${wanted}: ${refusal}`);
  }
}
