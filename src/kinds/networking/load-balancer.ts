import { checkDnsSubdomain, parseIp, report } from '#api';
import type { FieldErrors } from '#errors';
import { t } from '#schema';

class PortStatus extends t.message('core/v1.PortStatus', {
  port: t.int32(1).required(),
  protocol: t.string(2).required(),
  error: t.maybe.string(3),
}) {}

class LoadBalancerIngress extends t.message('core/v1.LoadBalancerIngress', {
  ip: t.string(1),
  hostname: t.string(2),
  ports: t.many(4, PortStatus, 'atomic'),
}) {}

/** The ingress points of a load balancer. */
export class LoadBalancerStatus extends t.message('core/v1.LoadBalancerStatus', { ingress: t.many(1, LoadBalancerIngress) }) {}

export function validateLoadBalancer({ ingress = [] }: LoadBalancerStatus, at: FieldErrors): void {
  for (const [position, { ip, hostname }] of ingress.entries()) {
    const here = at.child('ingress').index(position);
    if (ip && parseIp(ip) === undefined) here.child('ip').invalid(ip, 'must be a valid IP address');
    if (!hostname) continue;
    report(here.child('hostname'), hostname, checkDnsSubdomain(hostname));
    if (parseIp(hostname) !== undefined) here.child('hostname').invalid(hostname, 'must be a DNS name, not an IP address');
  }
}

/** The addresses, sorted and without duplicates. */
export function addressesOf({ ingress = [] }: LoadBalancerStatus): string {
  const texts = ingress.map(({ ip, hostname }) => ip || hostname || '').filter((text) => text !== '');
  return [...new Set(texts)].sort().join(',');
}
