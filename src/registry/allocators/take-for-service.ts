import { familyOf } from '#api';
import { internalError, withoutReason, type FieldErrors } from '#errors';
import type { Holding } from './holding.ts';
import {
  addressesOf,
  isHeadless,
  mayHaveNodePorts,
  needsAddress,
  needsHealthCheckPort,
  wantsNodePorts,
  type ScarcePort,
  type ScarceSpec,
} from './service-needs.ts';

/**
 * Allocates what `next` needs and `live` does not have, and writes it into `next`. Reports in `at` the first value that cannot be allocated, as 1.23
 * does. Throws `InternalError` when no value is left or the port of the health check is taken, and an error without reason when an existing service
 * names one port twice.
 */
export function takeForService(next: ScarceSpec, live: ScarceSpec | undefined, holding: Holding, at: FieldErrors): void {
  if (needsAddress(next) && !takeAddresses(next, live, holding, at.child('clusterIPs'))) return;
  if (mayHaveNodePorts(next)) takeNodePorts(next, live, holding, at.child('ports'));
  if (!at.isEmpty) return;
  if (needsHealthCheckPort(next) && !(live !== undefined && needsHealthCheckPort(live))) takeHealthCheckPort(next, holding);
}

/** Allocates cluster IPs; false: ports need not be allocated, because the service is refused. */
function takeAddresses(next: ScarceSpec, live: ScarceSpec | undefined, holding: Holding, at: FieldErrors): boolean {
  const wanted = next.clusterIPs ?? [];
  const families = next.ipFamilies?.length ? next.ipFamilies : [holding.defaultFamily];
  // Malformed addresses, contradicting fields, and families without a range are left for validation to refuse.
  const isSound = (wanted[0] ?? '') === (next.clusterIP ?? '') && wanted.every((ip) => holding.gives(familyOf(ip))) && families.every((one, at) => holding.gives(one) && families.indexOf(one) === at);
  if (!isSound) return false;
  // A headless service stays headless; validation refuses a change of that.
  if (live !== undefined && isHeadless(live)) return true;
  const had = addressesOf(live);
  for (const [position, ip] of wanted.entries()) {
    // An address once allocated may not change; validation refuses that, too.
    if (had[position] !== undefined) continue;
    const refusal = holding.takeAddress(ip);
    if (refusal === undefined) continue;
    // Addresses that were left to the server are shown as empty.
    at.invalid([...wanted, ...families.slice(wanted.length).map(() => '')], `failed to allocate IP ${ip}: ${refusal}`);
    return false;
  }
  const missing = families.slice(wanted.length).map((family) => holding.takeAnyAddress(family));
  if (missing.includes(undefined)) throw internalError('failed to allocate a serviceIP: range is full');
  const all = [...wanted, ...(missing as string[])];
  if (all[0] === undefined) return true;
  next.clusterIP = all[0];
  next.clusterIPs = all;
  return true;
}

function takeNodePorts(next: ScarceSpec, live: ScarceSpec | undefined, holding: Holding, at: FieldErrors): void {
  const ports = next.ports ?? [];
  const wantsAll = wantsNodePorts(next);
  const take = live === undefined ? takerOfNew(ports, holding) : takerOfChanged(live, holding);
  for (const [position, port] of ports.entries()) {
    if (!port.nodePort && !wantsAll) continue;
    const refusal = take(port);
    if (refusal === undefined) continue;
    at.index(position).child('nodePort').invalid(refusal.number, refusal.why);
    return;
  }
}

/** Allocates the node port of one port, or returns why it cannot. */
type TakeNodePort = (port: ScarcePort) => { readonly number: number; readonly why: string } | undefined;

/** In a new service, a port that is listed with two protocols gets the same node port for both. */
function takerOfNew(ports: readonly ScarcePort[], holding: Holding): TakeNodePort {
  const chosen = new Map<number, number>();
  return (port) => {
    const shared = chosen.get(port.port);
    if (shared !== undefined && (!port.nodePort || port.nodePort === shared)) {
      port.nodePort = shared;
      return undefined;
    }
    const number = shared === undefined ? ports.find((one) => one.port === port.port && one.nodePort)?.nodePort : port.nodePort;
    if (number !== undefined) {
      const why = holding.takePort(number);
      if (why !== undefined) return { number, why };
    }
    port.nodePort = number ?? anyPort(holding);
    if (shared === undefined) chosen.set(port.port, port.nodePort);
    return undefined;
  };
}

/** In an existing service, ports may share a node port that the client names; each port without one gets its own. */
function takerOfChanged(live: ScarceSpec, holding: Holding): TakeNodePort {
  const own = new Set((live.ports ?? []).map(({ nodePort }) => nodePort ?? 0));
  const users = new Set<string>();
  return (port) => {
    const { protocol = '' } = port;
    const number = port.nodePort || anyPort(holding);
    if (port.nodePort && !own.has(number)) {
      const why = holding.takePort(number);
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

function anyPort(holding: Holding): number {
  const number = holding.takeAnyPort();
  if (number === undefined) throw internalError('failed to allocate a nodePort: range is full');
  return number;
}

function takeHealthCheckPort(next: ScarceSpec, holding: Holding): void {
  const wanted = next.healthCheckNodePort ?? 0;
  if (wanted === 0) {
    const port = holding.takeAnyPort();
    if (port === undefined) throw internalError('failed to allocate a HealthCheck NodePort 0: range is full');
    next.healthCheckNodePort = port;
    return;
  }
  const refusal = holding.takePort(wanted);
  if (refusal !== undefined) throw internalError(`failed to allocate requested HealthCheck NodePort ${wanted}: ${refusal}`);
}
