import type { Quantity } from '#schema';
import type { Service } from '../service.ts';

const SERVICES = 'services';
const NODE_PORTS = 'services.nodeports';
const LOAD_BALANCERS = 'services.loadbalancers';
export const SERVICE_NAMES: readonly string[] = [SERVICES, NODE_PORTS, LOAD_BALANCERS];

/** Types that take a port on every node for each of their ports. */
const WITH_NODE_PORTS: readonly unknown[] = ['NodePort', 'LoadBalancer'];

export function serviceUsage({ spec }: Service): ReadonlyMap<string, Quantity> {
  const ports = WITH_NODE_PORTS.includes(spec.type) ? (spec.ports?.length ?? 0) : 0;
  return new Map([
    [SERVICES, whole(1)],
    [NODE_PORTS, whole(ports)],
    [LOAD_BALANCERS, whole(spec.type === 'LoadBalancer' ? 1 : 0)],
  ]);
}

const whole = (count: number): Quantity => ({ mantissa: BigInt(count), exponent: 0, form: 'decimal' });
