import type { ApiObject, Brand, KindObject } from '#api';
import { stringScalar, t } from '#schema';
import { ObjectReference } from '../core/object-reference.ts';
import type { Endpoint, EndpointSliceV1 } from './endpoint-slice-v1.ts';

class EndpointConditions extends t.message('discovery/v1beta1.EndpointConditions', {
  ready: t.maybe.bool(1),
  serving: t.maybe.bool(2),
  terminating: t.maybe.bool(3),
}) {}

class ForZone extends t.message('discovery/v1beta1.ForZone', { name: t.string(1).required() }) {}

class EndpointHints extends t.message('discovery/v1beta1.EndpointHints', { forZones: t.many(1, ForZone, 'atomic') }) {}

class EndpointBeta extends t.message('discovery/v1beta1.Endpoint', {
  addresses: t.strings(1, 'set').required(),
  conditions: t.one(2, EndpointConditions),
  hostname: t.maybe.string(3),
  targetRef: t.perhaps(4, ObjectReference),
  topology: t.map(5, stringScalar),
  nodeName: t.maybe.string(6),
  hints: t.perhaps(7, EndpointHints),
}) {}

class EndpointPort extends t.message('discovery/v1beta1.EndpointPort', {
  name: t.maybe.string(1).default(''),
  protocol: t.maybe.string(2).default('TCP'),
  port: t.maybe.int32(3),
  appProtocol: t.maybe.string(4),
}) {}

export class EndpointSliceV1Beta1 extends t.message('discovery/v1beta1.EndpointSlice', {
  addressType: t.string(4).required(),
  endpoints: t.many(2, EndpointBeta, 'atomic').required(),
  ports: t.many(3, EndpointPort, 'atomic').always(),
}) {}

/** The topology label that held the zone before there was a field. */
const zoneLabel = ({ domain }: Brand['names']): string => `topology.${domain}/zone`;

/** Converts v1beta1 to v1. Changes the object. */
export function toV1(object: ApiObject, { names }: Brand): ApiObject {
  const slice = object as KindObject<EndpointSliceV1Beta1>;
  for (const endpoint of slice.endpoints ?? []) moveTopology(endpoint, names);
  return object;
}

function moveTopology(endpoint: EndpointBeta & Partial<Endpoint>, names: Brand['names']): void {
  const { topology, nodeName } = endpoint;
  if (topology === undefined) return;
  const label = zoneLabel(names);
  delete endpoint.topology;
  // Removes the host name label that `restoreTopology` adds.
  if (nodeName !== undefined && topology[names.hostnameLabel] === nodeName) Reflect.deleteProperty(topology, names.hostnameLabel);
  if (Object.hasOwn(topology, label)) {
    endpoint.zone = topology[label] ?? '';
    Reflect.deleteProperty(topology, label);
  }
  if (Object.keys(topology).length > 0) endpoint.deprecatedTopology = topology;
}

/** Converts v1 to v1beta1. Changes the object. */
export function toV1Beta1(object: ApiObject, { names }: Brand): ApiObject {
  const slice = object as KindObject<EndpointSliceV1>;
  for (const endpoint of slice.endpoints ?? []) restoreTopology(endpoint, names);
  return object;
}

function restoreTopology(endpoint: Endpoint & Partial<EndpointBeta>, names: Brand['names']): void {
  const { deprecatedTopology, zone, nodeName } = endpoint;
  delete endpoint.deprecatedTopology;
  delete endpoint.zone;
  const topology = { ...deprecatedTopology };
  if (zone !== undefined) topology[zoneLabel(names)] = zone;
  // An existing label is kept, even if it differs from the node name.
  if (nodeName !== undefined && !topology[names.hostnameLabel]) topology[names.hostnameLabel] = nodeName;
  if (Object.keys(topology).length > 0) endpoint.topology = topology;
}
