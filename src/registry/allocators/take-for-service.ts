import { checkIp } from '#api';
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
 * Takes what `next` needs and `live` does not have already, and writes it into `next`. Says in `at` what cannot be had: the first thing, as
 * clients know it. Throws `InternalError` where no value is left or a health check's port is somebody else's, and an error without reason
 * where a service that is there names one port twice.
 */
export function takeForService(next: ScarceSpec, live: ScarceSpec | undefined, holding: Holding, at: FieldErrors): void {
  if (needsAddress(next) && !takeAddresses(next, live, holding, at.child('clusterIPs'))) return;
  if (mayHaveNodePorts(next)) takeNodePorts(next, live, holding, at.child('ports'));
  if (!at.isEmpty) return;
  if (needsHealthCheckPort(next) && !(live !== undefined && needsHealthCheckPort(live))) takeHealthCheckPort(next, holding);
}

const familyOf = (ip: string): string => (ip.includes(':') ? 'IPv6' : 'IPv4');

/** Whether there is any sense in taking more. */
function takeAddresses(next: ScarceSpec, live: ScarceSpec | undefined, holding: Holding, at: FieldErrors): boolean {
  const wanted = next.clusterIPs ?? [];
  const families = next.ipFamilies?.length ? next.ipFamilies : [holding.defaultFamily];
  // Texts that are no addresses, addresses that do not go together, and families that are not there are left for validation to refuse.
  const isSound = (wanted[0] ?? '') === (next.clusterIP ?? '') && wanted.every((ip) => checkIp(ip) === undefined && holding.gives(familyOf(ip))) && families.every((one, at) => holding.gives(one) && families.indexOf(one) === at);
  if (!isSound) return false;
  // A service without address stays so: that, too, is for validation to say.
  if (live !== undefined && isHeadless(live)) return true;
  const had = addressesOf(live);
  for (const [position, ip] of wanted.entries()) {
    // And an address once given may not change.
    if (had[position] !== undefined) continue;
    const refusal = holding.takeAddress(ip);
    if (refusal === undefined) continue;
    // Where any address would do, none is shown.
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

/** Sets the node port of one port, or says why not. */
type TakeNodePort = (port: ScarcePort) => { readonly number: number; readonly why: string } | undefined;

/** In a new service a port that is there in two protocols gets one number. */
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

/** In a service that is there, ports may share a number that the client names; each without one gets its own. */
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
