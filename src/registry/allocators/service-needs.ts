import type { ApiObject } from '#api';

/** The part of a Service that holds addresses and ports; the registry does not know the kinds themselves. */
export interface ScarceService extends ApiObject {
  spec: ScarceSpec;
}

export interface ScarceSpec {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
  ipFamilies?: string[];
  ports?: ScarcePort[];
  externalTrafficPolicy?: string;
  healthCheckNodePort?: number;
  allocateLoadBalancerNodePorts?: boolean;
}

export interface ScarcePort {
  readonly port: number;
  readonly protocol?: string;
  nodePort?: number;
}

const NO_ADDRESS = 'None';

/** Whether the service needs a cluster IP. */
export const needsAddress = ({ type, clusterIP }: ScarceSpec): boolean =>
  (type === 'ClusterIP' || type === 'NodePort' || type === 'LoadBalancer') && clusterIP !== NO_ADDRESS;

/** The values of its cluster IPs. Services stored before the field `clusterIPs` existed have only `clusterIP`. */
const saidOf = ({ clusterIP, clusterIPs }: ScarceSpec): readonly string[] => (clusterIPs?.length ? clusterIPs : clusterIP ? [clusterIP] : []);

/** Whether the service is headless: it has explicitly no cluster IP. */
export const isHeadless = (spec: ScarceSpec): boolean => saidOf(spec)[0] === NO_ADDRESS;

export const mayHaveNodePorts = ({ type }: ScarceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer';

/** Whether node ports are allocated for ports that name none. */
export const wantsNodePorts = (spec: ScarceSpec): boolean => spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);

export const needsHealthCheckPort = ({ type, externalTrafficPolicy }: ScarceSpec): boolean => type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

/** The cluster IPs that a service has. */
export function addressesOf(spec: ScarceSpec | undefined): readonly string[] {
  return spec === undefined ? [] : saidOf(spec).filter((ip) => ip !== NO_ADDRESS && ip !== '');
}

/** The node ports that a service has, each once, that of its health check included. */
export function nodePortsOf(spec: ScarceSpec | undefined): readonly number[] {
  const ports = (spec?.ports ?? []).map(({ nodePort = 0 }) => nodePort);
  return [...new Set([...ports, spec?.healthCheckNodePort ?? 0])].filter((port) => port !== 0);
}
