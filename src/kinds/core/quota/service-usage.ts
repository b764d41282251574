import type { Quantity } from '#schema';
import type { Service } from '../service.ts';

const SERVICES = 'services';
const NODE_PORTS = 'services.nodeports';
const LOAD_BALANCERS = 'services.loadbalancers';
export const SERVICE_NAMES: readonly string[] = [SERVICES, NODE_PORTS, LOAD_BALANCERS];

/** Types of services that have a node port for each port. */
const WITH_NODE_PORTS: readonly unknown[] = ['NodePort', 'LoadBalancer'];

export function serviceUsage({ spec }: Service): ReadonlyMap<string, Quantity> {
  return new Map([
    [SERVICES, whole(1)],
    [NODE_PORTS, whole(nodePorts(spec))],
    [LOAD_BALANCERS, whole(spec.type === 'LoadBalancer' ? 1 : 0)],
  ]);
}

/** The number of node ports the service is going to have: admission runs before they are allocated. */
function nodePorts({ type, ports, allocateLoadBalancerNodePorts: areLent }: Service['spec']): number {
  if (!WITH_NODE_PORTS.includes(type)) return 0;
  const all = ports ?? [];
  return type === 'LoadBalancer' && areLent === false ? all.filter(({ nodePort }) => (nodePort ?? 0) !== 0).length : all.length;
}

const whole = (count: number): Quantity => ({ mantissa: BigInt(count), exponent: 0, form: 'decimal' });
