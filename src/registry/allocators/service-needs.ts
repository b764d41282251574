import type { ApiObject } from '#api';

/** The part of a Service that holds addresses and ports; the registry does not know the kinds themselves. */
export interface AllocatedService extends ApiObject {
  spec: AllocatedSpec;
}

export interface AllocatedSpec {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
  ipFamilies?: string[];
  ports?: AllocatedPort[];
  externalTrafficPolicy?: string;
  healthCheckNodePort?: number;
  allocateLoadBalancerNodePorts?: boolean;
}

export interface AllocatedPort {
  readonly port: number;
  readonly protocol?: string;
  nodePort?: number;
}

const NO_ADDRESS = 'None';

/** Whether the service needs a cluster IP. One of a type that is not known does, too: as in 1.23 its type is refused after its address. */
export const needsAddress = ({ type, clusterIP }: AllocatedSpec): boolean => type !== 'ExternalName' && clusterIP !== NO_ADDRESS;

/** The values of its cluster IPs. Services stored before the field `clusterIPs` existed have only `clusterIP`. */
const requestedAddresses = ({ clusterIP, clusterIPs }: AllocatedSpec): readonly string[] => (clusterIPs?.length ? clusterIPs : clusterIP ? [clusterIP] : []);

/** Whether the service is headless: it has explicitly no cluster IP. */
export const isHeadless = (spec: AllocatedSpec): boolean => requestedAddresses(spec)[0] === NO_ADDRESS;

export const mayHaveNodePorts = ({ type }: AllocatedSpec): boolean => type === 'NodePort' || type === 'LoadBalancer';

/** Whether node ports are allocated for ports that name none. */
export const wantsNodePorts = (spec: AllocatedSpec): boolean => spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);

export const needsHealthCheckPort = ({ type, externalTrafficPolicy }: AllocatedSpec): boolean => type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

/** The cluster IPs that a service has. */
export function addressesOf(spec: AllocatedSpec | undefined): readonly string[] {
  return spec === undefined ? [] : requestedAddresses(spec).filter((ip) => ip !== NO_ADDRESS && ip !== '');
}

/** The node ports that a service has, each once, that of its health check included. */
export function nodePortsOf(spec: AllocatedSpec | undefined): readonly number[] {
  const ports = (spec?.ports ?? []).map(({ nodePort = 0 }) => nodePort);
  return [...new Set([...ports, spec?.healthCheckNodePort ?? 0])].filter((port) => port !== 0);
}
