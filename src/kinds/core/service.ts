import { cloneJson } from '#base';
import { defineKind, formatLabels, type ObjectOf } from '#api';
import { t } from '#schema';
import { addressesOf, LoadBalancerStatus, validateLoadBalancer } from '../networking/load-balancer.ts';
import { Condition } from '../policy/condition.ts';
import { allocateForService, heldByService } from './allocate-for-service.ts';
import { PROXY_VERBS, ServiceProxyOptions } from './connect-options.ts';
import { fillServiceSpec, prepareServiceSpec } from './prepare-service.ts';
import { ServiceSpec } from './service-spec.ts';
import { validateBalancerKept, validateHealthCheckKept, validateOneProtocol, validateServiceSpec } from './validate-service.ts';
import { refuseAddresses, validateAddressesKept } from './validate-service-addresses.ts';

class Status extends t.message('core/v1.ServiceStatus', {
  loadBalancer: t.one(1, LoadBalancerStatus),
  conditions: t.many(2, Condition, { map: ['type'] }).mergeBy('type'),
}) {}

class Body extends t.message('core/v1.Service', { spec: t.one(2, ServiceSpec), status: t.one(3, Status) }) {}

export const Service = defineKind(Body, {
  group: '',
  kind: 'Service',
  plural: 'services',
  shortNames: ['svc'],
  categories: ['all'],
  scope: 'Namespaced',
  nameForm: 'dns-1035-label',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  // Services stored before 1.20 have one address and no families.
  grown: { member: 'ipFamilies', fill: ({ spec }, families) => fillServiceSpec(spec, families) },
  subresources: {
    proxy: { verbs: PROXY_VERBS, carries: { group: '', version: 'v1', kind: 'ServiceProxyOptions' }, query: ServiceProxyOptions, connects: 'proxy' },
    status: { verbs: ['get', 'patch', 'update'], writes: ['status'] },
  },
  createOnUpdate: true,
  allocating: {
    held: ({ spec }) => heldByService(spec),
    allocate(next, live, allocation, at) {
      next.spec = cloneJson(next.spec);
      allocateForService(next.spec, live?.spec, allocation, at.child('spec'));
    },
  },
  // Endpoints are deleted with the service: another service of that name must not lead to the old ones.
  takesAlong: { group: '', kind: 'Endpoints' },
  deleteShowsObject: true,
  columns: [
    { name: 'Type', type: 'string', description: 'From where the service can be reached, and how.', cell: ({ spec }) => spec.type ?? '' },
    { name: 'Cluster-IP', type: 'string', description: 'The address of the service inside the cluster.', cell: ({ spec }) => spec.clusterIPs?.[0] ?? '<none>' },
    { name: 'External-IP', type: 'string', description: 'Addresses of the service for those outside of the cluster.', cell: ({ spec, status }) => externalCell(spec, status) },
    { name: 'Port(s)', type: 'string', description: 'Ports of the service, with those that nodes lend to it.', cell: ({ spec }) => portsCell(spec) },
    { name: 'Selector', type: 'string', priority: 1, description: 'Labels of the pods that do the work.', cell: ({ spec }) => formatLabels(spec.selector) },
  ],
  prepare(next, live, { subresource, serviceFamilies }) {
    if (subresource !== '') return;
    prepareServiceSpec(next.spec, live?.spec, serviceFamilies);
    // Only the type LoadBalancer has a load balancer.
    if (live !== undefined && next.spec.type !== 'LoadBalancer') next.status.loadBalancer = {};
  },
  refuse: (next, live, { serviceFamilies }) => refuseAddresses(next.spec, live?.spec, serviceFamilies).causes,
  validate(next, live, at, { brand, subresource }) {
    if (subresource === 'status') {
      validateLoadBalancer(next.status.loadBalancer, at.child('status', 'loadBalancer'));
      return;
    }
    const here = at.child('spec');
    if (live !== undefined) {
      validateAddressesKept(next.spec, live.spec, here);
      validateBalancerKept(next.spec, live.spec, here);
      validateHealthCheckKept(next.spec, live.spec, here);
    }
    validateServiceSpec(next.spec, next.metadata.annotations ?? {}, here, at.child('metadata'), brand);
    validateOneProtocol(next.spec, live?.spec, here);
  },
});
export type Service = ObjectOf<typeof Service>;

function externalCell({ type, externalName = '', externalIPs = [] }: ServiceSpec, { loadBalancer }: Status): string {
  if (type === 'ExternalName') return externalName;
  const balancers = type === 'LoadBalancer' ? addressesOf(loadBalancer) : '';
  return [...(balancers === '' ? [] : [balancers]), ...externalIPs].join(',') || (type === 'LoadBalancer' ? '<pending>' : '<none>');
}

function portsCell({ ports }: ServiceSpec): string {
  return (ports ?? []).map(({ port, nodePort, protocol = '' }) => `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`).join(',') || '<none>';
}
