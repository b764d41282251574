import { stringScalar, t } from '#schema';

export class ServicePort extends t.message(
  'core/v1.ServicePort',
  {
    name: t.string(1),
    protocol: t.string(2).default('TCP'),
    appProtocol: t.maybe.string(6),
    port: t.int32(3).required(),
    targetPort: t.intOrString(4),
    nodePort: t.int32(5),
  },
  {
    defaults(port) {
      if (!port.targetPort) port.targetPort = port.port;
    },
  },
) {}

class ClientIPConfig extends t.message('core/v1.ClientIPConfig', { timeoutSeconds: t.maybe.int32(1).default(10_800) }) {}

export class SessionAffinityConfig extends t.message('core/v1.SessionAffinityConfig', { clientIP: t.perhaps(1, ClientIPConfig) }) {}

export class ServiceSpec extends t.message(
  'core/v1.ServiceSpec',
  {
    ports: t.many(1, ServicePort, { map: ['port', 'protocol'] }).mergeBy('port'),
    selector: t.map(2, stringScalar).atomicMap(),
    clusterIP: t.string(3),
    clusterIPs: t.strings(18, 'atomic'),
    type: t.string(4).default('ClusterIP'),
    externalIPs: t.strings(5),
    sessionAffinity: t.string(7).default('None'),
    loadBalancerIP: t.string(8),
    loadBalancerSourceRanges: t.strings(9),
    externalName: t.string(10),
    externalTrafficPolicy: t.string(11),
    healthCheckNodePort: t.int32(12),
    publishNotReadyAddresses: t.bool(13),
    sessionAffinityConfig: t.perhaps(14, SessionAffinityConfig),
    ipFamilies: t.strings(19, 'atomic'),
    ipFamilyPolicy: t.maybe.string(17),
    allocateLoadBalancerNodePorts: t.maybe.bool(20),
    loadBalancerClass: t.maybe.string(21),
    internalTrafficPolicy: t.maybe.string(22).default('Cluster'),
  },
  {
    defaults(spec) {
      if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
      if (spec.sessionAffinity === 'ClientIP') (spec.sessionAffinityConfig ??= {}).clientIP ??= {};
      if (spec.type === 'NodePort' || spec.type === 'LoadBalancer') spec.externalTrafficPolicy ||= 'Cluster';
      if (spec.type === 'LoadBalancer') spec.allocateLoadBalancerNodePorts ??= true;
    },
  },
) {}

/** What a type of service has and needs: a cluster IP, node ports, a health check port. */
export const hasClusterIp = ({ type }: ServiceSpec): boolean => type !== 'ExternalName';
export const hasNodePorts = ({ type }: ServiceSpec): boolean => isReachedFromOutside(type);
export const hasHealthCheckPort = ({ type, externalTrafficPolicy }: ServiceSpec): boolean => type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
export const isHeadless = ({ clusterIP, clusterIPs }: ServiceSpec): boolean => clusterIP === 'None' || (clusterIPs?.length === 1 && clusterIPs[0] === 'None');
/** Whether a service is headless and without selector: it may be of any families, since its endpoints are managed elsewhere. */
export const isFree = ({ clusterIP, selector }: ServiceSpec): boolean => clusterIP === 'None' && Object.keys(selector ?? {}).length === 0;

const isReachedFromOutside = (type: string | undefined): boolean => type === 'NodePort' || type === 'LoadBalancer';
