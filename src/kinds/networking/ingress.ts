import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { IngressSpec, IngressStatus, type IngressRule } from './ingress-spec.ts';
import { IngressV1Beta1, toV1 } from './ingress-v1beta1.ts';
import { addressesOf, validateLoadBalancer } from './load-balancer.ts';
import { validateIngressSpec } from './validate-ingress.ts';

class Body extends t.message('networking/v1.Ingress', { spec: t.one(2, IngressSpec), status: t.one(3, IngressStatus) }) {}

export const Ingress = defineKind(Body, {
  group: 'networking',
  errorGroup: 'extensions',
  kind: 'Ingress',
  plural: 'ingresses',
  shortNames: ['ing'],
  scope: 'Namespaced',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  retired: { v1beta1: { schema: IngressV1Beta1, up: toV1 }, 'extensions/v1beta1': { schema: IngressV1Beta1, up: toV1 } },
  subresources: { status: { verbs: ['get', 'patch', 'update'], writes: ['status'] } },
  createOnUpdate: false,
  generation: ['spec'],
  columns: [
    { name: 'Class', type: 'string', description: 'The class of controllers that this ingress is for.', cell: ({ spec }) => spec.ingressClassName ?? '<none>' },
    { name: 'Hosts', type: 'string', description: 'Hosts that requests are accepted for; * for any.', cell: ({ spec }) => hostsOf(spec.rules ?? []) },
    { name: 'Address', type: 'string', description: 'Where the load balancer takes requests.', cell: ({ status }) => addressesOf(status.loadBalancer) },
    { name: 'Ports', type: 'string', description: 'Ports that requests are accepted on.', cell: ({ spec }) => ((spec.tls ?? []).length > 0 ? '80, 443' : '80') },
  ],
  validate(next, live, at, { brand, subresource }) {
    if (subresource === 'status') {
      validateLoadBalancer(next.status.loadBalancer, at.child('status', 'loadBalancer'));
      return;
    }
    validateIngressSpec(next.spec, live?.spec, at.child('spec'));
    const key = `${brand.names.domain}/ingress.class`;
    const older = next.metadata.annotations?.[key];
    if (live === undefined && older !== undefined && next.spec.ingressClassName !== undefined) {
      at.child('annotations', key).invalid(older, 'can not be set when the class field is also set');
    }
  },
});
export type Ingress = ObjectOf<typeof Ingress>;

const MAX_HOSTS = 3;

function hostsOf(rules: readonly IngressRule[]): string {
  const named = rules.flatMap(({ host }, position) => (host ? [{ host, position }] : []));
  if (named.length === 0) return '*';
  const shown = named.slice(0, MAX_HOSTS).map(({ host }) => host).join(',');
  const last = named[MAX_HOSTS - 1];
  const hasMore = last !== undefined && last.position < rules.length - 1;
  return hasMore ? `${shown} + ${rules.length - MAX_HOSTS} more...` : shown;
}
