import type { ApiObject } from '#api';

/** The part of a Service that holds scarce values; the registry knows no kinds. */
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

/** Whether the service has an address of its own. */
export const needsAddress = ({ type, clusterIP }: ScarceSpec): boolean =>
  (type === 'ClusterIP' || type === 'NodePort' || type === 'LoadBalancer') && clusterIP !== NO_ADDRESS;

/** What it says of its addresses. Services that were stored before there was a list have the one address alone. */
const saidOf = ({ clusterIP, clusterIPs }: ScarceSpec): readonly string[] => (clusterIPs?.length ? clusterIPs : clusterIP ? [clusterIP] : []);

/** Whether it was made to have none. */
export const isHeadless = (spec: ScarceSpec): boolean => saidOf(spec)[0] === NO_ADDRESS;

export const mayHaveNodePorts = ({ type }: ScarceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer';

/** Whether ports are chosen for it where it names none. */
export const wantsNodePorts = (spec: ScarceSpec): boolean => spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);

export const needsHealthCheckPort = ({ type, externalTrafficPolicy }: ScarceSpec): boolean => type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

/** Everything scarce that a service has. */
export function addressesOf(spec: ScarceSpec | undefined): readonly string[] {
  return spec === undefined ? [] : saidOf(spec).filter((ip) => ip !== NO_ADDRESS && ip !== '');
}

/** Every port of nodes that a service has, each once; the one of its health check among them. */
export function nodePortsOf(spec: ScarceSpec | undefined): readonly number[] {
  const ports = (spec?.ports ?? []).map(({ nodePort = 0 }) => nodePort);
  return [...new Set([...ports, spec?.healthCheckNodePort ?? 0])].filter((port) => port !== 0);
}
