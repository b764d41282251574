import { inRandomOrder } from '#base';
import type { Endpoints } from './endpoints.ts';
import type { Service } from './service.ts';

/** The address to connect to; IPv6 without brackets. */
export interface ServiceAddress {
  readonly host: string;
  readonly port: number;
}

/** In the order in which they are tried. */
export type ServiceAddresses = readonly [ServiceAddress, ...ServiceAddress[]];

/** Where a service leads; or why it leads nowhere, as Kubernetes says it. */
export type ServiceLead = { readonly addresses: ServiceAddresses } | { readonly nowhere: string };

/**
 * Where a service leads at one of its ports: to its ready endpoints, in random order; where nothing is said of endpoints, to its cluster IP. An ExternalName service
 * leads to that name, at any port. `name`: that of the service.
 */
export function serviceLead(name: string, service: Service | undefined, endpoints: Endpoints | undefined, port: number): ServiceLead {
  const quoted = JSON.stringify(name);
  if (service === undefined) return { nowhere: `service ${quoted} not found` };
  const { type, clusterIP, externalName, ports } = service.spec;
  if (type === 'ExternalName') return externalName ? { addresses: [{ host: externalName, port }] } : { nowhere: `service ${quoted} has no external name` };
  const open = (ports ?? []).find((one) => one.port === port);
  if (open === undefined) return { nowhere: `no service port ${port} found for service ${quoted}` };
  const [first, ...others] = inRandomOrder(readyAddresses(endpoints, open.name ?? ''));
  if (first !== undefined) return { addresses: [first, ...others] };
  if ((endpoints?.subsets ?? []).length > 0) return { nowhere: `no endpoints available for service ${quoted}` };
  return clusterIP && clusterIP !== 'None' ? { addresses: [{ host: clusterIP, port }] } : { nowhere: `service ${quoted} has neither endpoints nor a cluster IP` };
}

/** The ready endpoints at the port of this name; a port without name has the empty one. */
export function readyAddresses(endpoints: Endpoints | undefined, portName: string): readonly ServiceAddress[] {
  return (endpoints?.subsets ?? []).flatMap(({ addresses, ports }) => {
    const open = (ports ?? []).find((one) => (one.name ?? '') === portName);
    return open === undefined ? [] : (addresses ?? []).map(({ ip }) => ({ host: ip, port: open.port }));
  });
}
