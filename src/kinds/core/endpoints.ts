import { hostAndPort } from '#base';
import { defineKind, type ObjectOf } from '#api';
import { t } from '#schema';
import { EndpointSubset } from './endpoints-spec.ts';
import { validateEndpointSubsets } from './validate-endpoints.ts';

class Body extends t.message('core/v1.Endpoints', { subsets: t.many(2, EndpointSubset) }) {}

export const Endpoints = defineKind(Body, {
  group: '',
  kind: 'Endpoints',
  plural: 'endpoints',
  shortNames: ['ep'],
  scope: 'Namespaced',
  versions: { v1: { schema: Body } },
  storage: 'v1',
  createOnUpdate: true,
  columns: [
    {
      name: 'Endpoints',
      type: 'string',
      description: 'Addresses that answer for the service, with their ports.',
      cell: ({ subsets }) => endpointsCell(subsets ?? []),
    },
  ],
  validate(next, _live, at) {
    validateEndpointSubsets(next.subsets ?? [], at.child('subsets'));
  },
});
export type Endpoints = ObjectOf<typeof Endpoints>;

const MAX_SHOWN = 3;

function endpointsCell(subsets: readonly EndpointSubset[]): string {
  if (subsets.length === 0) return '<none>';
  const all = subsets.flatMap(({ addresses, ports }) => {
    const ips = (addresses ?? []).map(({ ip }) => ip);
    return (ports ?? []).length === 0 ? ips : (ports ?? []).flatMap(({ port }) => ips.map((ip) => hostAndPort(ip, port)));
  });
  const shown = all.slice(0, MAX_SHOWN).join(',');
  return all.length > MAX_SHOWN ? `${shown} + ${all.length - MAX_SHOWN} more...` : shown;
}
