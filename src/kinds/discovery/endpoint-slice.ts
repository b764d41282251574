import { isDeepEqual } from '#base';
import { checkDnsSubdomain, defineKind, nextGeneration, type Brand, type ObjectOf } from '#api';
import { EndpointSliceV1, type Endpoint, type EndpointPort } from './endpoint-slice-v1.ts';
import { EndpointSliceV1Beta1, toV1, toV1Beta1 } from './endpoint-slice-v1beta1.ts';
import { validateEndpointSlice } from './validate-endpoint-slice.ts';

export const EndpointSlice = defineKind(EndpointSliceV1, {
  group: 'discovery',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  scope: 'Namespaced',
  versions: {
    v1: { schema: EndpointSliceV1 },
    v1beta1: { schema: EndpointSliceV1Beta1, up: toV1, down: toV1Beta1, deprecated: { since: '1.21', goneIn: '1.25', use: 'v1' } },
  },
  storage: 'v1',
  knownStorage: 'v1beta1',
  createOnUpdate: false,
  repeatsMetadataRules: ['content'],
  generation: ['addressType', 'endpoints', 'ports', 'metadata.labels'],
  columns: [
    { name: 'AddressType', type: 'string', description: 'What kind of addresses the slice holds.', cell: ({ addressType }) => addressType },
    { name: 'Ports', type: 'string', description: 'Ports that every endpoint of the slice has.', cell: ({ ports }) => shorten((ports ?? []).map(showPort)) },
    { name: 'Endpoints', type: 'string', description: 'Addresses of the endpoints in the slice.', cell: ({ endpoints }) => shorten((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])) },
  ],
  prepare(next, live, { brand, version }) {
    // Changes that are dropped below increment the generation all the same.
    if (live !== undefined && !isDeepEqual(next.endpoints, live.endpoints)) next.metadata.generation = nextGeneration(live.metadata.generation);
    // Hints belong to a feature that is off in 1.23.
    const hadHints = (live?.endpoints ?? []).some(({ hints }) => hints !== undefined);
    if (!hadHints) for (const endpoint of next.endpoints ?? []) delete endpoint.hints;
    // A v1 write drops topology labels, unless no endpoint changes.
    const losesTopology = version === 'v1' && (live === undefined || !isDeepEqual(next.endpoints, live.endpoints));
    if (losesTopology) dropTopology(next.endpoints ?? [], live?.endpoints ?? [], brand);
  },
  validate(next, live, at) {
    validateEndpointSlice(next, at);
    if (live !== undefined && next.addressType !== live.addressType) at.child('addressType').invalid(next.addressType, 'field is immutable');
  },
});
export type EndpointSlice = ObjectOf<typeof EndpointSlice>;

/** Drops the topology labels. A host name label that a stored endpoint has becomes `nodeName`: that endpoint has not moved. Changes `next`. */
function dropTopology(next: readonly Endpoint[], live: readonly Endpoint[], { names: { hostnameLabel } }: Brand): void {
  const nodeOf = ({ deprecatedTopology }: Endpoint): string => deprecatedTopology?.[hostnameLabel] ?? '';
  const known = new Set(live.map(nodeOf));
  for (const endpoint of next) {
    const node = nodeOf(endpoint);
    if (endpoint.nodeName === undefined && node !== '' && known.has(node) && checkDnsSubdomain(node) === undefined) endpoint.nodeName = node;
    delete endpoint.deprecatedTopology;
  }
}

const showPort = ({ port, name = '' }: EndpointPort): string => (port === undefined ? name : String(port));

const MAX_SHOWN = 3;

function shorten(all: readonly string[]): string {
  const shown = all.slice(0, MAX_SHOWN).join(',');
  return all.length > MAX_SHOWN ? `${shown} + ${all.length - MAX_SHOWN} more...` : shown || '<unset>';
}
